package integration

import (
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
)

// reads are one of each form, the second with three include paths of two steps.
var reads = []string{
	"/post?filter[author][name]=Ann,Bob&sort=-createdAt&page[limit]=5",
	"/post?include=author.profile,comments.author,tags.posts",
	"/post/1",
	"/post/1?include=author,comments,tags",
	"/post/1/comments?include=author",
	"/post/1/tags",
	"/post/1/author",
	"/post/1/relationships/tags",
	"/post/1/relationships/comments?include=comments.author",
	"/post/1/relationships/author",
	"/post?page[number]=2&page[size]=3",
	"/post?page[after]=&page[size]=3&sort=-author.name,comments$count&include=comments&page[comments][limit]=1",
	"/post?page[before]=&page[size]=3&page[total]=none&include=tags.posts&page[tags][limit]=1&sort[tags]=-name",
	"/post?page[total]=1&page[limit]=1&include=author",
}

// TestOneRoundTrip counts messages on the wire: every read is one burst with
// one Sync, the first time on a connection as well as later.
func TestOneRoundTrip(t *testing.T) {
	p := newTap(t)
	s := newSite(t, siteOptions{config: p.tapped(single)})
	s.warmViews(t, "anon", "ann")
	for _, read := range reads {
		t.Run(read, func(t *testing.T) {
			s.pool.Reset()                                                      // nothing is prepared on a new connection
			for _, who := range []string{"anon", "ann", "bob", "anon", "ann"} { // two roles on one connection
				p.reset()
				s.get(t, who, read)
				if got, want := p.reset(), (traffic{asks: 1, turns: 1}); got != want {
					t.Errorf("%s: %+v, want %+v", who, got, want)
				}
			}
		})
	}
}

// TestTripsWithBoundKeys counts one trip more for each level of include steps,
// and for the pairs of a join table, all under the one Sync.
func TestTripsWithBoundKeys(t *testing.T) {
	p := newTap(t)
	s := newSite(t, siteOptions{config: p.tapped(single), keys: exec.KeysBound})
	s.warmViews(t, "ann")
	for path, want := range map[string]int{
		"/post/1":                      1,
		"/post":                        1,
		"/post/1/relationships/author": 1,
		"/post?include=author,comments,likes,revisions":                 2,
		"/post?include=author.profile,comments.author,revisions.editor": 3,
		"/post?include=tags": 3,
		"/post?include=author.profile,comments.author,tags.posts.author": 6,
	} {
		for range 2 {
			p.reset()
			s.get(t, "ann", path)
			if got, want := p.reset(), (traffic{asks: want, turns: 1}); got != want {
				t.Errorf("%s: %+v, want %+v", path, got, want)
			}
		}
	}
}

// TestIdleConnectionIsNotPinged waits for as long as a pool takes to distrust a
// connection.
func TestIdleConnectionIsNotPinged(t *testing.T) {
	p := newTap(t)
	s := newSite(t, siteOptions{config: p.tapped(single)})
	s.get(t, "ann", "/post/1")
	time.Sleep(1200 * time.Millisecond)
	p.reset()
	s.get(t, "ann", "/post/1")
	if got, want := p.reset(), (traffic{asks: 1, turns: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestTapCountsTrips shows that the counter would notice: a view that is read
// first, and a plain transaction, take more.
func TestTapCountsTrips(t *testing.T) {
	p := newTap(t)
	s := newSite(t, siteOptions{config: p.tapped(single)})
	p.reset()
	s.get(t, "ann", "/post/1")
	if got := p.reset(); got.asks < 2 || got.turns < 2 {
		t.Errorf("a view and a read: %+v", got)
	}
	tx, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := p.reset(), (traffic{asks: 2, turns: 2}); got != want {
		t.Errorf("BEGIN and COMMIT: %+v, want %+v", got, want)
	}
}

// single configures a pool of one connection, so that it is known which one
// runs a request.
func single(c *pgxpool.Config) {
	exec.Configure(c)
	c.MaxConns = 1
}

// warmViews reads what the people may see, which their first requests would do.
func (s *site) warmViews(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := s.db.As(exec.Session{Role: people[name].role}).View(t.Context(), s.schema); err != nil {
			t.Fatalf("view of %s: %v", name, err)
		}
	}
}

// get asks as one of the people and returns the document, which must be one.
func (s *site) get(t *testing.T, who, path string) []byte {
	t.Helper()
	resp, body := s.request(t, people[who], path)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s as %s: %d\n%s", path, who, resp.StatusCode, body)
	}
	return body
}

func (s *site) request(t *testing.T, who caller, path string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.do(t, who, r)
}
