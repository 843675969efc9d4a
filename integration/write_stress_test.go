package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// stressVariable says how long the crowd writes, as 20s; else it is briefly.
const stressVariable = "RESOURCERY_TEST_STRESS"

// A crowd is clients that write to a few rows at once.
type crowd struct {
	site    *site
	t       *testing.T
	ctx     context.Context
	counted atomic.Int64 // how often If-Match let an increment through
}

// A member of the crowd takes its n-th step.
type walker func(c *crowd, n int)

// crowded are rows that clients have for themselves beside those of the library.
const crowded = `
INSERT INTO book (id, title, "authorId") SELECT i, 'own ' || i, CASE WHEN i IN (31, 32) THEN 2 END FROM generate_series(21, 39) AS i;
INSERT INTO author (id, name, version) VALUES (20, 'counted', 0);
INSERT INTO book_tag VALUES (5, 31), (5, 32);
`

// TestCrowd lets sixteen clients write to the same few rows. No request fails,
// and what a client alone decides is always as it left it.
func TestCrowd(t *testing.T) {
	s := newLibrary(t, crowded, connections(8))
	ctx, cancel := context.WithTimeout(t.Context(), stressTime(t))
	defer cancel()
	c := &crowd{site: s, t: t, ctx: ctx}
	clients := []walker{
		linksOwn(10), linksOwn(11), linksOwn(12), linksOwnFromItsSide(13),
		gathersOwn(21), gathersOwn(22), takesAway(23),
		replaces("/book/5/relationships/tags", "tag", 31), replaces("/book/5/relationships/tags", "tag", 33), replacesInUpdate(35),
		replaces("/author/2/relationships/books", "book", 31), replaces("/author/2/relationships/books", "book", 33),
		swapsCards, swapsCards,
		counts, counts,
		changes5, comesAndGoes, joinsWhatGoes,
	}
	steps := make([]int, len(clients))
	var crowd sync.WaitGroup
	for i, take := range clients {
		crowd.Go(func() {
			for ctx.Err() == nil && !t.Failed() {
				take(c, steps[i])
				steps[i]++
			}
		})
	}
	crowd.Wait()
	t.Logf("steps: %v; %d counted", steps, c.counted.Load())
	if slices.Min(steps) < 5 {
		t.Errorf("clients took %v steps: nothing was shown", steps)
	}
	c.isSound()
}

func stressTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(stressVariable)
	if text == "" {
		return 3 * time.Second
	}
	return duration(t, text)
}

// do sends a request, whose status is one of those allowed; nil: the time is
// over.
func (c *crowd) do(request, body string, allowed ...int) *reply {
	return c.send(ask{who: people["reader"], request: request, body: body}, allowed...)
}

func (c *crowd) send(a ask, allowed ...int) *reply {
	if c.ctx.Err() != nil {
		return nil
	}
	got, err := c.site.perform(c.t.Context(), c.t, a) // what has begun comes to its end
	if err != nil {
		c.t.Errorf("%s: %v", a.request, err)
		return nil
	}
	if !slices.Contains(allowed, got.status) {
		c.t.Errorf("%s %s: want one of %v, got %v", a.request, a.body, allowed, got)
		return nil
	}
	return got
}

// ids are those of a linkage, each of which it has once.
func (c *crowd) ids(r *reply) []int {
	var doc struct{ Data []struct{ ID int } }
	if err := json.Unmarshal([]byte(r.body), &doc); err != nil {
		c.t.Errorf("%v: %v", err, r)
	}
	var out []int
	for _, d := range doc.Data {
		if slices.Contains(out, d.ID) {
			c.t.Errorf("%d is there twice: %v", d.ID, r)
		}
		out = append(out, d.ID)
	}
	slices.Sort(out)
	return out
}

// holds checks whether a linkage has a member, in an answer and asked again.
func (c *crowd) holds(path string, answered *reply, id int, want bool) {
	for _, r := range []*reply{answered, c.do("GET "+path, "", http.StatusOK)} {
		if r != nil && slices.Contains(c.ids(r), id) != want {
			c.t.Errorf("%s: %d is a member: %v, want %v", path, id, !want, want)
		}
	}
}

// toggles adds and removes one member that nobody else touches.
func (c *crowd) toggles(n int, path, typ string, id int) {
	method := []string{"POST ", "DELETE "}[n%2]
	if got := c.do(method+path, identifiers(typ, id), http.StatusOK); got != nil {
		c.holds(path, got, id, n%2 == 0)
	}
}

func linksOwn(tag int) walker {
	return func(c *crowd, n int) { c.toggles(n, "/book/1/relationships/tags", "tag", tag) }
}

// linksOwnFromItsSide takes part in book 1 from the other side.
func linksOwnFromItsSide(tag int) walker {
	return func(c *crowd, n int) {
		path := fmt.Sprintf("/tag/%d/relationships/books", tag)
		body := []string{identifiers("book", 1, 2, 3), identifiers("book", 3), identifiers("book")}[n%3]
		want := [][]int{{1, 2, 3}, {3}, nil}[n%3]
		if got := c.do("PATCH "+path, body, http.StatusOK); got != nil && !slices.Equal(c.ids(got), want) {
			c.t.Errorf("%s: %v, want %v", path, c.ids(got), want)
		}
		if got := c.do("GET /book/1/relationships/tags", "", http.StatusOK); got != nil && slices.Contains(c.ids(got), tag) != (n%3 == 0) {
			c.t.Errorf("from the other side, %d is a member: %v", tag, n%3 != 0)
		}
	}
}

// gathersOwn adds and removes over the member's own foreign key.
func gathersOwn(book int) walker {
	return func(c *crowd, n int) { c.toggles(n, "/author/1/relationships/books", "book", book) }
}

// takesAway moves one member between two.
func takesAway(book int) walker {
	return func(c *crowd, n int) {
		path := fmt.Sprintf("/author/%d/relationships/books", 1+2*(n%2))
		if got := c.do("POST "+path, identifiers("book", book), http.StatusOK); got != nil {
			c.holds(path, got, book, true)
		}
		if got := c.do("GET /author/"+fmt.Sprint(3-2*(n%2))+"/relationships/books", "", http.StatusOK); got != nil && slices.Contains(c.ids(got), book) {
			c.t.Errorf("%d is a member of both", book)
		}
	}
}

// replaces sets a pair of members, of which everybody has one: there is always
// one of the pairs, and never two.
func replaces(path, typ string, first int) walker {
	return func(c *crowd, n int) {
		method := []string{"PATCH ", "PUT "}[n%2]
		got := c.do(method+path, identifiers(typ, first, first+1), http.StatusOK)
		if got != nil && !slices.Equal(c.ids(got), []int{first, first + 1}) {
			c.t.Errorf("%s: %v, want %d and the next", path, c.ids(got), first)
		}
		c.isPair(path)
	}
}

// replacesInUpdate does so together with an attribute.
func replacesInUpdate(first int) walker {
	return func(c *crowd, n int) {
		c.do("PATCH /book/5", fmt.Sprintf(`{"data": {"type": "book", "id": 5, "attributes": {"title": "%d"}, "relationships": {"tags": %s}}}`,
			n, identifiers("tag", first, first+1)), http.StatusOK)
		c.isPair("/book/5/relationships/tags")
	}
}

func (c *crowd) isPair(path string) {
	got := c.do("GET "+path, "", http.StatusOK)
	if got == nil {
		return
	}
	if ids := c.ids(got); len(ids) != 2 || ids[0]%2 != 1 || ids[1] != ids[0]+1 {
		c.t.Errorf("%s: %v is no pair", path, ids)
	}
}

// swapsCards gives two cards to two authors and takes them away. A card may be
// taken by an update of its own in between.
func swapsCards(c *crowd, n int) {
	path := fmt.Sprintf("/author/%d/relationships/card", 3+n%2)
	switch n % 5 {
	case 4:
		c.do("PATCH "+path, `{"data": null}`, http.StatusOK)
	case 3:
		c.do("PATCH /card/3/relationships/author", linkage("author", 3+n%2), http.StatusOK, http.StatusConflict)
	default:
		c.do("PATCH "+path, linkage("card", 3+n/2%2), http.StatusOK, http.StatusConflict)
	}
}

// counts increments what it has read, unless another was faster.
func counts(c *crowd, _ int) {
	read := c.do("GET /author/20", "", http.StatusOK)
	if read == nil {
		return
	}
	var doc struct {
		Data struct{ Attributes struct{ Version int } }
	}
	if err := json.Unmarshal([]byte(read.body), &doc); err != nil {
		c.t.Error(err)
		return
	}
	body := fmt.Sprintf(`{"data": {"type": "author", "id": 20, "attributes": {"version": %d}}}`, doc.Data.Attributes.Version+1)
	got := c.send(ask{people["reader"], "PATCH /author/20", body, read.header.Get("ETag")}, http.StatusOK, http.StatusPreconditionFailed)
	if got != nil && got.status == http.StatusOK {
		c.counted.Add(1)
	}
}

// changes5 updates the row whose members others replace.
func changes5(c *crowd, n int) {
	switch n % 3 {
	case 0:
		c.do("PATCH /book/5", fmt.Sprintf(`{"data": {"type": "book", "id": 5, "attributes": {"isbn": "%d"}}}`, n), http.StatusOK)
	case 1:
		c.do("PATCH /book/5/relationships/author", linkage("author", 5+n%4), http.StatusOK)
	default:
		c.do("PATCH /book/5/relationships/author", `{"data": null}`, http.StatusOK)
	}
}

// comesAndGoes creates and deletes what others link to.
func comesAndGoes(c *crowd, n int) {
	if n%2 == 0 {
		c.do("POST /book", `{"data": {"type": "book", "id": 500, "relationships": {"author": `+linkage("author", 1)+`, "tags": `+identifiers("tag", 10, 11, 39)+`}}}`,
			http.StatusCreated)
		c.do("POST /tag", `{"data": {"type": "tag", "id": 500, "relationships": {"books": `+identifiers("book", 1, 500)+`}}}`, http.StatusCreated)
		return
	}
	c.do("DELETE /book/500", "", http.StatusNoContent)
	c.do("DELETE /tag/500", "", http.StatusNoContent)
}

// joinsWhatGoes links what comes and goes.
func joinsWhatGoes(c *crowd, n int) {
	found := []int{http.StatusOK, http.StatusNotFound}
	switch n % 6 {
	case 0:
		c.do("POST /book/500/relationships/tags", identifiers("tag", 38, 39), found...)
	case 1:
		c.do("PATCH /book/500/relationships/tags", identifiers("tag"), found...)
	case 2:
		c.do("POST /author/4/relationships/books", identifiers("book", 500), found...)
	case 3:
		c.do("POST /book/4/relationships/tags", identifiers("tag", 500), found...)
	case 4:
		c.do("DELETE /book/4/relationships/tags", identifiers("tag", 500), found...)
	default:
		c.do("POST /operations", `{"atomic:operations": [
			{"op": "add", "ref": {"type": "book", "id": 4, "relationship": "tags"}, "data": [`+identifier("tag", 500)+`]},
			{"op": "update", "ref": {"type": "book", "id": 500, "relationship": "author"}, "data": `+identifier("author", 4)+`}]}`, http.StatusOK, http.StatusNoContent, http.StatusNotFound)
	}
}

// isSound looks at what is left.
func (c *crowd) isSound() {
	c.t.Helper()
	for sql, want := range map[string]string{
		`SELECT count(*) FROM book_tag j LEFT JOIN book b ON b.id = j."bookId" LEFT JOIN tag g ON g.id = j."tagId" WHERE b.id IS NULL OR g.id IS NULL`: "0",
		`SELECT count(*) FROM book b WHERE "authorId" IS NOT NULL AND NOT EXISTS (SELECT FROM author a WHERE a.id = b."authorId")`:                     "0",
		`SELECT count(*) - count(DISTINCT ("bookId", "tagId")) FROM book_tag`:                                                                          "0",
		`SELECT count(*) FROM (SELECT "authorId" FROM card WHERE "authorId" IS NOT NULL GROUP BY 1 HAVING count(*) > 1) AS twice`:                      "0",
		`SELECT count(*) FROM book_tag WHERE "bookId" = 1 AND "tagId" IN (1, 2)`:                                                                       "2", // nobody touched them
		`SELECT string_agg(id::text, ',' ORDER BY id) FROM book WHERE "authorId" = 1 AND id <= 3`:                                                      "1,2,3",
		`SELECT version FROM author WHERE id = 20`:                                                                                                     fmt.Sprint(c.counted.Load()),
	} {
		if got := c.site.rows(c.t, sql); got != want+"\n" {
			c.t.Errorf("%s: %swant %s", sql, got, want)
		}
	}
}
