package exec_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// numbers has rows of about 900 bytes. The policy of quotients fails at the last
// but one, that of flaky rows at the 50th, once on a connection.
// Statistics are whole, as autovacuum leaves the tables alone: otherwise a plan that
// sorts, and so reads all rows first, may be the cheaper one for a while.
const numbers = `
CREATE TABLE number (id int PRIMARY KEY, text text) WITH (autovacuum_enabled = off);
INSERT INTO number SELECT i, repeat('x', 900) FROM generate_series(1, 20000) i;
CREATE TABLE quotient (id int PRIMARY KEY, text text) WITH (autovacuum_enabled = off);
INSERT INTO quotient SELECT * FROM number;
ALTER TABLE quotient ENABLE ROW LEVEL SECURITY;
CREATE POLICY finite ON quotient USING (1000 / (19999 - id) IS NOT NULL);
CREATE FUNCTION conflict() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 99) THEN
		RETURN true;
	END IF;
	PERFORM pg_advisory_lock(99); -- stays with the connection
	RAISE SQLSTATE '40001';
END $$;
CREATE TABLE flaky (id int PRIMARY KEY, text text) WITH (autovacuum_enabled = off);
INSERT INTO flaky SELECT * FROM number WHERE id <= 200;
ALTER TABLE flaky ENABLE ROW LEVEL SECURITY;
CREATE POLICY once ON flaky USING (id <> 50 OR conflict());
ANALYZE number, quotient, flaky;
`

// A reading is what a stream handed on.
type reading struct {
	pipeline *sqlgen.Pipeline
	page     int
	proceed  func(*reading) error // asked before each row; nil: go on
	ids      []string
	pieces   int // calls of Rows
	bytes    int // of the largest of them
}

func (r *reading) Rows(got *exec.Result) error {
	r.pieces++
	if r.proceed != nil {
		if err := r.proceed(r); err != nil {
			return err
		}
	}
	rows, size := &got.Parts[r.page], 0
	for row := range rows.Len() {
		r.ids = append(r.ids, string(rows.Value(row, 0)))
		for column := range r.pipeline.Statements[r.page].Columns {
			size += len(rows.Value(row, column))
		}
	}
	r.bytes = max(r.bytes, size)
	return nil
}

func (r *reading) Again() bool { return false }

// stream reads the page of a URL without limits. Before each row it asks whether
// to go on.
func (d *database) stream(t *testing.T, db *exec.DB, url string, proceed func(*reading) error) (*reading, error) {
	t.Helper()
	c := db.As(reader)
	v, err := c.View(context.Background(), d.schema)
	if err != nil {
		t.Fatal(err)
	}
	p, err := request.Plan(v, url, plan.Options{PageSize: plan.Unlimited})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Read().Unbounded() {
		t.Fatalf("%s does not stream", url)
	}
	pipeline := sqlgen.NewCompiler().Compile(p.Action)
	page := slices.IndexFunc(pipeline.Statements, func(st *sqlgen.Statement) bool { return st.Part == sqlgen.Page })
	got := &reading{pipeline: pipeline, page: page, proceed: proceed}
	result, err := c.Stream(context.Background(), pipeline, p, got)
	if err == nil && result.Parts[page].Len() > 0 {
		t.Errorf("the result still has %d rows of the page", result.Parts[page].Len())
	}
	return got, err
}

// The bound on what a result may hold is not one on streams.
func TestStream(t *testing.T) {
	d := newDatabase(t, numbers, single)
	db := d.open(t, exec.Options{AnonymousRole: reader.Role, MaxResultBytes: 100_000})
	got, err := d.stream(t, db, "/number", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.ids) != 20_000 || len(slices.Compact(got.ids)) != 20_000 {
		t.Errorf("%d rows", len(got.ids))
	}
	if got.pieces != 20_000 || got.bytes > 1000 {
		t.Errorf("%d pieces of up to %d bytes", got.pieces, got.bytes)
	}
	for url, want := range map[string]int{"/number?filter[id$lte]=4": 4, "/number?filter[id]=0": 0} {
		if got, err := d.stream(t, db, url, nil); err != nil || got.pieces != want {
			t.Errorf("%s: %d pieces, %v", url, got.pieces, err)
		}
	}
}

// Whoever wants no more rows gets the own error back, and the pool serves on.
func TestStreamIsGivenUp(t *testing.T) {
	d := newDatabase(t, numbers, single)
	enough := errors.New("enough")
	for range 3 {
		got, err := d.stream(t, d.db, "/number", func(r *reading) error {
			if r.pieces == 3 {
				return enough
			}
			return nil
		})
		if err != enough || got.pieces != 3 {
			t.Errorf("%d pieces, %v", got.pieces, err)
		}
	}
	if _, err := d.stream(t, d.db, "/number", nil); err != nil {
		t.Error(err)
	}
}

// A fault comes after the rows before it have been handed on.
func TestStreamFails(t *testing.T) {
	d := newDatabase(t, numbers, single)
	for url, pieces := range map[string]int{"/quotient": 19_998, "/quotient?filter[id$gte]=19996": 3, "/quotient?filter[id]=19999": 0} {
		got, err := d.stream(t, d.db, url, nil)
		refusal(t, err, jsonapi.QueryError)
		if got.pieces != pieces {
			t.Errorf("%s: %d pieces before %v, want %d", url, got.pieces, err, pieces)
		}
	}
}

// A connection that is lost on the way is not replaced by another: the rows would
// come twice. One that was dead before is.
func TestStreamIsCut(t *testing.T) {
	d := newDatabase(t, numbers, single)
	dsn := d.pool.Config().ConnString()
	const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
	got, err := d.stream(t, d.db, "/number?sort=-id", func(r *reading) error {
		if r.pieces == 1 {
			aside(t, dsn, cut)
		}
		return nil
	})
	refusal(t, err, jsonapi.DatabaseUnavailable)
	if got.pieces == 0 || len(got.ids) == 20_000 {
		t.Errorf("%d pieces with %d rows", got.pieces, len(got.ids))
	}
	aside(t, dsn, cut)
	if got, err := d.stream(t, d.db, "/number", nil); err != nil || len(got.ids) != 20_000 {
		t.Errorf("%d rows, %v", len(got.ids), err)
	}
}

// aside runs SQL on a connection of its own.
func aside(t *testing.T, dsn, sql string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}

// A page that is bounded comes row by row too: without the row past its limit, and
// anew where the first try failed after some.
func TestStreamOfAPage(t *testing.T) {
	d := newDatabase(t, numbers, single)
	c := d.db.As(reader)
	v, err := c.View(context.Background(), d.schema)
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	for url, more := range map[string]bool{"/number?page[limit]=100&page[total]=none": true, "/number?page[limit]=100&page[total]=none&filter[id$lte]=100": false, "/flaky?page[limit]=100&page[total]=none": true} {
		p, err := request.Plan(v, url, plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pipeline := sqlgen.NewCompiler().Compile(p.Action)
		got := &repeated{reading: reading{pipeline: pipeline}}
		result, err := c.Stream(context.Background(), pipeline, p, got)
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		if len(got.ids) != 100 || result.Parts[0].More() != more {
			t.Errorf("%s: %d rows, more: %v", url, len(got.ids), result.Parts[0].More())
		}
		tries += got.tries
		result.Release()
	}
	if tries != 1 {
		t.Errorf("rows came again %d times", tries)
	}
	small := d.open(t, exec.Options{AnonymousRole: reader.Role, MaxResultBytes: 20_000})
	p, err := request.Plan(v, "/number?page[limit]=100", plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pipeline := sqlgen.NewCompiler().Compile(p.Action)
	_, err = small.As(reader).Stream(context.Background(), pipeline, p, &repeated{reading: reading{pipeline: pipeline}})
	refusal(t, err, jsonapi.QueryError)
}

// A repeated reading takes the rows of another try.
type repeated struct {
	reading
	tries int
}

func (r *repeated) Again() bool {
	r.tries++
	r.ids, r.pieces = nil, 0
	return true
}
