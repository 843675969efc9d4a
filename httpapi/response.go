package httpapi

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/resourcery/resourcery/jsonapi"
)

// keptBuffer is the size up to which buffers are used again: that of a page of
// some thousand resources, so that one huge document does not stay in memory.
const keptBuffer = 4 << 20

var responses = sync.Pool{New: func() any { return new(response) }}

// A response is an answer before it is sent. It is buffered whole: its length
// is known, and an error that is found late is still the only thing sent. Only a
// stream sends more than it keeps.
type response struct {
	exchange *exchange // that it answers
	status   int
	header   []headerLine // beside those that every answer has
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
func newResponse(x *exchange) *response {
	out := responses.Get().(*response)
	out.exchange, out.extensions = x, nil
	out.clear()
	return out
}

func (out *response) release() {
	out.exchange = nil
	if cap(out.body) <= keptBuffer {
		responses.Put(out)
	}
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
	out.writeHead(w, len(out.body))
	if method != http.MethodHead && len(out.body) > 0 {
		_, _ = w.Write(out.body)
	}
}

// unknownLength is that of a body which is sent while it is made.
const unknownLength = -1

// writeHead sends the status line and the header of an answer whose body has
// that many bytes.
func (out *response) writeHead(w http.ResponseWriter, length int) {
	h := headerOf(w, len(out.header)+5)
	h.set(requestIDHeader, out.exchange.id)
	for _, line := range out.header {
		h.add(line.name, line.value)
	}
	if length != 0 {
		h.set("Content-Type", jsonapi.ContentType(out.extensions, out.profiles))
		h.set("X-Content-Type-Options", "nosniff")
		h.add("Vary", "Accept")
	}
	if length > 0 {
		h.set("Content-Length", strconv.Itoa(length))
	}
	w.WriteHeader(out.status)
}

// A header is that of an answer, and memory for the values of its lines.
type header struct {
	lines  http.Header
	values []string
}

func headerOf(w http.ResponseWriter, lines int) header {
	return header{lines: w.Header(), values: make([]string, 0, lines)}
}

// set makes value the only one of the key, which is in canonical form.
func (h *header) set(key, value string) {
	n := len(h.values)
	h.values = append(h.values, value)
	h.lines[key] = h.values[n : n+1 : n+1]
}

// add adds value to what middleware may have put there.
func (h *header) add(name, value string) {
	key := http.CanonicalHeaderKey(name)
	if have := h.lines[key]; len(have) > 0 {
		h.lines[key] = append(have, value)
		return
	}
	h.set(key, value)
}
