package integration

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
)

// lasting is a database in which requests last: reads of slow, writes of laden,
// and whatever needs a row or a table that somebody else has locked.
const lasting = `
CREATE FUNCTION lasts() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN pg_sleep(30) IS NOT NULL; END';
CREATE FUNCTION laden() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(30); RETURN new; END';
CREATE TABLE slow (id int PRIMARY KEY);
INSERT INTO slow VALUES (1);
ALTER TABLE slow ENABLE ROW LEVEL SECURITY;
CREATE POLICY slow ON slow USING (lasts());
CREATE TABLE laden (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO laden VALUES (1, 0);
CREATE TRIGGER laden BEFORE UPDATE ON laden FOR EACH ROW EXECUTE FUNCTION laden();
CREATE TABLE held (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO held VALUES (1, 0);
CREATE TABLE free (id int PRIMARY KEY);
INSERT INTO free VALUES (1);
GRANT SELECT, INSERT, UPDATE ON laden, held TO reader;
`

// A lastingRequest does not end by itself.
type lastingRequest struct {
	method, path, body string
	lock               string // what somebody else holds meanwhile
}

var lastingRequests = map[string]lastingRequest{
	"read that runs":               {method: http.MethodGet, path: "/slow"},
	"read that waits for a lock":   {method: http.MethodGet, path: "/held", lock: "LOCK TABLE held"},
	"write that runs":              {method: http.MethodPatch, path: "/laden/1", body: `{"data":{"type":"laden","id":1,"attributes":{"n":1}}}`},
	"write that waits for a lock":  {method: http.MethodPatch, path: "/held/1", body: `{"data":{"type":"held","id":1,"attributes":{"n":1}}}`, lock: "SELECT FROM held FOR UPDATE"},
	"create that waits for a lock": {method: http.MethodPost, path: "/held", body: `{"data":{"type":"held","id":2,"attributes":{"n":1}}}`, lock: "LOCK TABLE held IN SHARE MODE"},
}

// send sends a request of the reader's and returns its status and its document;
// 0 where the client has left.
func (r lastingRequest) send(t *testing.T, ctx context.Context, s *site) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, r.method, s.server.URL+"/api"+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	req.Header.Set(callerHeader, people["reader"].encoded(t))
	if r.body != "" {
		req.Header.Set("Content-Type", "application/vnd.api+json")
	}
	resp, err := s.server.Client().Do(req)
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return 0, ""
	}
	defer resp.Body.Close()
	var text strings.Builder
	_ = resp.Write(&text) // what came of a body that was cut off does not matter
	return resp.StatusCode, text.String()
}

// TestCancel has clients leave while Postgres works for them: their query ends
// at once, what it had written is gone, and the connection serves on.
func TestCancel(t *testing.T) {
	s := newSite(t, siteOptions{sql: lasting, config: single})
	cancels(t, s)
	if made := s.pool.Stat().NewConnsCount(); made != 1 {
		t.Errorf("%d connections were made, want the one that was kept", made)
	}
}

// TestCancelOfAPlainPool does the same over a pool that was left as pgx makes
// it, which closes the connection.
func TestCancelOfAPlainPool(t *testing.T) {
	cancels(t, newSite(t, siteOptions{sql: lasting, config: func(c *pgxpool.Config) { c.MaxConns = 1 }}))
}

func cancels(t *testing.T, s *site) {
	t.Helper()
	for name, r := range lastingRequests {
		t.Run(name, func(t *testing.T) {
			release := s.holding(t, r.lock)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			left := make(chan struct{})
			go func() {
				defer close(left)
				if status, text := r.send(t, ctx, s); status != 0 {
					t.Errorf("answered: %s", text)
				}
			}()
			watcher := s.owner(t)
			defer watcher.Close(context.Background())
			if !eventually(t, watcher, busy, 1) {
				t.Fatal("the query does not run")
			}
			leave()
			at := time.Now()
			<-left
			if !eventually(t, watcher, busy, 0) {
				t.Error("the query goes on")
			}
			if took := time.Since(at); took > time.Second {
				t.Errorf("the query went on for %v", took)
			}
			release()
			s.servesOn(t)
		})
	}
}

// busy counts the backends that work, those that wait for a lock among them.
const busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()"

// holding takes a lock, and returns the function that gives it back.
func (s *site) holding(t *testing.T, lock string) func() {
	t.Helper()
	conn := s.owner(t)
	release := sync.OnceFunc(func() { conn.Close(context.Background()) })
	t.Cleanup(release)
	if lock != "" {
		if _, err := conn.Exec(t.Context(), "BEGIN; "+lock).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	return release
}

// servesOn asks for something else, and looks whether anything was written.
func (s *site) servesOn(t *testing.T) {
	t.Helper()
	if resp, body := s.request(t, people["reader"], "/free"); resp.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d\n%s", resp.StatusCode, body)
	}
	if got := s.rows(t, "SELECT count(*), sum(n) FROM (TABLE held UNION ALL TABLE laden) x"); got != "2 | 0\n" {
		t.Errorf("written: %s", got)
	}
}

// TestCancelByTime has the time of requests end. Postgres says that it has
// cancelled their query, so nothing of a write is in doubt.
func TestCancelByTime(t *testing.T) {
	endInTime(t, newSite(t, siteOptions{sql: lasting, config: single, rest: httpapi.RESTOptions{Timeout: 300 * time.Millisecond}}))
}

func endInTime(t *testing.T, s *site) {
	t.Helper()
	s.request(t, people["reader"], "/free")
	for name, r := range lastingRequests {
		t.Run(name, func(t *testing.T) {
			release := s.holding(t, r.lock)
			at := time.Now()
			status, text := r.send(t, t.Context(), s)
			if status != http.StatusServiceUnavailable || !strings.Contains(text, `"code":"query-timeout"`) || !strings.Contains(text, "Retry-After") {
				t.Errorf("%s", text)
			}
			if took := time.Since(at); took > 2*time.Second {
				t.Errorf("it took %v", took)
			}
			release()
			s.servesOn(t)
		})
	}
}

// TestStatementTimeout bounds statements by the option of the database, over
// what the connection says.
func TestStatementTimeout(t *testing.T) {
	s := newSite(t, siteOptions{
		sql: lasting,
		config: func(c *pgxpool.Config) {
			single(c)
			c.ConnConfig.RuntimeParams["statement_timeout"] = "77000"
		},
		open: func(o *exec.Options) { o.StatementTimeout = 300 * time.Millisecond },
	})
	endInTime(t, s)
	var now string
	if err := s.pool.QueryRow(t.Context(), "SHOW statement_timeout").Scan(&now); err != nil || now != "77s" {
		t.Errorf("the connection was left with %s, %v", now, err)
	}
}

// TestAcquireTimeout asks for more than the pool has: both by a role whose view
// is known and by one that is new.
func TestAcquireTimeout(t *testing.T) {
	s := newSite(t, siteOptions{config: single, open: func(o *exec.Options) { o.AcquireTimeout = 200 * time.Millisecond }})
	s.get(t, "ann", "/post/1")
	conn, err := s.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"ann", "anon"} {
		at := time.Now()
		resp, body := s.request(t, people[who], "/post/1")
		if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), `"code":"database-unavailable"`) || resp.Header.Get("Retry-After") == "" {
			t.Errorf("as %s: %d\n%s", who, resp.StatusCode, body)
		}
		if took := time.Since(at); took < 200*time.Millisecond || took > 2*time.Second {
			t.Errorf("as %s it took %v", who, took)
		}
	}
	conn.Release()
	s.get(t, "anon", "/post/1")
}

// TestCancelMany has most clients leave at some time. No connection is lost to
// the pool, none is left behind, and nobody else's query is hit.
func TestCancelMany(t *testing.T) {
	s := newSite(t, siteOptions{sql: lasting, config: connections(4)})
	cancelMany(t, s)
	if made := s.pool.Stat().NewConnsCount(); made > 8 {
		t.Errorf("%d connections were made for a pool of 4", made)
	}
}

func cancelMany(t *testing.T, s *site) {
	t.Helper()
	s.request(t, people["reader"], "/free")
	var clients sync.WaitGroup
	for n := range 12 {
		clients.Go(func() {
			for range 25 {
				if n%3 == 0 { // a client that stays
					if status, text := (lastingRequest{method: http.MethodGet, path: "/free"}).send(t, t.Context(), s); status != http.StatusOK {
						t.Errorf("another client: %s", text)
					}
					continue
				}
				ctx, leave := context.WithTimeout(t.Context(), rand.N(20*time.Millisecond))
				lastingRequests[[]string{"read that runs", "write that runs"}[n%2]].send(t, ctx, s)
				leave()
			}
		})
	}
	clients.Wait()
	watcher := s.owner(t)
	defer watcher.Close(context.Background())
	if !eventually(t, watcher, busy, 0) {
		t.Error("queries go on")
	}
	for range 100 {
		if s.pool.Stat().AcquiredConns() == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if stat := s.pool.Stat(); stat.AcquiredConns() != 0 || stat.TotalConns() > s.pool.Config().MaxConns {
		t.Errorf("%d connections of %d are still taken", stat.AcquiredConns(), stat.TotalConns())
	}
	if n := s.backends(t, watcher); n > int(s.pool.Config().MaxConns) {
		t.Errorf("%d backends for a pool of %d", n, s.pool.Config().MaxConns)
	}
	s.servesOn(t)
}

// backends counts the connections to the site's database, but for one.
func (s *site) backends(t *testing.T, watcher *pgconn.PgConn) int {
	t.Helper()
	const sql = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
	got, err := watcher.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return len(got[0].Rows)
}
