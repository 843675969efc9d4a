package integration

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// A race is writes that wait, in their order, for a transaction that holds what
// they need, and what is there when all have gone on.
type race struct {
	name   string
	holds  string   // what the transaction has done
	then   string   // how it ends; ROLLBACK if empty
	asks   []string // each a request and its body
	want   []string // each a status, and what the document says
	sql    string   // a query
	leaves string   // its rows, in one line
}

const (
	tagsOf1   = `SELECT string_agg("tagId"::text, ',' ORDER BY "tagId") FROM book_tag WHERE "bookId" = 1`
	booksOf1  = `SELECT string_agg(id::text, ',' ORDER BY id) FROM book WHERE "authorId" = 1`
	cards     = `SELECT string_agg(coalesce("authorId"::text, '-'), ',' ORDER BY id) FROM card`
	author1   = `SELECT name || ' ' || version FROM author WHERE id = 1`
	lockLinks = `LOCK TABLE book_tag IN SHARE MODE`
	lockBooks = `LOCK TABLE book IN SHARE MODE`
	lockCards = `LOCK TABLE card IN SHARE MODE`
	lock1     = `SELECT FROM author WHERE id = 1 FOR UPDATE`
	tags1     = "/book/1/relationships/tags "
	books1    = "/author/1/relationships/books "
	notFound  = `404 "code":"not-found"`
	noTarget  = `404 "code":"related-not-found"`
)

var races = []race{
	// One member is added twice.
	{"add, add", lockLinks, "", []string{"POST " + tags1 + identifiers("tag", 5), "POST " + tags1 + identifiers("tag", 5)}, []string{"200", "200"}, tagsOf1, "1,2,5"},
	{"add, add, from both sides", lockLinks, "", []string{"POST " + tags1 + identifiers("tag", 5), "POST /tag/5/relationships/books " + identifiers("book", 1)}, []string{"200", "200"}, tagsOf1, "1,2,5"},
	{"add what another has added", `INSERT INTO book_tag VALUES (1, 5)`, "COMMIT", []string{"POST " + tags1 + identifiers("tag", 4, 5)}, []string{"200"}, tagsOf1, "1,2,4,5"},
	{"add what another has not", `INSERT INTO book_tag VALUES (1, 5)`, "ROLLBACK", []string{"POST " + tags1 + identifiers("tag", 4, 5)}, []string{"200"}, tagsOf1, "1,2,4,5"},
	{"add what another removes", `DELETE FROM book_tag WHERE "tagId" = 1`, "COMMIT", []string{"PATCH " + tags1 + identifiers("tag", 3)}, []string{"200"}, tagsOf1, "3"},
	{"add, add, over their key", lockBooks, "", []string{"POST " + books1 + identifiers("book", 7), "POST " + books1 + identifiers("book", 7, 8)}, []string{"200", "200"}, booksOf1, "1,2,3,7,8"},
	{"add what another takes", `UPDATE book SET "authorId" = 3 WHERE id = 7`, "COMMIT", []string{"POST " + books1 + identifiers("book", 7)}, []string{"200"}, booksOf1, "1,2,3,7"},

	// A set is replaced.
	{"replace, add", lockLinks, "", []string{"PATCH " + tags1 + identifiers("tag", 3), "POST " + tags1 + identifiers("tag", 4)}, []string{"200", "200"}, tagsOf1, "3,4"},
	{"add, replace", lockLinks, "", []string{"POST " + tags1 + identifiers("tag", 4), "PATCH " + tags1 + identifiers("tag", 3)}, []string{"200", "200"}, tagsOf1, "3"},
	{"replace, replace", lockLinks, "", []string{"PATCH " + tags1 + identifiers("tag", 3, 4), "PUT " + tags1 + identifiers("tag", 5, 6)}, []string{"200", "200"}, tagsOf1, "5,6"},
	{"replace, clear", lockLinks, "", []string{"PATCH " + tags1 + identifiers("tag", 3, 4), "PATCH " + tags1 + identifiers("tag")}, []string{"200", "200"}, tagsOf1, "NULL"},
	{"replace, remove", lockLinks, "", []string{"PATCH " + tags1 + identifiers("tag", 3, 4), "DELETE " + tags1 + identifiers("tag", 3)}, []string{"200", "200"}, tagsOf1, "4"},
	{"replace, update with members", lockLinks, "", []string{"PATCH " + tags1 + identifiers("tag", 3, 4),
		`PATCH /book/1 {"data": {"type": "book", "id": 1, "relationships": {"tags": ` + identifiers("tag", 5) + `}}}`}, []string{"200", "200"}, tagsOf1, "5"},
	{"replace, add, over their key", lockBooks, "", []string{"PATCH " + books1 + identifiers("book", 7), "POST " + books1 + identifiers("book", 8)}, []string{"200", "200"}, booksOf1, "7,8"},
	{"add, replace, over their key", lockBooks, "", []string{"POST " + books1 + identifiers("book", 7), "PATCH " + books1 + identifiers("book", 8)}, []string{"200", "200"}, booksOf1, "8"},
	{"replace, replace, over their key", lockBooks, "", []string{"PATCH " + books1 + identifiers("book", 7, 8), "PATCH " + books1 + identifiers("book", 9, 1)}, []string{"200", "200"}, booksOf1, "1,9"},
	{"clear what another takes", `UPDATE book SET "authorId" = 2 WHERE id = 1`, "COMMIT", []string{"PATCH " + books1 + identifiers("book")}, []string{"200"},
		`SELECT string_agg(coalesce("authorId"::text, '-'), ',' ORDER BY id) FROM book WHERE id <= 4`, "2,-,-,2"},
	{"clear what another deletes", `DELETE FROM book WHERE id = 1`, "COMMIT", []string{"PATCH " + books1 + identifiers("book")}, []string{"200"}, booksOf1, "NULL"},
	{"clear what another makes anew", `DELETE FROM book_tag WHERE "bookId" = 1; INSERT INTO book_tag VALUES (1, 1)`, "COMMIT", []string{"PATCH " + tags1 + identifiers("tag")}, []string{"200"}, tagsOf1, "NULL"},
	{"clear what another takes and gives back", `UPDATE book SET "authorId" = NULL WHERE id = 1; UPDATE book SET "authorId" = 1 WHERE id = 1`, "COMMIT", []string{"PATCH " + books1 + identifiers("book")}, []string{"200"}, booksOf1, "NULL"},
	{"remove what another removes", `DELETE FROM book_tag WHERE "bookId" = 1`, "COMMIT", []string{"DELETE " + tags1 + identifiers("tag", 1)}, []string{"200"}, tagsOf1, "NULL"},

	// A to-one is replaced.
	{"take one card for two", `SELECT FROM card WHERE id = 3 FOR UPDATE`, "", []string{"PATCH /author/1/relationships/card " + linkage("card", 3), "PATCH /author/2/relationships/card " + linkage("card", 3)}, []string{"200", "200"}, cards, "-,-,2,-"},
	{"take two cards for one", lockCards, "", []string{"PATCH /author/1/relationships/card " + linkage("card", 3), "PATCH /author/1/relationships/card " + linkage("card", 4)}, []string{"200", "200"}, cards, "-,2,-,1"},
	{"take a card that another takes", `UPDATE card SET "authorId" = 9 WHERE id = 3`, "COMMIT", []string{"PATCH /author/1/relationships/card " + linkage("card", 3)}, []string{"200"}, cards, "-,2,1,-"},
	{"to-one, to-one", `SELECT FROM book WHERE id = 1 FOR UPDATE`, "", []string{"PATCH /book/1/relationships/author " + linkage("author", 3), "PATCH /book/1/relationships/author " + linkage("author", 4)}, []string{"200", "200"},
		`SELECT "authorId" FROM book WHERE id = 1`, "4"},

	// Members and parents go.
	{"add a member that another deletes", `DELETE FROM tag WHERE id = 5`, "COMMIT", []string{"POST " + tags1 + identifiers("tag", 5)}, []string{noTarget}, tagsOf1, "1,2"},
	{"add a member that another does not delete", `DELETE FROM tag WHERE id = 5`, "ROLLBACK", []string{"POST " + tags1 + identifiers("tag", 5)}, []string{"200"}, tagsOf1, "1,2,5"},
	{"add a member that another deletes, over its key", `DELETE FROM book WHERE id = 7`, "COMMIT", []string{"POST " + books1 + identifiers("book", 7)}, []string{noTarget}, booksOf1, "1,2,3"},
	{"refer to what another deletes", `DELETE FROM author WHERE id = 9`, "COMMIT", []string{"PATCH /book/1/relationships/author " + linkage("author", 9)}, []string{noTarget}, `SELECT "authorId" FROM book WHERE id = 1`, "1"},
	{"create with what another deletes", `DELETE FROM author WHERE id = 9`, "COMMIT", []string{`POST /book {"data": {"type": "book", "id": 500, "relationships": {"author": ` + linkage("author", 9) + `}}}`},
		[]string{noTarget + ` "pointer":"/data/relationships/author/data/id"`}, `SELECT count(*) FROM book WHERE id = 500`, "0"},
	{"create with a member that another deletes", `DELETE FROM tag WHERE id = 5`, "COMMIT", []string{`POST /book {"data": {"type": "book", "id": 500, "relationships": {"tags": ` + identifiers("tag", 5) + `}}}`},
		[]string{noTarget + ` "pointer":"/data/relationships/tags/data`}, `SELECT count(*) FROM book WHERE id = 500`, "0"},
	{"delete, add", lockLinks, "", []string{"DELETE /tag/5 ", "POST " + tags1 + identifiers("tag", 5)}, []string{"204", noTarget}, tagsOf1, "1,2"},
	{"add to what another deletes", `DELETE FROM book WHERE id = 1`, "COMMIT", []string{"POST " + tags1 + identifiers("tag", 5)}, []string{notFound}, tagsOf1, "NULL"},
	{"add to what another deletes, over their key", `DELETE FROM author WHERE id = 1`, "COMMIT", []string{"POST " + books1 + identifiers("book", 7)}, []string{notFound}, booksOf1, "NULL"},
	{"replace where another deletes", `DELETE FROM book WHERE id = 1`, "COMMIT", []string{"PATCH " + tags1 + identifiers("tag", 1, 5)}, []string{notFound}, tagsOf1, "NULL"},
	{"clear where another deletes", `DELETE FROM book WHERE id = 1`, "COMMIT", []string{"PATCH " + tags1 + identifiers("tag")}, []string{notFound}, tagsOf1, "NULL"},
	{"clear where another deletes, over their key", `DELETE FROM author WHERE id = 1`, "COMMIT", []string{"PATCH " + books1 + identifiers("book")}, []string{notFound}, booksOf1, "NULL"},
	{"remove where another deletes", `DELETE FROM book WHERE id = 1`, "COMMIT", []string{"DELETE " + tags1 + identifiers("tag", 1)}, []string{notFound}, tagsOf1, "NULL"},
	{"take a card where another deletes", `DELETE FROM author WHERE id = 1`, "COMMIT", []string{"PATCH /author/1/relationships/card " + linkage("card", 3)}, []string{notFound}, cards, "-,2,-,-"},
	{"operate on what another deletes", `DELETE FROM book WHERE id = 1`, "COMMIT", []string{`POST /operations {"atomic:operations": [
		{"op": "update", "data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}},
		{"op": "add", "ref": {"type": "book", "id": 1, "relationship": "tags"}, "data": [` + identifier("tag", 5) + `]}]}`},
		[]string{notFound + ` "pointer":"/atomic:operations/1`}, author1, "author 1 0"},

	// One row is written twice.
	{"update, update", lock1, "", []string{`PATCH /author/1 {"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`,
		`PATCH /author/1 {"data": {"type": "author", "id": 1, "attributes": {"version": 7}}}`}, []string{`200 "name":"changed"`, `200 "name":"changed" "version":7`}, author1, "changed 7"},
	{"update what another has updated", `UPDATE author SET version = 3 WHERE id = 1`, "COMMIT", []string{`PATCH /author/1 {"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`},
		[]string{`200 "version":3`}, author1, "changed 3"},
	{"update what another deletes", `DELETE FROM author WHERE id = 1`, "COMMIT", []string{`PATCH /author/1 {"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`}, []string{notFound}, author1, "none"},
	{"update, delete", lock1, "", []string{`PATCH /author/1 {"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`, "DELETE /author/1 "}, []string{"200", "204"}, author1, "none"},
	{"delete, update", lock1, "", []string{"DELETE /author/1 ", `PATCH /author/1 {"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`}, []string{"204", notFound}, author1, "none"},
	{"delete, delete", lock1, "", []string{"DELETE /author/1 ", "DELETE /author/1 "}, []string{"204", notFound}, author1, "none"},

	// One key is taken by another; see TestOneKeyIsTakenOnce for two of ours.
	{"upsert what another has created", `INSERT INTO book (isbn, title) VALUES ('new', 'theirs')`, "COMMIT", []string{upserted("ours")}, []string{`200 "title":"ours"`}, `SELECT title FROM book WHERE isbn = 'new'`, "ours"},
	{"upsert what another has not created", `INSERT INTO book (isbn, title) VALUES ('new', 'theirs')`, "ROLLBACK", []string{upserted("ours")}, []string{"201"}, `SELECT title FROM book WHERE isbn = 'new'`, "ours"},
	{"upsert what another deletes", `DELETE FROM book WHERE id = 9; UPDATE book SET isbn = 'new' WHERE id = 8`, "COMMIT", []string{upserted("ours")}, []string{`200 "id":8`}, `SELECT title FROM book WHERE isbn = 'new'`, "ours"},
}

func upserted(title string) string {
	return `POST /book {"data": {"type": "book", "attributes": {"isbn": "new", "title": "` + title + `"}}, "meta": {"operation": "upsert", "matchFields": ["isbn"]}}`
}

// TestRaces has writes meet each other, and another client, at the one moment
// that matters.
func TestRaces(t *testing.T) {
	s := newLibrary(t, "", connections(4))
	for _, r := range races {
		t.Run(r.name, func(t *testing.T) {
			defer s.asOwner(t, "CALL fill()")
			block := s.block(t, r.holds)
			var coming []<-chan *reply
			for i, a := range r.asks {
				request, body := requestOf(a)
				coming = append(coming, s.begin(t, i+1, ask{who: people["reader"], request: request, body: body}))
			}
			block.end(t, r.then)
			for i, want := range r.want {
				expect(t, r.asks[i], <-coming[i], want)
			}
			if got := strings.TrimSpace(s.rows(t, r.sql)); got != r.leaves {
				t.Errorf("there is %s, want %s", got, r.leaves)
			}
		})
	}
}

// TestOneKeyIsTakenOnce creates one resource twice at once. Which request is
// first is a matter of chance.
func TestOneKeyIsTakenOnce(t *testing.T) {
	s := newLibrary(t, "", connections(4))
	const one = `POST /book {"data": {"type": "book", "id": 500}}`
	for _, c := range []struct {
		asks     [2]string
		statuses []int
		says     string
	}{
		{[2]string{one, one}, []int{http.StatusCreated, http.StatusConflict}, `409 "code":"conflict" "pointer":"/data/id"`},
		{[2]string{upserted("one"), upserted("other")}, []int{http.StatusOK, http.StatusCreated}, `200 "isbn":"new"`},
	} {
		block := s.block(t, lockBooks)
		var coming []<-chan *reply
		for i, a := range c.asks {
			request, body := requestOf(a)
			coming = append(coming, s.begin(t, i+1, ask{who: people["reader"], request: request, body: body}))
		}
		block.end(t, "")
		got := []*reply{<-coming[0], <-coming[1]}
		slices.SortFunc(got, func(a, b *reply) int { return a.status - b.status })
		if got[0].status != c.statuses[0] || got[1].status != c.statuses[1] {
			t.Errorf("%s: %v, %v", c.asks[0], got[0], got[1])
		}
		for _, r := range got {
			if strings.HasPrefix(c.says, fmt.Sprint(r.status)) {
				expect(t, c.asks[0], r, c.says)
			}
		}
		s.asOwner(t, "CALL fill()")
	}
}

// TestOneTagLetsOneThrough has two writers of one state of a row.
func TestOneTagLetsOneThrough(t *testing.T) {
	s := newLibrary(t, "", connections(4))
	renamed := `{"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`
	counted := `{"data": {"type": "author", "id": 1, "attributes": {"version": 1}}}`
	for _, c := range []struct {
		first, second, body, leaves string
		status                      int
	}{
		{"PATCH /author/1", "PATCH /author/1", renamed, "changed 0", http.StatusOK},
		{"PATCH /author/1", "DELETE /author/1", renamed, "changed 0", http.StatusOK},
		{"DELETE /author/1", "PATCH /author/1", "", "none", http.StatusNoContent},
		{"DELETE /author/1", "DELETE /author/1", "", "none", http.StatusNoContent},
	} {
		resp, _ := s.request(t, people["reader"], "/author/1")
		block := s.block(t, lock1)
		first := s.begin(t, 1, ask{people["reader"], c.first, c.body, resp.Header.Get("ETag")})
		second := s.begin(t, 2, ask{people["reader"], c.second, counted, resp.Header.Get("ETag")})
		block.end(t, "")
		if got := <-first; got.status != c.status {
			t.Errorf("%s: %v", c.first, got)
		}
		status := http.StatusPreconditionFailed
		if c.leaves == "none" {
			status = http.StatusNotFound
		}
		if got := <-second; got.status != status {
			t.Errorf("%s after %s: want %d, got %v", c.second, c.first, status, got)
		}
		if got := strings.TrimSpace(s.rows(t, author1)); got != c.leaves {
			t.Errorf("%s after %s: there is %s, want %s", c.second, c.first, got, c.leaves)
		}
		s.asOwner(t, "CALL fill()")
	}
}

// TestLookedUpHasGone links to a row by a column that is not its id, and that row
// goes between the check and the write. A request before has the statements
// prepared, so that only the write waits.
func TestLookedUpHasGone(t *testing.T) {
	s := newLibrary(t, `
CREATE TABLE shelf (id int PRIMARY KEY, code text NOT NULL UNIQUE, label text UNIQUE);
CREATE TABLE box (id int PRIMARY KEY, shelf_code text REFERENCES shelf (code));
CREATE TABLE crate (id int PRIMARY KEY, shelf_label text REFERENCES shelf (label));
GRANT ALL ON shelf, box, crate TO reader;
INSERT INTO shelf VALUES (1, 'a', 'A'), (2, 'b', 'B'), (3, 'c', 'C');
INSERT INTO box VALUES (1, 'a');
INSERT INTO crate VALUES (1, 'A')`, connections(1))
	for _, c := range []struct {
		typ, column, leaves string
		shelf               int
	}{
		{"box", "shelf_code", "a", 2},
		{"crate", "shelf_label", "A", 3},
	} {
		change := ask{who: people["reader"], request: "PATCH /" + c.typ + "/1", body: fmt.Sprintf(
			`{"data": {"type": %q, "id": 1, "relationships": {"shelf": %s}}}`, c.typ, linkage("shelf", 1))}
		expect(t, change.request, <-s.begin(t, 0, change), "200")
		change.body = strings.Replace(change.body, linkage("shelf", 1), linkage("shelf", c.shelf), 1)
		block := s.block(t, fmt.Sprintf("LOCK TABLE %s IN SHARE MODE; DELETE FROM shelf WHERE id = %d", c.typ, c.shelf))
		coming := s.begin(t, 1, change)
		block.end(t, "COMMIT")
		expect(t, change.request, <-coming, noTarget+` "pointer":"/data/relationships/shelf/data/id"`)
		if got := strings.TrimSpace(s.rows(t, "SELECT "+c.column+" FROM "+c.typ)); got != c.leaves {
			t.Errorf("%s: there is %s, want %s", change.request, got, c.leaves)
		}
	}
}

// TestTargetIsHiddenMeanwhile links to a row that is hidden from the caller between
// the check and the write, as an attribute and as a relationship, and by an update
// that waits for its row to see which links it may leave as they are.
func TestTargetIsHiddenMeanwhile(t *testing.T) {
	s := newLibrary(t, `
CREATE TABLE shelf (hall int, place int, seen bool, PRIMARY KEY (hall, place));
CREATE TABLE box (id int PRIMARY KEY, hall int NOT NULL, shelf_id int, FOREIGN KEY (hall, shelf_id) REFERENCES shelf);
INSERT INTO shelf VALUES (1, 1, true), (1, 2, true);
INSERT INTO box VALUES (1, 1, NULL);
ALTER TABLE shelf ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON shelf TO reader USING (seen);
GRANT ALL ON shelf, box TO reader`, connections(2))
	for body, pointer := range map[string]string{
		`{"data": {"type": "box", "id": 1, "attributes": {"hall": 1, "shelf_id": 1}}}`:                             "/data/attributes/hall",
		`{"data": {"type": "box", "id": 1, "attributes": {"shelf_id": 1}}}`:                                        "/data/attributes/shelf_id",
		`{"data": {"type": "box", "id": 1, "relationships": {"shelf": {"data": {"type": "shelf", "id": "1_1"}}}}}`: "/data/relationships/shelf/data/id",
	} {
		block := s.block(t, "SELECT FROM box WHERE id = 1 FOR UPDATE; UPDATE shelf SET seen = false WHERE place = 1")
		coming := s.begin(t, 1, ask{who: people["reader"], request: "PATCH /box/1", body: body})
		block.end(t, "COMMIT")
		expect(t, body, <-coming, noTarget+` "pointer":"`+pointer+`"`)
		if got := strings.TrimSpace(s.rows(t, "SELECT coalesce(shelf_id, 0) FROM box")); got != "0" {
			t.Errorf("%s: it is linked to %s", body, got)
		}
		s.run(t, "UPDATE shelf SET seen = true")
	}
}

// requestOf takes `POST /path {...}` apart.
func requestOf(a string) (request, body string) {
	method, rest, _ := strings.Cut(a, " ")
	path, body, _ := strings.Cut(rest, " ")
	return method + " " + path, body
}

// expect checks a reply: its status, and what the document says.
func expect(t *testing.T, request string, got *reply, want string) {
	t.Helper()
	status, says, _ := strings.Cut(want, " ")
	if !strings.HasPrefix(got.String(), status) {
		t.Errorf("%s: want %s, got %v", request, want, got)
		return
	}
	for _, word := range strings.Fields(says) {
		if !strings.Contains(got.body, word) {
			t.Errorf("%s: want %s, got %v", request, word, got)
		}
	}
}

// A block is a transaction of the superuser's that others wait for.
type block struct{ conn *pgconn.PgConn }

func (s *site) block(t *testing.T, sql string) *block {
	t.Helper()
	conn := s.owner(t)
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "BEGIN; "+sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return &block{conn}
}

func (b *block) end(t *testing.T, sql string) {
	t.Helper()
	if sql == "" {
		sql = "ROLLBACK"
	}
	if _, err := b.conn.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// waiting counts the requests that wait for a lock.
const waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

// begin sends a request and returns when it is the n-th that waits for a lock.
func (s *site) begin(t *testing.T, n int, a ask) <-chan *reply {
	t.Helper()
	coming := make(chan *reply, 1)
	go func() {
		got, err := s.perform(t.Context(), t, a)
		if err != nil {
			t.Errorf("%s: %v", a.request, err)
			got = &reply{}
		}
		coming <- got
	}()
	s.waits(t, n)
	return coming
}

func (s *site) waits(t *testing.T, n int) {
	t.Helper()
	conn := s.owner(t)
	defer conn.Close(context.Background())
	if !eventually(t, conn, waiting, n) {
		t.Errorf("%s requests wait, want %d", strings.TrimSpace(s.rows(t, waiting)), n)
	}
}
