package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/bearer"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
)

// served is a database that changes while it is served.
const served = `
CREATE TABLE note (id int PRIMARY KEY, body text NOT NULL);
INSERT INTO note VALUES (1, 'one'), (2, 'two');
`

// startServe serves a database by its superuser and returns the API's URL.
func startServe(t *testing.T, args ...string) (p *process, api string) {
	t.Helper()
	p = start(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	p.ready(t, "\n")
	match := regexp.MustCompile(`^resourcery listens on \S+, the API is (\S+)\n$`).FindStringSubmatch(p.stdout.String())
	if match == nil {
		t.Fatalf("the line is %q", &p.stdout)
	}
	return p, match[1]
}

func TestServeReloads(t *testing.T) {
	dsn := pgtest.Database(t, served)
	p, api := startServe(t, "--dsn", dsn, "--allow-unsafe-role")
	if status, body := get(t, api+"/note", ""); status != 200 || len(ids(t, body)) != 2 {
		t.Fatalf("%d %s", status, body)
	}

	db := connect(t, dsn)
	change := func(sql string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	change("CREATE TABLE task (id int PRIMARY KEY)")
	if status, _ := get(t, api+"/task", ""); status != 404 {
		t.Errorf("before a reload: %d", status)
	}
	change("NOTIFY resourcery, 'something else'")
	p.stderr.await(t, "unknown notification")
	change("NOTIFY resourcery, 'reload schema'")
	p.stderr.await(t, "schema reloaded")
	if status, body := get(t, api+"/task", ""); status != 200 {
		t.Errorf("after the notification: %d %s", status, body)
	}

	change("CREATE TABLE event (id int PRIMARY KEY)")
	hangUp(t)
	awaitCount(t, p, "schema reloaded", 2)
	if status, body := get(t, api+"/event", ""); status != 200 {
		t.Errorf("after the signal: %d %s", status, body)
	}

	// A schema that cannot be served: its id and a column clash.
	change(`CREATE TABLE broken (key int PRIMARY KEY, id int)`)
	hangUp(t)
	p.stderr.await(t, "reload failed; the schema read before is served on")
	if status, _ := get(t, api+"/event", ""); status != 200 {
		t.Errorf("after a reload that failed: %d", status)
	}
	change(`DROP TABLE broken; CREATE TABLE whole (id int PRIMARY KEY)`)
	change("NOTIFY resourcery, 'reload schema'")
	awaitCount(t, p, "schema reloaded", 3)
	if status, _ := get(t, api+"/whole", ""); status != 200 {
		t.Errorf("after the repair: %d", status)
	}
	p.stop(t)
	if p.code != 0 {
		t.Errorf("code %d\n%s", p.code, &p.stderr)
	}
}

// What each flag changes of an answer.
func TestServeFlagsMatter(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small)+`
		CREATE SCHEMA archive;
		CREATE TABLE archive.box (id int PRIMARY KEY);
		INSERT INTO archive.box VALUES (1);
		GRANT USAGE ON SCHEMA archive TO publishing_anon;
		GRANT SELECT ON archive.box TO publishing_anon;
	`)
	for _, test := range []struct {
		name    string
		flags   []string
		request string
		status  int
		part    string // of the answer
	}{
		{"page-size", []string{"--page-size", "2"}, "/tag", 200, `page%5Boffset%5D=2`},
		{"page-size Infinity", []string{"--page-size", "Infinity"}, "/tag", 200, `"meta":{"total":6`},
		{"max-page-size", []string{"--page-size", "2", "--max-page-size", "3"}, "/tag?page[limit]=50", 200, `page%5Blimit%5D=3`},
		{"id-divider", []string{"--id-divider", "~"}, "/like?page[limit]=1", 200, `"id":"1~`},
		{"strict", []string{"--strict"}, "/tag/1", 200, `"id":"1"`},
		{"strict errors", []string{"--strict"}, "/tag/99", 404, `"status":"404"`},
		{"search-language", []string{"--search-language", "english"}, "/tag?filter[name$search]=cook", 200, `"name":"cooking"`},
		{"search-language, another", []string{"--search-language", "simple"}, "/tag?filter[name$search]=cook", 200, `"data":[]`},
		{"allow-regexp", []string{"--allow-regexp"}, "/tag?filter[name$matches]=^go$", 200, `"name":"go"`},
		{"allow-regexp, by default", nil, "/tag?filter[name$matches]=^go$", 400, `"invalid-filter"`},
		{"allow-estimates", []string{"--allow-estimates"}, "/tag?page[total]=estimate", 200, `"total":6`},
		{"allow-estimates, by default", nil, "/tag?page[total]=estimate", 400, `"invalid-page"`},
		{"schemas", []string{"--schemas", "public,archive"}, "/box/1", 200, `"type":"box"`},
		{"schemas, by default", nil, "/box/1", 404, `"unsupported-model"`},
		{"endpoint", []string{"--endpoint", "https://example.org/a/b"}, "/tag/1", 200, `"self":"https://example.org/a/b/tag/1"`},
		{"max-conns", []string{"--max-conns", "1"}, "/post/1?include=author,comments", 200, `"included":[{`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, api := startServe(t, append([]string{"--dsn", dsn, "--anon-role", sample.AnonRole}, test.flags...)...)
			local := strings.TrimSuffix(strings.Fields(p.stdout.String())[3], ",")
			_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(api, "http://"), "https://"), "/")
			status, body := get(t, "http://"+local+"/"+path+test.request, "")
			if status != test.status || !strings.Contains(body, test.part) {
				t.Errorf("%d, no %s in %s", status, test.part, body)
			}
		})
	}
}

// What the database has not, or cannot be served strictly, ends the command.
func TestServeRefusesTheDatabase(t *testing.T) {
	dsn := pgtest.Database(t, `CREATE TABLE event (id int PRIMARY KEY, type text)`)
	base := []string{"serve", "--dsn", dsn, "--allow-unsafe-role", "--addr", "127.0.0.1:0"}
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--strict"}, "models: {event: {fields: {type: {name: NAME}}}}"},
		{[]string{"--search-language", "klingon"}, `--search-language "klingon" is no text search configuration of the database`},
		{[]string{"--search-language", "nowhere.english"}, `--search-language "nowhere.english" is no text search configuration of the database`},
	} {
		code, _, stderr := runCommand(t, append(base, test.flags...)...)
		if code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: code %d: %s", test.flags, code, stderr)
		}
	}
}

// A request that runs when the server is told to stop gets its answer.
func TestServeFinishesRequests(t *testing.T) {
	dsn := pgtest.Database(t, served)
	p, api := startServe(t, "--dsn", dsn, "--allow-unsafe-role")
	if status, _ := get(t, api+"/note", ""); status != 200 {
		t.Fatalf("status %d", status)
	}
	db := connect(t, dsn)
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE note IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	answered := make(chan int, 1)
	go func() {
		answer, err := http.Get(api + "/note")
		if err != nil {
			answered <- 0
			return
		}
		answered <- answer.StatusCode
		_ = answer.Body.Close() // nobody reads it
	}()
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	for n, deadline := 0, time.Now().Add(time.Minute); n == 0; {
		if err := tx.QueryRow(t.Context(), waiting).Scan(&n); err != nil {
			t.Fatal(err)
		}
		// Within a transaction the view of activity is taken once.
		if _, err := tx.Exec(t.Context(), "SELECT pg_stat_clear_snapshot()"); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatal("no request waits for the lock")
		}
	}
	p.cancel()
	select {
	case status := <-answered:
		t.Fatalf("answered %d before the lock was gone", status)
	case <-p.done:
		t.Fatal("the server ended before its request")
	case <-time.After(200 * time.Millisecond):
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status := <-answered; status != 200 {
		t.Errorf("the request that was running got %d", status)
	}
	p.stop(t)
	if p.code != 0 {
		t.Errorf("code %d\n%s", p.code, &p.stderr)
	}
}

// A connection that was lost is made again, and what was missed is made up for.
func TestServeListensAgain(t *testing.T) {
	dsn := pgtest.Database(t, served)
	p, api := startServe(t, "--dsn", dsn, "--allow-unsafe-role")
	db := connect(t, dsn)
	const cut = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN resourcery'`
	var n int
	for deadline := time.Now().Add(time.Minute); n == 0; {
		if err := db.QueryRow(t.Context(), cut).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody listens")
		}
	}
	if _, err := db.Exec(t.Context(), "CREATE TABLE task (id int PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	p.stderr.await(t, "not listening for schema changes")
	p.stderr.await(t, "schema reloaded")
	if status, _ := get(t, api+"/task", ""); status != 200 {
		t.Errorf("after the connection came back: %d", status)
	}
}

// All settings at once, from a file: overlay, session variables, tokens.
func TestServeConfigured(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	const secret = "a secret of the tests that is long enough"
	file := filepath.Join(t.TempDir(), "config.yaml")
	text := fmt.Sprintf(`
dsn: %q
endpoint: https://example.org/v1/
page-size: 2
anon-role: %s
session:
  app.name: name
models:
  Post:
    type: articles
    fields:
      viewCount: {name: views}
`, dsn, sample.AnonRole)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RESOURCERY_JWT_SECRET", secret)
	t.Setenv("RESOURCERY_CONFIG", file)
	p, api := startServe(t)
	if api != "https://example.org/v1" {
		t.Errorf("the API is %s", api)
	}
	host := strings.TrimSuffix(strings.Fields(p.stdout.String())[3], ",")
	token, err := bearer.Sign(secret, sample.People()[0].Claims())
	if err != nil {
		t.Fatal(err)
	}
	status, body := get(t, "http://"+host+"/v1/articles", token)
	if status != 200 || len(ids(t, body)) != 2 {
		t.Errorf("%d %s", status, body)
	}
	for _, part := range []string{`"views":`, `"https://example.org/v1/articles`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s in %s", part, body)
		}
	}
	drafts := "http://" + host + "/v1/articles?filter[published]=false"
	if _, body := get(t, drafts, token); len(ids(t, body)) == 0 {
		t.Errorf("Ann sees no draft: %s", body)
	}
	if _, body := get(t, drafts, ""); len(ids(t, body)) != 0 {
		t.Errorf("drafts for everybody: %s", body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+"/v1/articles", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer nonsense")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got := answer.Header.Get("WWW-Authenticate"); answer.StatusCode != 401 || got != `Bearer error="invalid_token"` {
		t.Errorf("%d, WWW-Authenticate %q", answer.StatusCode, got)
	}
	if log := p.stderr.String(); strings.Contains(log, secret) || strings.Contains(log, token) || strings.Contains(log, dsn) {
		t.Errorf("a secret is in the log:\n%s", log)
	}
}

// The database that goes away makes the server not ready, but leaves it alive.
func TestServeNotReady(t *testing.T) {
	dsn := pgtest.Database(t, served)
	p, api := startServe(t, "--dsn", dsn, "--allow-unsafe-role")
	host := strings.TrimSuffix(api, "/api")
	if status, _ := get(t, host+"/readyz", ""); status != 200 {
		t.Errorf("ready: %d", status)
	}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	admin := connect(t, pgtest.Server(t).DSN)
	if _, err := admin.Exec(t.Context(), "DROP DATABASE "+config.Database+" WITH (FORCE)"); err != nil {
		t.Fatal(err)
	}
	if status, body := get(t, host+"/readyz", ""); status != 503 || body != "the database cannot be reached\n" {
		t.Errorf("without a database: %d %q", status, body)
	}
	if status, _ := get(t, host+"/healthz", ""); status != 200 {
		t.Errorf("alive: %d", status)
	}
	p.stop(t)
}

func TestServeRefusesUnsafeRole(t *testing.T) {
	code, _, stderr := runCommand(t, "serve", "--addr", "127.0.0.1:0", "--dsn", pgtest.Database(t, served))
	if code != 1 || !strings.Contains(stderr, "superuser") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func hangUp(t *testing.T) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
}

func awaitCount(t *testing.T, p *process, text string, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); strings.Count(p.stderr.String(), text) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %d times %q in the log:\n%s", n, text, &p.stderr)
		}
	}
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}
