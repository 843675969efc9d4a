package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/sample"
)

// seen are the posts that each of the people may see: what is published, and
// their own drafts.
var seen = map[string][]int{
	"anon": {1, 2, 4, 6, 7, 8},
	"ann":  {1, 2, 3, 4, 6, 7, 8, 10},
	"bob":  {1, 2, 4, 5, 6, 7, 8},
	"cleo": {1, 2, 4, 6, 7, 8, 9},
}

// TestSessionsAreSealed lets people alternate on two connections, through
// refusals, cancelled requests and killed backends. Whoever is answered sees
// exactly what is theirs, and nothing of them stays on a connection.
func TestSessionsAreSealed(t *testing.T) {
	for name, keys := range keyForms {
		t.Run(name, func(t *testing.T) {
			alternate(t, newSite(t, siteOptions{config: connections(2), keys: keys}))
		})
	}
}

func alternate(t *testing.T, s *site) {
	t.Helper()
	s.alternate(t, []int{0, 1, 2, 3, 4, 5}, s.disturb)
}

// alternate has the people make requests of these kinds (see readsOwn) in turn,
// while something disturbs them.
func (s *site) alternate(t *testing.T, kinds []int, disturb func(t *testing.T, ended <-chan struct{})) {
	t.Helper()
	var answered, disturbed atomic.Int64
	var people sync.WaitGroup
	for who := range seen {
		for range 2 {
			people.Go(func() {
				for n := range 60 {
					if s.readsOwn(t, who, kinds[n%len(kinds)]) {
						answered.Add(1)
					} else {
						disturbed.Add(1)
					}
				}
			})
		}
	}
	ended := make(chan struct{})
	go func() { people.Wait(); close(ended) }()
	disturb(t, ended)
	if answered.Load() < 100 || disturbed.Load() < 10 {
		t.Errorf("%d requests were answered, %d disturbed: nothing was shown", answered.Load(), disturbed.Load())
	}
	for who := range seen {
		if !s.readsAgain(t, who) {
			t.Errorf("afterwards %s is not answered", who)
		}
	}
	s.leavesNothing(t)
}

// readsAgain reports whether one of the people is answered once nobody disturbs
// any more. A backend that was told to end may still do so in the middle of a
// request or two.
func (s *site) readsAgain(t *testing.T, who string) bool {
	for range 3 {
		if s.readsOwn(t, who, 0) {
			return true
		}
	}
	return false
}

// readsOwn makes a request of one of the people, by its kind: 3 is refused by the
// database, 5 is cancelled. It reports whether the people's posts came back.
func (s *site) readsOwn(t *testing.T, who string, kind int) bool {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	path := "/post?page[limit]=50&include=author,tags"
	switch kind {
	case 3:
		path = "/post?filter[id]=2147483647&filter[featuredDuring]=abc" // the database refuses the range
	case 5:
		time.AfterFunc(rand.N(3*time.Millisecond), cancel)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL+"/api"+path, nil)
	if err != nil {
		t.Error(err)
		return false
	}
	r.Header.Set(callerHeader, people[who].encoded(t))
	resp, err := s.server.Client().Do(r)
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return false
	}
	defer resp.Body.Close()
	var doc struct{ Data []struct{ ID int } }
	if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return false
	}
	switch {
	case resp.StatusCode == http.StatusServiceUnavailable, kind == 3 && resp.StatusCode == http.StatusBadRequest:
		return false
	case resp.StatusCode != http.StatusOK:
		t.Errorf("%s as %s: %d", path, who, resp.StatusCode)
		return false
	}
	var ids []int
	for _, p := range doc.Data {
		ids = append(ids, p.ID)
	}
	if !slices.Equal(ids, seen[who]) {
		t.Errorf("%s sees %v, want %v", who, ids, seen[who])
	}
	return true
}

// disturb kills the site's backends now and then until the people have ended.
func (s *site) disturb(t *testing.T, ended <-chan struct{}) {
	t.Helper()
	for {
		select {
		case <-ended:
			return
		case <-time.After(30 * time.Millisecond):
			s.killBackends(t)
		}
	}
}

// killBackends ends every other connection to the site's database.
func (s *site) killBackends(t *testing.T) {
	t.Helper()
	s.asOwner(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
}

// asOwner runs SQL as the server's superuser in the site's database.
func (s *site) asOwner(t *testing.T, sql string) {
	t.Helper()
	conn := s.owner(t)
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// leavesNothing looks at every connection of the pool: its role, its variables
// and its settings are those that it began with.
func (s *site) leavesNothing(t *testing.T) {
	t.Helper()
	for _, conn := range s.pool.AcquireAllIdle(t.Context()) {
		s.checkConnection(t, conn)
		conn.Release()
	}
}

func (s *site) checkConnection(t *testing.T, conn *pgxpool.Conn) {
	t.Helper()
	var role, claims, key, readOnly, isolation string
	err := conn.QueryRow(t.Context(), `
		SELECT current_user, coalesce(current_setting('request.jwt.claims', true), ''), coalesce(current_setting('resourcery.k1', true), ''),
		       current_setting('transaction_read_only'), current_setting('transaction_isolation')`,
	).Scan(&role, &claims, &key, &readOnly, &isolation)
	if err != nil {
		if !conn.Conn().IsClosed() { // a killed backend keeps nothing
			t.Errorf("look at a connection: %v", err)
		}
		return
	}
	got := fmt.Sprintf("%s|%s|%s|%s|%s", role, claims, key, readOnly, isolation)
	if want := s.pool.Config().ConnConfig.User + "|||off|read committed"; got != want {
		t.Errorf("a connection after its request: %s, want %s", got, want)
	}
}

// TestNothingOutlivesARequest looks at the one connection after each of several
// answers and refusals.
func TestNothingOutlivesARequest(t *testing.T) {
	for name, keys := range keyForms {
		t.Run(name, func(t *testing.T) {
			goesBack(t, newSite(t, siteOptions{config: connections(1), keys: keys}))
		})
	}
}

func goesBack(t *testing.T, s *site) {
	t.Helper()
	for _, path := range []string{
		"/post?include=author,comments.author", "/post/1", "/post/999", "/post/1/relationships/tags",
		"/post?filter[featuredDuring]=abc", "/revision",
	} {
		for _, who := range []string{"ann", "anon"} {
			s.request(t, people[who], path)
			s.leavesNothing(t)
		}
	}
}

// TestRolesRefused asks as roles that no session may have.
func TestRolesRefused(t *testing.T) {
	s := newSite(t, siteOptions{sql: guardedRoles})
	for role, status := range map[string]int{
		"reader":                   http.StatusOK,
		"none":                     http.StatusForbidden, // Postgres takes it for the login role
		"NONE":                     http.StatusForbidden,
		"":                         http.StatusForbidden, // the login role is a superuser here
		"nobody_of_this_name":      http.StatusForbidden,
		"resourcery_test_bypass":   http.StatusForbidden,
		"resourcery_test_superior": http.StatusForbidden,
		"resourcery_test_owner":    http.StatusForbidden,
		`reader"; RESET ROLE; --`:  http.StatusForbidden,
	} {
		resp, body := s.request(t, caller{role: role}, "/note")
		if resp.StatusCode != status {
			t.Errorf("as %q: %d, want %d\n%s", role, resp.StatusCode, status, body)
		}
		if status != http.StatusOK {
			sameRefusal(t, role, body)
		}
	}
}

// TestRolesNotGranted asks over a login role that may not take every role.
func TestRolesNotGranted(t *testing.T) {
	s := newSite(t, siteOptions{})
	for _, role := range []string{"reader", "postgres", "pg_read_all_data", "pg_database_owner"} {
		resp, body := s.request(t, caller{role: role}, "/post")
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("as %q: %d\n%s", role, resp.StatusCode, body)
		}
		sameRefusal(t, role, body)
	}
	// The login role itself may read nothing.
	if resp, body := s.request(t, caller{}, "/post"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("as the login role: %d\n%s", resp.StatusCode, body)
	}
	if sample.LoginRole != s.pool.Config().ConnConfig.User {
		t.Errorf("the site logs in as %s", s.pool.Config().ConnConfig.User)
	}
}

// sameRefusal checks that all refusals of roles are one: which roles there are
// is nobody's business.
func sameRefusal(t *testing.T, role string, body []byte) {
	t.Helper()
	const want = `{"errors":[{"code":"forbidden","status":403,"title":"Operation is forbidden","detail":"The role of this session may not be used.","ormCode":"42501"}]}`
	if string(body) != want {
		t.Errorf("as %q: %s\nwant %s", role, body, want)
	}
}

const guardedRoles = `
DO $$ BEGIN
	CREATE ROLE resourcery_test_bypass BYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
	CREATE ROLE resourcery_test_superior SUPERUSER;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
	CREATE ROLE resourcery_test_owner;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
CREATE TABLE note (id int PRIMARY KEY);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY everyone ON note USING (true);
ALTER TABLE note OWNER TO resourcery_test_owner;
`

// TestReadsDoNotWrite reads through a policy that writes, and through one that
// tries to leave the read-only transaction first.
func TestReadsDoNotWrite(t *testing.T) {
	s := newSite(t, siteOptions{sql: `
CREATE TABLE trace (id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY);
CREATE TABLE note (id int PRIMARY KEY);
INSERT INTO note VALUES (1);
CREATE FUNCTION traced() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	INSERT INTO trace DEFAULT VALUES;
	RETURN true;
END $$;
CREATE TABLE memo (id int PRIMARY KEY);
INSERT INTO memo VALUES (1);
CREATE FUNCTION escaped() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	PERFORM set_config('transaction_read_only', 'off', true);
	INSERT INTO trace DEFAULT VALUES;
	RETURN true;
END $$;
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
ALTER TABLE memo ENABLE ROW LEVEL SECURITY;
CREATE POLICY traced ON note USING (traced());
CREATE POLICY escaped ON memo USING (escaped());
`})
	for _, path := range []string{"/note", "/memo"} {
		resp, body := s.request(t, people["reader"], path)
		if resp.StatusCode != http.StatusInternalServerError {
			t.Errorf("%s: %d\n%s", path, resp.StatusCode, body)
		}
	}
	var traces int
	if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FROM trace").Scan(&traces); err != nil || traces != 0 {
		t.Errorf("%d rows were written, %v", traces, err)
	}
}

// connections configures a pool of n connections.
func connections(n int32) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) {
		exec.Configure(c)
		c.MaxConns = n
	}
}

// owner connects to the site's database as the server's superuser.
func (s *site) owner(t *testing.T) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
