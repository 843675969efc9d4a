package httpapi

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/resourcery/resourcery/jsonapi"
)

// keptBuffer is the size up to which buffers are used again, so that one huge
// document does not stay in memory.
const keptBuffer = 1 << 20

var responses = sync.Pool{New: func() any { return new(response) }}

// A response is an answer before it is sent. It is buffered whole: its length
// is known, and an error that is found late is still the only thing sent.
type response struct {
	status int
	header []headerLine // beside those that every answer has
	// profiles are those that have been applied to the document.
	profiles []string
	// extensions are those under which the request is answered, with a document
	// or with errors.
	extensions []string
	body       []byte // empty: the answer has no body
}

// A headerLine is one line of a header.
type headerLine struct{ name, value string }

// newResponse returns an empty 200. It is given back by release.
func newResponse() *response {
	out := responses.Get().(*response)
	out.reset()
	return out
}

func (out *response) release() {
	if cap(out.body) <= keptBuffer {
		responses.Put(out)
	}
}

func (out *response) reset() {
	out.extensions = nil
	out.clear()
}

// clear drops what has been made out. The extensions of the exchange stay.
func (out *response) clear() {
	out.status = http.StatusOK
	out.header = out.header[:0]
	out.profiles = nil
	out.body = out.body[:0]
}

func (out *response) addHeader(name, value string) {
	out.header = append(out.header, headerLine{name, value})
}

// writeTo sends the answer; the one to HEAD has the headers of the one to GET
// and no body. That the client cannot be written to any more is no error.
func (out *response) writeTo(w http.ResponseWriter, method string) {
	h := w.Header()
	for _, line := range out.header {
		h.Add(line.name, line.value)
	}
	if len(out.body) == 0 {
		w.WriteHeader(out.status)
		return
	}
	h.Set("Content-Type", jsonapi.ContentType(out.extensions, out.profiles))
	h.Set("Content-Length", strconv.Itoa(len(out.body)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	w.WriteHeader(out.status)
	if method != http.MethodHead {
		_, _ = w.Write(out.body)
	}
}
