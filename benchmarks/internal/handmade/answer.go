package handmade

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// Where resources are.
const (
	postsAt    = blog.Endpoint + "/post/"
	usersAt    = blog.Endpoint + "/user/"
	commentsAt = blog.Endpoint + "/comment/"
	tagsAt     = blog.Endpoint + "/tag/"
)

// An answer is one answer in the making, with all that is used again for the
// next one.
type answer struct {
	header http.Header
	body   []byte
	// notes are the annotations so far; at is where the resource being written
	// stands, as they name it: `data.3`. Empty: none are taken.
	notes, at []byte

	arena           []byte // texts of rows that have to wait
	posts           []post
	authors         []user // of posts
	comments        []comment
	replied         []user // of comments
	tags            []tag
	seenUsers, seen map[int32]struct{}

	session, params [][]byte
	scratch         []byte
}

func (a *answer) reset(h http.Header) {
	a.header, a.body, a.notes, a.at, a.arena, a.scratch = h, a.body[:0], a.notes[:0], a.at[:0], a.arena[:0], a.scratch[:0]
	a.posts, a.authors, a.comments, a.replied, a.tags = a.posts[:0], a.authors[:0], a.comments[:0], a.replied[:0], a.tags[:0]
	a.params = a.params[:0]
	if a.seen == nil {
		a.seen, a.seenUsers = make(map[int32]struct{}), make(map[int32]struct{})
	}
	clear(a.seen)
	clear(a.seenUsers)
}

// keep copies a text of a row, which lasts until the next row.
func (a *answer) keep(text []byte) []byte {
	start := len(a.arena)
	a.arena = append(a.arena, text...)
	return a.arena[start:len(a.arena):len(a.arena)]
}

// place says that the resource to be written is the i-th of a list.
func (a *answer) place(list string, i int) {
	a.at = strconv.AppendInt(append(a.at[:0], list...), int64(i), 10)
}

func (a *answer) note(rest string) {
	if len(a.at) == 0 {
		return
	}
	if len(a.notes) > 0 {
		a.notes = append(a.notes, ',')
	}
	a.notes = append(a.notes, '"')
	a.notes = append(a.notes, a.at...)
	a.notes = append(a.notes, rest...)
}

func (a *answer) text(s string) { a.body = append(a.body, s...) }

// open begins a document.
func (a *answer) open(data string) {
	a.text(`{"jsonapi":{"version":"1.1"},"data":`)
	a.text(data)
}

// meta ends a document; total is "" where there is none.
func (a *answer) meta(total string) {
	a.text(`},"meta":{`)
	if total != "" {
		a.text(`"total":`)
		a.text(total)
	}
	if len(a.notes) > 0 {
		if total != "" {
			a.text(`,`)
		}
		a.text(`"serialization":{"values":{`)
		a.body = append(a.body, a.notes...)
		a.text(`}}`)
	}
	a.text(`}}`)
}

// Values of headers that are always the same.
var (
	mediaType = []string{"application/vnd.api+json"}
	nosniff   = []string{"nosniff"}
	accept    = []string{"Accept"}
)

// send sends the document.
func (a *answer) send(w http.ResponseWriter, status int) {
	a.header["Content-Type"] = mediaType
	a.header["X-Content-Type-Options"] = nosniff
	a.header["Vary"] = accept
	a.header["X-Request-Id"] = []string{rand.Text()}
	a.header["Content-Length"] = []string{strconv.Itoa(len(a.body))}
	w.WriteHeader(status)
	_, _ = w.Write(a.body) // that the client has left is no error of ours
}

// tag sets the entity tag from the row's digest and the document.
func (a *answer) entityTag(digest []byte) string {
	sum := sha256.Sum256(a.body)
	b := append(a.scratch[:0], '"')
	b = append(b, digest...)
	b = append(b, '-')
	b = hex.AppendEncode(b, sum[:16])
	b = append(b, '"')
	a.scratch = b
	etag := string(b)
	a.header["Etag"] = []string{etag}
	return etag
}

// A refusal is an error with the status of its answer.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

var (
	errNotFound = &refusal{http.StatusNotFound, "there is no such resource"}
	errUnknown  = &refusal{http.StatusBadRequest, "these parameters are not known"}
)

func (a *answer) fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if r, ok := errors.AsType[*refusal](err); ok {
		status = r.status
	}
	http.Error(w, err.Error(), status)
}
