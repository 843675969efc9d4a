package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// fuse makes every table of the library fail: triggers of each kind count, and
// the one whose turn it is raises. Those that are deferred do it at the end of the
// transaction, when every answer has been given.
const fuse = `
CREATE SEQUENCE fuse;
CREATE TABLE burns (at int);
INSERT INTO burns VALUES (0);
CREATE FUNCTION burn() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF nextval('fuse') = (SELECT at FROM burns) THEN
		RAISE EXCEPTION 'xyzzy: % % %', TG_WHEN, TG_OP, TG_TABLE_NAME;
	END IF;
	RETURN CASE WHEN TG_LEVEL = 'STATEMENT' THEN NULL WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
DO $$
DECLARE
	name text;
	form text;
BEGIN
	FOREACH name IN ARRAY ARRAY['author', 'card', 'book', 'page', 'tag', 'book_tag'] LOOP
		FOREACH form IN ARRAY ARRAY['BEFORE|STATEMENT', 'BEFORE|ROW', 'AFTER|ROW', 'AFTER|STATEMENT'] LOOP
			EXECUTE format('CREATE TRIGGER %I %s INSERT OR UPDATE OR DELETE ON %I FOR EACH %s EXECUTE FUNCTION burn()',
				'fuse ' || form, split_part(form, '|', 1), name, split_part(form, '|', 2));
		END LOOP;
		EXECUTE format('CREATE CONSTRAINT TRIGGER deferred AFTER INSERT OR UPDATE OR DELETE ON %I DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION burn()', name);
	END LOOP;
END $$;
`

// light has the fuse burn at the n-th trigger that fires; 0: never.
func light(n int) string {
	return fmt.Sprintf("UPDATE burns SET at = %d; SELECT setval('fuse', 1, false)", n)
}

// A change is a write of the library, and how many of its triggers fire at
// least: five for each row that it writes.
type change struct {
	name    string
	request string
	body    string
	status  int
	fires   int
}

// changes are one write of each kind.
var changes = []change{
	{"create", "POST /tag", `{"data": {"type": "tag", "attributes": {"name": "new"}}}`, http.StatusCreated, 5},
	{"create of defaults alone", "POST /tag", `{"data": {"type": "tag"}}`, http.StatusCreated, 5},
	{"create with to-one", "POST /book", `{"data": {"type": "book", "relationships": {"author": ` + linkage("author", 1) + `}}}`, http.StatusCreated, 5},
	{"create with members over their key", "POST /author",
		`{"data": {"type": "author", "relationships": {"books": ` + identifiers("book", 1, 8) + `, "card": ` + linkage("card", 3) + `}}}`, http.StatusCreated, 5 + 8 + 5},
	{"create with members over a join", "POST /book",
		`{"data": {"type": "book", "relationships": {"tags": ` + identifiers("tag", 1, 2, 3) + `, "author": ` + linkage("author", 2) + `}}}`, http.StatusCreated, 5 + 11},
	{"create with an id", "POST /book", `{"data": {"type": "book", "id": 500, "relationships": {"tags": ` + identifiers("tag", 1) + `}}}`, http.StatusCreated, 10},
	{"update", "PATCH /author/1", `{"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`, http.StatusOK, 5},
	{"update by PUT", "PUT /author/1", `{"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`, http.StatusOK, 5},
	{"update with members replaced", "PATCH /book/1",
		`{"data": {"type": "book", "id": 1, "attributes": {"title": "changed"}, "relationships": {"tags": ` + identifiers("tag", 2, 3, 4) + `}}}`, http.StatusOK, 5 + 5 + 8},
	{"update of members alone", "PATCH /author/1",
		`{"data": {"type": "author", "id": 1, "relationships": {"books": ` + identifiers("book", 3, 4) + `, "card": ` + linkage("card", 2) + `}}}`, http.StatusOK, 8 + 5 + 5 + 5},
	{"update of a to-one", "PATCH /book/1", `{"data": {"type": "book", "id": 1, "relationships": {"author": {"data": null}}}}`, http.StatusOK, 5},
	{"delete", "DELETE /tag/40", "", http.StatusNoContent, 5},
	{"delete with what hangs on it", "DELETE /book/1", "", http.StatusNoContent, 5 + 8 + 8},
	{"delete that sets null", "DELETE /author/1", "", http.StatusNoContent, 5 + 11 + 5},
	{"add over a join", "POST /book/1/relationships/tags", identifiers("tag", 2, 3, 4), http.StatusOK, 8},
	{"add over a join from its other side", "POST /tag/1/relationships/books", identifiers("book", 1, 2, 3), http.StatusOK, 8},
	{"add over their key", "POST /author/1/relationships/books", identifiers("book", 4, 7), http.StatusOK, 8},
	{"add over their required key", "POST /book/1/relationships/pages", identifiers("page", 3, 4), http.StatusOK, 8},
	{"replace over a join", "PATCH /book/1/relationships/tags", identifiers("tag", 3, 4), http.StatusOK, 16},
	{"replace over a join by PUT", "PUT /tag/2/relationships/books", identifiers("book", 3), http.StatusOK, 13},
	{"replace over their key", "PATCH /author/1/relationships/books", identifiers("book", 1, 9), http.StatusOK, 8 + 5},
	{"clear over a join", "PATCH /book/1/relationships/tags", identifiers("tag"), http.StatusOK, 8},
	{"clear over their key", "PATCH /author/1/relationships/books", identifiers("book"), http.StatusOK, 11},
	{"remove over a join", "DELETE /book/1/relationships/tags", identifiers("tag", 1, 2, 7), http.StatusOK, 8},
	{"remove over their key", "DELETE /author/1/relationships/books", identifiers("book", 1, 2), http.StatusOK, 8},
	{"replace a to-one", "PATCH /book/1/relationships/author", linkage("author", 5), http.StatusOK, 5},
	{"replace a to-one at the related path", "PUT /book/1/author", linkage("author", 5), http.StatusOK, 5},
	{"clear a to-one", "PATCH /book/1/relationships/author", `{"data": null}`, http.StatusOK, 5},
	{"replace a to-one over its target's key", "PATCH /author/1/relationships/card", linkage("card", 2), http.StatusOK, 10},
	{"clear a to-one over its target's key", "PATCH /author/1/relationships/card", `{"data": null}`, http.StatusOK, 5},
	{"upsert that inserts", "POST /book",
		`{"data": {"type": "book", "attributes": {"isbn": "isbn-new", "title": "new"}, "relationships": {"tags": ` + identifiers("tag", 1) + `}},
		  "meta": {"operation": "upsert", "matchFields": ["isbn"]}}`, http.StatusCreated, 5 + 5},
	{"upsert that updates", "POST /book",
		`{"data": {"type": "book", "attributes": {"isbn": "isbn-1", "title": "changed"}, "relationships": {"tags": ` + identifiers("tag", 9) + `}},
		  "meta": {"operation": "upsert", "matchFields": ["isbn"]}}`, http.StatusOK, 5 + 8 + 5},
	{"operations", "POST /operations", `{"atomic:operations": [
		{"op": "add", "data": {"type": "author", "lid": "a", "attributes": {"name": "new"}}},
		{"op": "add", "data": {"type": "book", "lid": "b", "relationships": {"author": {"data": {"type": "author", "lid": "a"}}, "tags": ` + identifiers("tag", 1, 2) + `}}},
		{"op": "update", "data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}},
		{"op": "add", "ref": {"type": "author", "id": 2, "relationship": "books"}, "data": [{"type": "book", "lid": "b"}]},
		{"op": "update", "ref": {"type": "book", "id": 2, "relationship": "author"}, "data": null},
		{"op": "remove", "ref": {"type": "book", "id": 1, "relationship": "tags"}, "data": [` + identifier("tag", 1) + `]},
		{"op": "add", "data": {"type": "tag"}},
		{"op": "remove", "ref": {"type": "book", "id": 3}}]}`, http.StatusOK, 5 + 5 + 8 + 5 + 5 + 5 + 5 + 5 + 5},
}

// TestWritesAreAtomic fails each write at each of its firing triggers in turn, up
// to those of the end of its transaction. Nothing is ever half done.
func TestWritesAreAtomic(t *testing.T) {
	s := newLibrary(t, fuse, connections(2))
	before := s.rows(t, dumped)
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			s.burnsDown(t, c, before)
			s.asOwner(t, light(0)+"; CALL fill()")
		})
	}
}

// burnsDown makes the write until the fuse does not reach it any more.
func (s *site) burnsDown(t *testing.T, c change, before string) {
	t.Helper()
	for n := 1; n < 200; n++ {
		s.asOwner(t, light(n))
		got := s.answer(t, c.request, c.body)
		after := s.rows(t, dumped)
		if got.status == c.status {
			if n <= c.fires {
				t.Errorf("%d triggers fired, at least %d should", n-1, c.fires)
			}
			if after == before {
				t.Errorf("it was answered, and changed nothing: %v", got)
			}
			return
		}
		if after != before {
			t.Fatalf("failed at %d, and left something:\n%s\nthere was:\n%s", n, after, before)
		}
		refusedByTrigger(t, got)
		if t.Failed() {
			t.Fatalf("at %d: %v", n, got)
		}
	}
	t.Error("it never succeeds")
}

// refusedByTrigger checks what the client hears of an exception of the database:
// nothing of its text.
func refusedByTrigger(t *testing.T, got *reply) {
	t.Helper()
	var doc struct {
		Errors []struct {
			Code, OrmCode string
			Source        struct{ Pointer string }
		}
	}
	if err := json.Unmarshal([]byte(got.body), &doc); err != nil || len(doc.Errors) != 1 {
		t.Errorf("no error document, %v: %v", err, got)
		return
	}
	if e := doc.Errors[0]; got.status != http.StatusBadRequest || e.Code != "query-error" || e.OrmCode != "P0001" {
		t.Errorf("not a query error: %v", got)
	}
	if got.header.Get("Location") != "" || got.header.Get("ETag") != "" {
		t.Errorf("an error has the headers of success: %v", got.header)
	}
	if strings.Contains(got.body, "xyzzy") {
		t.Errorf("the error tells the database's own words: %v", got)
	}
}

// TestAnswersWaitForTheEnd lets the end of the transaction fail for other
// reasons: a foreign key and a unique key that are checked only then.
func TestAnswersWaitForTheEnd(t *testing.T) {
	s := newLibrary(t, `
ALTER TABLE book ADD CONSTRAINT late_isbn UNIQUE (title) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE card ADD "nextId" int REFERENCES card DEFERRABLE INITIALLY DEFERRED;
UPDATE card SET "nextId" = 2 WHERE id = 1;
`, connections(1))
	before := s.rows(t, dumped)
	for _, c := range []struct {
		request, body string
		status        int
		says          string
	}{
		{"PATCH /book/1", `{"data": {"type": "book", "id": 1, "attributes": {"title": "book 2"}}}`, http.StatusConflict, `"source":{"pointer":"/data/attributes/title"},"ormCode":"23505"`},
		{"POST /book", `{"data": {"type": "book", "attributes": {"title": "book 2"}, "relationships": {"tags": ` + identifiers("tag", 1) + `}}}`, http.StatusConflict, `"source":{"pointer":"/data/attributes/title"},"ormCode":"23505"`},
		{"DELETE /card/2", "", http.StatusConflict, `"code":"conflict"`},
		{"POST /operations", `{"atomic:operations": [
			{"op": "update", "data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}},
			{"op": "update", "data": {"type": "book", "id": 1, "attributes": {"title": "book 2"}}}]}`, http.StatusConflict, `"source":{"pointer":"/atomic:operations/1/data/attributes/title"}`},
	} {
		got := s.answer(t, c.request, c.body)
		if got.status != c.status || !strings.Contains(got.body, c.says) {
			t.Errorf("%s: want %d, %s, got %v", c.request, c.status, c.says, got)
		}
		if after := s.rows(t, dumped); after != before {
			t.Fatalf("%s: left something:\n%s", c.request, after)
		}
	}
}
