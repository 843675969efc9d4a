package handmade

import (
	"net/http"
	"strconv"
)

// plain answers with a page of posts alone, written while it is read.
func (s *Site) plain(a *answer, w http.ResponseWriter, r *http.Request, p page) error {
	if err := s.readPlain(a, r, p); err != nil {
		return err
	}
	a.meta("")
	a.send(w, http.StatusOK)
	return nil
}

func (s *Site) readPlain(a *answer, r *http.Request, p page) (err error) {
	x, err := s.begin(r.Context())
	if err != nil {
		return err
	}
	defer func() { err = first(err, x.end()) }()
	x.seal(a, readOnly)
	x.send(p.statement, nil, textual, postFormats)
	if err := x.sync(1); err != nil {
		return err
	}
	rows, err := x.rows()
	if err != nil {
		return err
	}
	a.open(`[`)
	n := 0
	for ; rows.NextRow(); n++ {
		if n == p.limit {
			continue
		}
		if n > 0 {
			a.text(",")
		}
		a.place("data.", n)
		var row post
		row.read(rows.Values())
		a.post(&row, linked{})
	}
	if _, err := rows.Close(); err != nil {
		return err
	}
	a.text(`],"links":{`)
	a.pageLinks(p, n > p.limit)
	return nil
}

// first is the first of two errors that is one.
func first(err, then error) error {
	if err != nil {
		return err
	}
	return then
}

const postsAddress = `"http://blog.example/api/post?`

// pageLinks appends the links of the first page of a list.
func (a *answer) pageLinks(p page, more bool) {
	for _, name := range [...]string{`"self":`, `,"first":`} {
		a.text(name)
		a.pageLink(p, "", p.size)
	}
	a.nextLink(p, more)
}

func (a *answer) nextLink(p page, more bool) {
	if more {
		a.text(`,"next":`)
		a.pageLink(p, "page%5Boffset%5D="+strconv.Itoa(p.limit)+"&", p.size)
	} else {
		a.text(`,"next":null`)
	}
	a.text(`,"prev":null`)
}

func (a *answer) pageLink(p page, offset, size string) {
	a.text(postsAddress)
	a.text(p.before)
	a.text(offset)
	a.text(size)
	a.text(p.rest)
	a.text(`"`)
}
