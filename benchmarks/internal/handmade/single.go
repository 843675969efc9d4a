package handmade

import (
	"encoding/binary"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// single answers with one post.
func (s *Site) single(a *answer, w http.ResponseWriter, r *http.Request, id int32) error {
	digest, err := s.readSingle(a, r, id)
	if err != nil {
		return err
	}
	if etag := a.entityTag(digest); strings.Contains(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	a.send(w, http.StatusOK)
	return nil
}

func (s *Site) readSingle(a *answer, r *http.Request, id int32) (digest []byte, err error) {
	x, err := s.begin(r.Context())
	if err != nil {
		return nil, err
	}
	defer func() { err = first(err, x.end()) }()
	x.seal(a, readOnly)
	a.key(id)
	x.send(onePost, a.params, binaryKey, singleFormats)
	if err := x.sync(1); err != nil {
		return nil, err
	}
	rows, err := x.rows()
	if err != nil {
		return nil, err
	}
	_, digest, err = a.document(rows)
	return digest, err
}

// key makes the first parameter an id.
func (a *answer) key(id int32) {
	a.scratch = binary.BigEndian.AppendUint32(a.scratch[:0], uint32(id))
	a.params = append(a.params, a.scratch)
}

// document appends the document of the one row and
// returns its id and the row's digest.
func (a *answer) document(rows *pgconn.ResultReader) (id int32, digest []byte, err error) {
	if rows.NextRow() {
		row := rows.Values()
		var p post
		p.read(row)
		id = p.id
		a.open(``)
		a.at = append(a.at, "data"...)
		a.post(&p, linked{})
		digest = a.keep(row[8])
	}
	if _, err := rows.Close(); err != nil {
		return 0, nil, err
	}
	if id == 0 {
		return 0, nil, errNotFound
	}
	a.text(`,"links":{"self":"` + postsAt)
	a.body = appendInt(a.body, id)
	a.text(`"`)
	a.meta("")
	return id, digest, nil
}
