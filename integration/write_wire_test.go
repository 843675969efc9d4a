package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// An exchanged is a request and what it costs.
type exchanged struct {
	who     string
	request string
	body    string
	ifMatch string // `stale`, or `fresh` for the tag of the resource
	status  int
	trips   int // 2 in one turn: the end of the transaction waits for the answer
	turns   int
}

const (
	annsPost = `{"data": {"type": "post", "attributes": {"title": "New"}, "relationships": {"author": {"data": {"type": "user", "id": 1}}`
	retitled = `{"data": {"type": "post", "id": 1, "attributes": {"title": "Changed"}}}`
)

// writes are one of each form and outcome.
var writes = []exchanged{
	{"ann", "POST /tag", `{"data": {"type": "tag", "attributes": {"name": "new"}}}`, "", http.StatusCreated, 1, 1},
	{"ann", "POST /post?include=author,tags", annsPost + `, "tags": ` + identifiers("tag", 1, 2) + `}}}`, "", http.StatusCreated, 2, 1},
	{"ann", "PATCH /post/1", retitled, "", http.StatusOK, 1, 1},
	{"ann", "PUT /post/1?include=comments.author", retitled, "", http.StatusOK, 2, 1},
	{"ann", "PATCH /post/1", `{"data": {"type": "post", "id": 1, "attributes": {"title": "Changed"}, "relationships": {"tags": ` + identifiers("tag", 4) + `}}}`, "", http.StatusOK, 1, 1},
	{"ann", "PATCH /post/1", retitled, "fresh", http.StatusOK, 1, 1},
	{"ann", "PATCH /post/1", retitled, "stale", http.StatusPreconditionFailed, 1, 1},
	{"ann", "DELETE /post/1", "", "", http.StatusNoContent, 1, 1},
	{"ann", "DELETE /post/1", "", "fresh", http.StatusNoContent, 1, 1},
	{"ann", "DELETE /post/1", "", "stale", http.StatusPreconditionFailed, 1, 1},
	{"ann", "POST /post/1/relationships/tags", identifiers("tag", 3, 4), "", http.StatusOK, 1, 1},
	{"ann", "PATCH /post/1/relationships/tags", identifiers("tag", 3, 4), "", http.StatusOK, 1, 1},
	{"ann", "DELETE /post/1/relationships/tags", identifiers("tag", 1), "", http.StatusOK, 1, 1},
	{"ann", "POST /post/1/relationships/comments", identifiers("comment", 6), "", http.StatusOK, 1, 1},
	{"ann", "POST /comment/2/relationships/comments", identifiers("comment", 9), "", http.StatusOK, 1, 1},
	{"ann", "PATCH /comment/2/relationships/comments", identifiers("comment"), "", http.StatusForbidden, 1, 1}, // there is one of Cleo's
	{"ann", "PATCH /tag/1/relationships/posts", identifiers("post"), "", http.StatusForbidden, 2, 2},           // there is one of Bob's, or another client has just made it
	{"ann", "PATCH /comment/2/relationships/parent", `{"data": null}`, "", http.StatusOK, 1, 1},
	{"ann", "PATCH /comment/2/relationships/parent", linkage("comment", 3), "", http.StatusOK, 1, 1},
	{"ann", "PATCH /user/1/relationships/profile", linkage("profile", 1), "", http.StatusOK, 1, 1},
	{"ann", "POST /tag", `{"data": {"type": "tag", "attributes": {"name": "new"}}, "meta": {"operation": "upsert", "matchFields": ["name"]}}`, "", http.StatusForbidden, 0, 0},
	{"ann", "POST /like", `{"data": {"type": "like", "id": "1_4", "attributes": {"strength": 3}}, "meta": {"operation": "upsert", "matchFields": ["userId", "postId"]}}`, "", http.StatusOK, 1, 1},
	{"ann", "POST /like", `{"data": {"type": "like", "id": "1_6", "attributes": {"strength": 3}}, "meta": {"operation": "upsert", "matchFields": ["userId", "postId"]}}`, "", http.StatusCreated, 1, 1},
	{"ann", "POST /operations", `{"atomic:operations": [
		{"op": "add", "data": {"type": "tag", "lid": "t", "attributes": {"name": "new"}}},
		{"op": "add", "ref": {"type": "post", "id": 1, "relationship": "tags"}, "data": [{"type": "tag", "lid": "t"}]},
		{"op": "update", "data": {"type": "post", "id": 1, "attributes": {"title": "Changed"}}}]}`, "", http.StatusOK, 1, 1},
	{"ann", "POST /operations", `{"atomic:operations": [
		{"op": "add", "data": {"type": "tag", "attributes": {"name": "new"}}},
		{"op": "remove", "ref": {"type": "post", "id": 5}}]}`, "", http.StatusNotFound, 1, 1},

	{"ann", "PATCH /post/999", `{"data": {"type": "post", "id": 999, "attributes": {"title": "Changed"}}}`, "", http.StatusNotFound, 1, 1},
	{"ann", "PATCH /post/5", `{"data": {"type": "post", "id": 5, "attributes": {"title": "Changed"}}}`, "", http.StatusNotFound, 1, 1},
	{"ann", "PATCH /post/4", `{"data": {"type": "post", "id": 4, "attributes": {"title": "Changed"}}}`, "", http.StatusForbidden, 1, 1},
	{"ann", "DELETE /post/5", "", "", http.StatusNotFound, 1, 1},
	{"ann", "DELETE /post/4", "", "", http.StatusForbidden, 1, 1},
	{"ann", "POST /post/5/relationships/tags", identifiers("tag", 1), "", http.StatusNotFound, 1, 1},
	{"ann", "POST /post", annsPost + `, "comments": ` + identifiers("comment", 11) + `}}}`, "", http.StatusNotFound, 1, 1},
	{"ann", "POST /comment", `{"data": {"type": "comment", "attributes": {"body": "?", "authorId": 1, "postId": 5}}}`, "", http.StatusNotFound, 1, 1},
	{"ann", "POST /tag", `{"data": {"type": "tag", "attributes": {"name": "go"}}}`, "", http.StatusConflict, 1, 1},
	{"ann", "POST /user", `{"data": {"type": "user", "id": 1, "attributes": {"name": "Ann", "handle": "new", "email": "new@example.org"}}}`, "", http.StatusConflict, 1, 1},
	{"ann", "PATCH /like/1_4", `{"data": {"type": "like", "id": "1_4", "attributes": {"strength": 9}}}`, "", http.StatusBadRequest, 1, 1},
	{"ann", "POST /post", `{"data": {"type": "post", "attributes": {"authorId": 1}}}`, "", http.StatusBadRequest, 1, 1},
	{"anon", "POST /tag", `{"data": {"type": "tag", "attributes": {"name": "new"}}}`, "", http.StatusForbidden, 0, 0},
	{"anon", "DELETE /post/1", "", "", http.StatusForbidden, 0, 0},

	// Whether a policy refuses the row or only reading it takes another trip.
	{"ann", "POST /post", `{"data": {"type": "post", "attributes": {"title": "New", "authorId": 2}}}`, "", http.StatusForbidden, 2, 2},
	{"ann", "PATCH /post/1", `{"data": {"type": "post", "id": 1, "attributes": {"authorId": 2}}}`, "", http.StatusForbidden, 2, 2},
	{"ann", "POST /operations", `{"atomic:operations": [
		{"op": "add", "data": {"type": "tag", "attributes": {"name": "new"}}},
		{"op": "update", "data": {"type": "post", "id": 1, "attributes": {"authorId": 2}}}]}`, "", http.StatusForbidden, 2, 2},
}

// TestWritesTakeOneRoundTrip counts messages on the wire: every write is one
// burst with one Sync, the first time on a connection as well as later.
func TestWritesTakeOneRoundTrip(t *testing.T) {
	p := newTap(t)
	s := newSite(t, siteOptions{config: p.tapped(single)})
	s.warmViews(t, "anon", "ann")
	s.asOwner(t, restorable)
	for _, w := range writes {
		t.Run(w.who+" "+w.request, func(t *testing.T) {
			s.pool.Reset() // nothing is prepared on a new connection
			for range 2 {
				a := ask{who: people[w.who], request: w.request, body: w.body, ifMatch: s.tag(t, w)}
				p.reset()
				got, err := s.perform(t.Context(), t, a)
				if err != nil {
					t.Fatal(err)
				}
				if got.status != w.status {
					t.Fatalf("want %d, got %v", w.status, got)
				}
				if got, want := p.reset(), (traffic{asks: w.trips, turns: w.turns}); got != want {
					t.Errorf("%+v, want %+v", got, want)
				}
				if w.status < http.StatusBadRequest {
					s.asOwner(t, "CALL restore()")
				}
			}
		})
	}
}

// tag is what If-Match says.
func (s *site) tag(t *testing.T, w exchanged) string {
	t.Helper()
	switch w.ifMatch {
	case "fresh":
		_, path, _ := strings.Cut(w.request, " ")
		resp, _ := s.request(t, people[w.who], path)
		return resp.Header.Get("ETag")
	case "stale":
		return `"0123456789abcdef0123456789abcdef-0123456789abcdef0123456789abcdef"`
	default:
		return ""
	}
}

// restorable keeps the sample's rows, so that each write finds the same ones.
const restorable = `
CREATE SCHEMA kept;
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['User', 'Profile', 'Post', 'Comment', 'Tag', '_PostToTag', 'Like', 'Revision'] LOOP
		EXECUTE format('CREATE TABLE kept.%I AS SELECT * FROM %I', name, name);
	END LOOP;
END $$;
CREATE PROCEDURE restore() LANGUAGE plpgsql AS $$
DECLARE
	name text;
	columns text;
BEGIN
	TRUNCATE "User", "Profile", "Post", "Comment", "Tag", "_PostToTag", "Like", "Revision";
	FOREACH name IN ARRAY ARRAY['User', 'Profile', 'Tag', 'Post', 'Comment', '_PostToTag', 'Like', 'Revision'] LOOP
		SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
			WHERE attrelid = quote_ident(name)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
		EXECUTE format('INSERT INTO %I (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM kept.%I', name, columns, columns, name);
	END LOOP;
END $$;
`

// TestPreparedWritesAreBounded writes in more forms than a connection keeps
// statements.
func TestPreparedWritesAreBounded(t *testing.T) {
	p := newTap(t)
	s := newSite(t, siteOptions{sql: `
CREATE TABLE wide (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, a int, b int, c int, d int, e int, f int, g int);
GRANT ALL ON wide TO reader;
INSERT INTO wide (id) OVERRIDING SYSTEM VALUE VALUES (1000);
`, config: p.tapped(single)})
	s.warmViews(t, "reader")
	for form := range 128 {
		var attributes []string
		for bit, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
			if form>>bit&1 != 0 {
				attributes = append(attributes, fmt.Sprintf("%q: %d", name, bit))
			}
		}
		members := `"attributes": {` + strings.Join(attributes, ", ") + `}}}`
		p.reset()
		if got := s.answer(t, "POST /wide", `{"data": {"type": "wide", `+members); got.status != http.StatusCreated {
			t.Fatalf("form %d: %v", form, got)
		}
		if got := s.answer(t, "PATCH /wide/1000", `{"data": {"type": "wide", "id": 1000, `+members); got.status != http.StatusOK {
			t.Fatalf("form %d: %v", form, got)
		}
		if got, want := p.reset(), (traffic{asks: 2, turns: 2}); got != want {
			t.Fatalf("form %d: %+v, want %+v", form, got, want)
		}
	}
	conn, err := s.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if n := prepared(t, conn.Conn().PgConn()); n < 100 || n > 128+16 { // some are closed with the next request
		t.Errorf("%s statements are prepared", fmt.Sprint(n))
	}
}

// prepared counts the statements that a connection has prepared.
func prepared(t *testing.T, conn *pgconn.PgConn) int {
	t.Helper()
	results, err := conn.Exec(t.Context(), "SELECT count(*) FROM pg_prepared_statements").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscan(string(results[0].Rows[0][0]), &n); err != nil {
		t.Fatal(err)
	}
	return n
}
