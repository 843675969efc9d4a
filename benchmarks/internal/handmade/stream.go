package handmade

import (
	"crypto/rand"
	"net/http"
)

// chunk is how much of a streamed document is written at once.
const chunk = 64 << 10

// stream answers with all comments, written while they are read. The lengths of
// the rows are not kept: annotations are made from their number.
func (s *Site) stream(a *answer, w http.ResponseWriter, r *http.Request) (err error) {
	if r.URL.RawQuery != "page%5Btotal%5D=none" {
		return errUnknown
	}
	x, err := s.begin(r.Context())
	if err != nil {
		return err
	}
	defer func() { err = first(err, x.end()) }()
	x.seal(a, readOnly)
	x.send(allComments, nil, textual, commentFormats)
	if err := x.sync(1); err != nil {
		return err
	}
	rows, err := x.rows()
	if err != nil {
		return err
	}
	a.header["Content-Type"] = mediaType
	a.header["X-Content-Type-Options"] = nosniff
	a.header["Vary"] = accept
	a.header["X-Request-Id"] = []string{rand.Text()}
	a.open(`[`)
	n := 0
	var c comment
	for ; rows.NextRow(); n++ {
		if n > 0 {
			a.text(",")
		}
		c.read(rows.Values())
		a.comment(&c)
		a.flush(w)
	}
	if _, err := rows.Close(); err != nil {
		panic(http.ErrAbortHandler) // the status line is out
	}
	a.text(`],"links":{"self":"http://blog.example/api/comment?page%5Btotal%5D=none"},"meta":{"serialization":{"values":{`)
	for i := range n {
		if i > 0 {
			a.text(",")
		}
		a.place(`"data.`, i)
		a.body = append(a.body, a.at...)
		a.text(`.attributes.createdAt":["Date"]`)
		a.flush(w)
	}
	a.text(`}}}}`)
	_, _ = w.Write(a.body)
	return nil
}

func (a *answer) flush(w http.ResponseWriter) {
	if len(a.body) < chunk {
		return
	}
	_, _ = w.Write(a.body)
	a.body = a.body[:0]
}
