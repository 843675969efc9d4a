package exec_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// roles are those that the tests' sessions take. Roles belong to the server and
// may be there already.
const roles = `
DO $$ BEGIN
	CREATE ROLE exec_test_reader NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
	CREATE ROLE exec_test_other NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO exec_test_reader, exec_test_other;
`

// A database is one of the test's own with a pool, its schema, and what Open
// made of them, as a superuser with an anonymous role.
type database struct {
	pool   *pgxpool.Pool
	schema *schema.Schema
	db     *exec.DB
}

// reader is the session that most tests use.
var reader = exec.Session{Role: "exec_test_reader"}

func newDatabase(t testing.TB, sql string, configure ...func(*pgxpool.Config)) *database {
	t.Helper()
	d := &database{pool: newPool(t, pgtest.Database(t, roles+sql), append(configure, exec.Configure)...)}
	d.reload(t)
	d.db = d.open(t, exec.Options{AnonymousRole: reader.Role})
	return d
}

// reload reads the schema anew, from other schemas than public if any are named.
func (d *database) reload(t testing.TB, schemas ...string) {
	t.Helper()
	catalog, err := introspect.Load(context.Background(), d.pool, introspect.Options{Schemas: schemas})
	if err != nil {
		t.Fatal(err)
	}
	if d.schema, err = schema.FromCatalog(catalog); err != nil {
		t.Fatal(err)
	}
}

func (d *database) open(t testing.TB, o exec.Options) *exec.DB {
	t.Helper()
	o.Schema = d.schema
	db, err := exec.Open(context.Background(), d.pool, o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func newPool(t testing.TB, dsn string, configure ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range configure {
		c(config)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// single makes a pool of one connection.
func single(c *pgxpool.Config) { c.MaxConns = 1 }

// planned plans a URL for a client: `/post?sort=id`.
func planned(t testing.TB, c exec.Client, s *schema.Schema, url string) *plan.Plan {
	t.Helper()
	v, err := c.View(context.Background(), s)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	p, err := request.Plan(v, url, plan.Options{})
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return p
}

// run runs SQL as the pool's own role.
func (d *database) run(t testing.TB, sql string) {
	t.Helper()
	if _, err := d.pool.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// rows selects a URL's primary data in the name of a session.
func rows[T any](t testing.TB, d *database, s exec.Session, url string) []T {
	t.Helper()
	c := d.db.As(s)
	out, err := exec.Select[T](context.Background(), c, planned(t, c, d.schema, url))
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return out
}

// refusal checks that an error is one for the client, of this code.
func refusal(t testing.TB, err error, code jsonapi.Code) *jsonapi.Error {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %v", code)
	}
	e := jsonapi.AsErrors(err)[0]
	if e.Code != code {
		t.Fatalf("%v (%v), want %v", err, e.Cause, code)
	}
	return e
}
