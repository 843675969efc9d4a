package handmade

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

// A payload is what bodies of writes say.
type payload struct {
	Data struct {
		Type       string
		ID         int32
		Attributes struct {
			Title, Content *string
			Published      bool
			CreatedAt      *time.Time
		}
		Relationships struct {
			Author struct {
				Data struct {
					Type string
					ID   int32
				}
			}
		}
	}
}

// maxBody bounds bodies.
const maxBody = 1 << 20

func readPayload(r *http.Request) (*payload, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return nil, err
	}
	p := new(payload)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, &refusal{http.StatusBadRequest, err.Error()}
	}
	if p.Data.Type != "post" {
		return nil, &refusal{http.StatusConflict, "the type is not post"}
	}
	return p, nil
}

// create makes a post.
func (s *Site) create(a *answer, w http.ResponseWriter, r *http.Request) error {
	p, err := readPayload(r)
	if err != nil {
		return err
	}
	at := &p.Data.Attributes
	if at.Title == nil || at.Content == nil {
		return &refusal{http.StatusBadRequest, "a post needs a title and content"}
	}
	created := time.Now()
	if at.CreatedAt != nil {
		created = *at.CreatedAt
	}
	a.key(p.Data.Relationships.Author.Data.ID)
	a.params = append(a.params, []byte(*at.Title), []byte(*at.Content), []byte{0}, binary.BigEndian.AppendUint64(nil, uint64(micros(created))))
	if at.Published {
		a.params[3][0] = 1
	}
	id, digest, err := s.write(a, r, createPost, binaryCreate)
	if err != nil {
		return err
	}
	a.entityTag(digest)
	a.header["Location"] = []string{postsAt + strconv.Itoa(int(id))}
	a.send(w, http.StatusCreated)
	return nil
}

// micros is a time as Postgres sends it.
func micros(t time.Time) int64 {
	const epoch = 946_684_800_000_000 // 2000-01-01 in Unix microseconds
	return t.UnixMicro() - epoch
}

// update changes a post's title and content.
func (s *Site) update(a *answer, w http.ResponseWriter, r *http.Request, id int32) error {
	p, err := readPayload(r)
	if err != nil {
		return err
	}
	if p.Data.ID != id {
		return &refusal{http.StatusConflict, "the id is another one"}
	}
	a.key(id)
	for _, text := range []*string{p.Data.Attributes.Title, p.Data.Attributes.Content} {
		var value []byte
		if text != nil {
			value = []byte(*text)
		}
		a.params = append(a.params, value)
	}
	_, digest, err := s.write(a, r, updatePost, binaryUpdate)
	if err != nil {
		return err
	}
	a.entityTag(digest)
	a.send(w, http.StatusOK)
	return nil
}

// write runs a statement that returns the post, and appends its document.
func (s *Site) write(a *answer, r *http.Request, st statement, formats []int16) (id int32, digest []byte, err error) {
	x, err := s.begin(r.Context())
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = first(err, x.end()) }()
	x.seal(a, readWrite)
	x.send(st, a.params, formats, singleFormats)
	if err := x.sync(1); err != nil {
		return 0, nil, err
	}
	rows, err := x.rows()
	if err != nil {
		return 0, nil, err
	}
	return a.document(rows)
}
