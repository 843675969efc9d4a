package integration

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
)

// faulty is a table for each way in which a read may fail; what fails holds a
// word that no answer may show.
const faulty = `
CREATE TABLE host (id int PRIMARY KEY, ip inet, network cidr, span int4range, label varchar(4), secret text);
INSERT INTO host VALUES (1, '10.0.0.1', '10.0.0.0/8', '[1,5)', 'ab', 'xyzzy');
CREATE TABLE ratio (id int PRIMARY KEY, secret int NOT NULL);
INSERT INTO ratio VALUES (1, 0);
ALTER TABLE ratio ENABLE ROW LEVEL SECURITY;
CREATE POLICY divided ON ratio USING (1 / secret >= 0);
CREATE TABLE slow (id int PRIMARY KEY);
INSERT INTO slow VALUES (1);
CREATE FUNCTION slowly() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RETURN pg_sleep(30) IS NOT NULL; -- xyzzy
END $$;
ALTER TABLE slow ENABLE ROW LEVEL SECURITY;
CREATE POLICY slow ON slow USING (slowly());
CREATE TABLE locked (id int PRIMARY KEY);
INSERT INTO locked VALUES (1);
CREATE TABLE state (code text);
INSERT INTO state VALUES ('40001');
CREATE FUNCTION fails() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
	failure text := (SELECT code FROM state);
BEGIN
	RAISE NOTICE 'tried';
	IF failure <> '' THEN
		RAISE EXCEPTION 'the secret is xyzzy' USING ERRCODE = failure, DETAIL = 'xyzzy', HINT = 'xyzzy';
	END IF;
	RETURN true;
END $$;
CREATE TABLE failing (id int PRIMARY KEY);
INSERT INTO failing VALUES (1);
ALTER TABLE failing ENABLE ROW LEVEL SECURITY;
CREATE POLICY fails ON failing USING (fails());
`

// TestRefusals asks what the database refuses.
func TestRefusals(t *testing.T) {
	s := newSite(t, siteOptions{sql: faulty})
	for path, want := range map[string]string{
		"/host?filter[ip]=abc":                   `{"errors":[{"code":"invalid-value","status":400,"title":"Invalid value for type","detail":"The database does not take the value for its type; check its form and its range.","source":{"parameter":"filter[ip]"},"ormCode":"22P02"}]}`,
		"/host?filter[id]=1&filter[network]=":    `{"errors":[{"code":"invalid-value","status":400,"title":"Invalid value for type","detail":"The database does not take the value for its type; check its form and its range.","source":{"parameter":"filter[network]"},"ormCode":"22P02"}]}`,
		"/host?filter[ip]=10.0.0.1,abc":          `{"errors":[{"code":"invalid-value","status":400,"title":"Invalid value for type","detail":"The database does not take the value for its type; check its form and its range.","source":{"parameter":"filter[ip]"},"ormCode":"22P02"}]}`,
		`/host?filter[id]=1&filter[span]=[5\,1)`: `{"errors":[{"code":"invalid-value","status":400,"title":"Invalid value for type","detail":"The database does not take the value for its type; check its form and its range.","source":{"parameter":"filter[span]"},"ormCode":"22000"}]}`,
		"/ratio":                                 `{"errors":[{"code":"query-error","status":400,"title":"Error occurred while executing the query","detail":"The database refused to evaluate the query with these values.","ormCode":"22012"}]}`,
	} {
		resp, body := s.request(t, people["reader"], path)
		if string(body) != want || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d\n%s\nwant\n%s", path, resp.StatusCode, body, want)
		}
	}
}

// TestStates raises SQLSTATEs in a policy. The answer has the state, and
// nothing of the message.
func TestStates(t *testing.T) {
	s := newSite(t, siteOptions{sql: faulty})
	for state, want := range map[string]struct {
		status int
		code   string
	}{
		"22P02": {400, "invalid-value"},
		"22003": {400, "invalid-value"},
		"22021": {400, "invalid-value"},
		"22012": {400, "query-error"},
		"2201B": {400, "query-error"},
		"P0001": {400, "query-error"},
		"42501": {403, "forbidden"},
		"57014": {503, "query-timeout"},
		"53100": {503, "database-unavailable"},
		"53300": {503, "database-unavailable"},
		"08006": {503, "database-unavailable"},
		"57P01": {503, "database-unavailable"},
		"40001": {503, "database-unavailable"},
		"40P01": {503, "database-unavailable"},
		"0A000": {500, "unknown-error"},
		"26000": {500, "unknown-error"},
		"XX000": {500, "unknown-error"},
		"42P01": {500, "unknown-error"},
		"P0002": {500, "unknown-error"},
	} {
		s.asOwner(t, "UPDATE state SET code = '"+state+"'")
		resp, body := s.request(t, people["reader"], "/failing")
		if resp.StatusCode != want.status || !strings.Contains(string(body), `"code":"`+want.code+`"`) {
			t.Errorf("%s: %d, want %d %s\n%s", state, resp.StatusCode, want.status, want.code, body)
		}
		if (want.status == http.StatusServiceUnavailable) != (resp.Header.Get("Retry-After") != "") {
			t.Errorf("%s: Retry-After is %q", state, resp.Header.Get("Retry-After"))
		}
		if want.status != http.StatusServiceUnavailable || want.code == "query-timeout" {
			if !strings.Contains(string(body), `"ormCode":"`+state+`"`) {
				t.Errorf("%s: no ormCode\n%s", state, body)
			}
		}
		discreet(t, body)
	}
	// What failed leaves a connection that serves.
	s.asOwner(t, "UPDATE state SET code = ''")
	if resp, body := s.request(t, people["reader"], "/failing"); resp.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d\n%s", resp.StatusCode, body)
	}
}

// discreet checks that a document tells nothing of the database's own words.
func discreet(t *testing.T, body []byte) {
	t.Helper()
	for _, word := range []string{"xyzzy", "SELECT", "FROM", "select ", "fails()", "PL/pgSQL", "SQLSTATE", "ERROR", "resourcery.", "set_config", "pgx", "connect", "127.0.0.1", "localhost"} {
		if strings.Contains(string(body), word) {
			t.Errorf("an error document says %q:\n%s", word, body)
		}
	}
}

// TestConflictsAreRetried counts tries by the notices that each of them sends,
// and lets the database recover after some.
func TestConflictsAreRetried(t *testing.T) {
	for _, c := range []struct {
		recovers int // after so many tries
		tries    int
		status   int
	}{
		{recovers: 1, tries: 2, status: http.StatusOK},
		{recovers: 3, tries: 4, status: http.StatusOK},
		{recovers: 9, tries: 4, status: http.StatusServiceUnavailable},
	} {
		tries := 0
		var s *site
		s = newSite(t, siteOptions{sql: faulty, config: func(config *pgxpool.Config) {
			single(config)
			// Notices are read by the goroutine that waits for the try's answer.
			config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
				if n.Message != "tried" {
					return
				}
				if tries++; tries == c.recovers {
					s.asOwner(t, "UPDATE state SET code = ''")
				}
			}
		}})
		resp, body := s.request(t, people["reader"], "/failing/1")
		if resp.StatusCode != c.status {
			t.Errorf("recovers after %d: %d, want %d\n%s", c.recovers, resp.StatusCode, c.status, body)
		}
		if tries != c.tries {
			t.Errorf("recovers after %d: %d tries, want %d", c.recovers, tries, c.tries)
		}
	}
}

// TestTimeout sets a limit for a role.
func TestTimeout(t *testing.T) {
	s := newSite(t, siteOptions{sql: faulty, config: func(c *pgxpool.Config) {
		exec.Configure(c)
		c.ConnConfig.RuntimeParams["statement_timeout"] = "100"
	}})
	start := time.Now()
	resp, body := s.request(t, people["reader"], "/slow")
	const want = `{"errors":[{"code":"query-timeout","status":503,"title":"Query timed out"`
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.HasPrefix(string(body), want) || !strings.Contains(string(body), `"ormCode":"57014"`) {
		t.Errorf("%d\n%s", resp.StatusCode, body)
	}
	if resp.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	discreet(t, body)
}

// TestDeadConnections kills every backend of a pool, with what the roles may
// see known and unknown: the next request does not notice.
func TestDeadConnections(t *testing.T) {
	s := newSite(t, siteOptions{config: connections(4)})
	for _, who := range []string{"ann", "anon", "anon", "ann"} {
		s.fill(t)
		s.killBackends(t)
		s.get(t, who, "/post?include=author")
	}
}

// fill opens every connection that the pool may have.
func (s *site) fill(t *testing.T) {
	t.Helper()
	conns := make([]*pgxpool.Conn, s.pool.Config().MaxConns)
	for i := range conns {
		conn, err := s.pool.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Ping(t.Context()); err != nil {
			conn.Conn().Close(t.Context())
		}
		conns[i] = conn
	}
	for _, conn := range conns {
		conn.Release()
	}
}

// TestDatabaseDown takes the server away, and gives it back.
func TestDatabaseDown(t *testing.T) {
	p := newTap(t)
	s := newSite(t, siteOptions{config: p.tapped(connections(4))})
	s.get(t, "ann", "/post")
	s.fill(t)
	p.cut()
	for _, who := range []string{"ann", "anon"} { // what ann may see is known
		resp, body := s.request(t, people[who], "/post")
		const want = `{"errors":[{"code":"database-unavailable","status":503,"title":"Database is unavailable","detail":"The database cannot be reached; try again later."`
		if resp.StatusCode != http.StatusServiceUnavailable || !strings.HasPrefix(string(body), want) {
			t.Errorf("as %s: %d\n%s", who, resp.StatusCode, body)
		}
		if resp.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		discreet(t, body)
	}
	p.restore()
	s.get(t, "ann", "/post")
	s.get(t, "anon", "/post")
}

// TestClientLeaves cancels a request: the query ends too, and the pool serves on.
func TestClientLeaves(t *testing.T) {
	s := newSite(t, siteOptions{sql: faulty, config: connections(1)})
	s.request(t, people["reader"], "/host")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL+"/api/slow", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(callerHeader, people["reader"].encoded(t))
	conn := s.owner(t)
	defer conn.Close(context.Background())
	const running = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()"
	go func() {
		eventually(t, conn, running, 1)
		cancel()
	}()
	if resp, err := s.server.Client().Do(r); err == nil {
		resp.Body.Close()
		t.Errorf("the request was answered: %d", resp.StatusCode)
	}
	after := s.owner(t)
	defer after.Close(context.Background())
	if !eventually(t, after, running, 0) {
		t.Error("the query goes on")
	}
	if resp, body := s.request(t, people["reader"], "/host"); resp.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d\n%s", resp.StatusCode, body)
	}
}

// eventually reports whether the count that sql asks for becomes what it should be.
func eventually(t *testing.T, conn *pgconn.PgConn, sql string, want int) bool {
	for range 200 {
		got, err := conn.Exec(t.Context(), sql).ReadAll()
		if err != nil {
			t.Error(err)
			return false
		}
		if string(got[0].Rows[0][0]) == strconv.Itoa(want) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}
