package integration

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
	"github.com/resourcery/resourcery/schema/overlay"
	"github.com/resourcery/resourcery/schema/validation"
)

// A site is a database and the API over it, on a real listener.
type site struct {
	server *httptest.Server
	pool   *pgxpool.Pool
	schema *schema.Schema
	db     *exec.DB
	dsn    string // of the server's superuser, to the same database
	tags   *tags  // nil: scripts show no entity tags
	// validation is what bodies are held against; nil: nothing
	validation *validation.Set
}

// siteOptions say what a site serves. Without SQL it is the sample's small set.
type siteOptions struct {
	sql    string
	models string // the overlay, in YAML
	rest   httpapi.RESTOptions
	keys   exec.Keys
	config func(*pgxpool.Config) // nil: exec.Configure
	open   func(*exec.Options)   // changes the options of exec.Open
	// validated holds bodies against the schemas that are generated.
	validated bool
}

// newSite makes a database and serves it as the sample's login role, or, for
// SQL of its own, as the server's superuser with an anonymous role reader.
func newSite(t testing.TB, o siteOptions) *site {
	t.Helper()
	anonymous := "reader"
	sql := readerRole + o.sql
	if o.sql == "" {
		sql, anonymous = sample.Script(sample.Small)+loginPassword, sample.AnonRole
	}
	s := &site{dsn: pgtest.Database(t, sql)}
	dsn := s.dsn
	if o.sql == "" {
		dsn = asLogin(t, dsn)
	}
	s.pool = newPool(t, dsn, o.config)
	s.schema = introspected(t, s.pool, o.models)
	options := exec.Options{
		Schema: s.schema, Variables: []string{"request.jwt.claims"}, AnonymousRole: anonymous, Keys: o.keys,
	}
	if o.open != nil {
		o.open(&options)
	}
	var err error
	if s.db, err = exec.Open(t.Context(), s.pool, options); err != nil {
		t.Fatal(err)
	}
	if o.validated {
		if s.validation, err = validation.Compile(validation.Generate(s.schema)); err != nil {
			t.Fatal(err)
		}
	}
	s.serve(t, o.rest)
	return s
}

// readerRole makes the role that requests to a site with SQL of its own use.
const readerRole = `
DO $$ BEGIN
	CREATE ROLE reader NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader;
`

// The sample's login role gets a password for tests. Roles belong to the whole
// server, so it is the same in each of them.
const (
	password      = "integration"
	loginPassword = `
DO $$ BEGIN
	FOR i IN 1..50 LOOP
		BEGIN
			ALTER ROLE ` + sample.LoginRole + ` PASSWORD '` + password + `';
			RETURN;
		EXCEPTION WHEN internal_error THEN PERFORM pg_sleep(0.02);
		END;
	END LOOP;
END $$;
`
)

func asLogin(t testing.TB, dsn string) string {
	t.Helper()
	u := mustURL(t, dsn)
	u.User = url.UserPassword(sample.LoginRole, password)
	return u.String()
}

func newPool(t testing.TB, dsn string, configure func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if configure == nil {
		configure = exec.Configure
	}
	configure(config)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func introspected(t testing.TB, pool *pgxpool.Pool, models string) *schema.Schema {
	t.Helper()
	catalog, err := introspect.Load(t.Context(), pool, introspect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	described, err := overlay.Decode([]byte(models))
	if err != nil {
		t.Fatal(err)
	}
	if catalog, err = overlay.Apply(catalog, described); err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromCatalog(catalog)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// endpoint is what links begin with.
const endpoint = "http://test/api"

// serve mounts the API at /api of a server on this machine. Links show the
// endpoint of the options, so that answers are the same in every run.
func (s *site) serve(t testing.TB, o httpapi.RESTOptions) {
	t.Helper()
	o.Endpoint = endpoint
	style, err := httpapi.REST(o)
	if err != nil {
		t.Fatal(err)
	}
	host, err := httpapi.NewHost(httpapi.HostOptions{Handler: style, Schema: s.schema, Client: s.client, Validation: s.validation})
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(host)
	t.Cleanup(s.server.Close)
}

// run runs SQL as the server's superuser.
func (s *site) run(t testing.TB, sql string) {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.Exec(t.Context(), sql).Close(); err != nil {
		t.Fatalf("%v in\n%s", err, sql)
	}
}

// callerHeader carries who asks; the site's Client function reads it.
const callerHeader = "X-Caller"

// A caller is a role and the claims of its token.
type caller struct {
	role   string
	claims map[string]any
}

// people are the callers that scripts name.
var people = map[string]caller{
	"anon":   {role: sample.AnonRole},
	"reader": {role: "reader"},
	"ann":    member("1"),
	"bob":    member("2"),
	"cleo":   member("3"),
	"dan":    member("4"),
}

func member(sub string) caller {
	return caller{role: sample.MemberRole, claims: map[string]any{"sub": sub, "role": sample.MemberRole}}
}

// encoded writes the caller as a header's value, which loses blanks at its ends.
func (c caller) encoded(t testing.TB) string {
	t.Helper()
	text, err := json.Marshal(claimed{Role: c.role, Claims: c.claims})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type claimed struct {
	Role   string
	Claims map[string]any
}

func (s *site) client(r *http.Request) (exec.Client, error) {
	var c claimed
	if err := json.Unmarshal([]byte(r.Header.Get(callerHeader)), &c); err != nil {
		return exec.Client{}, err
	}
	vars := make(map[string]string)
	if c.Claims != nil {
		claims, err := json.Marshal(c.Claims)
		if err != nil {
			return exec.Client{}, err
		}
		vars["request.jwt.claims"] = string(claims)
	}
	return s.db.As(exec.Session{Role: c.Role, Vars: vars}), nil
}

func mustURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
