package exec_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
)

// unnamed opens the database as one that is behind PgBouncer, though nothing is
// in between: what is prepared, and what stays, can be seen.
func unnamed(t *testing.T, o exec.Options) *database {
	t.Helper()
	d := newDatabase(t, posts+claims, single)
	config := d.pool.Config()
	exec.ConfigurePgBouncer(config)
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	d.pool = pool
	o.AnonymousRole, o.PgBouncer = reader.Role, true
	d.reload(t)
	d.db = d.open(t, o)
	return d
}

// TestPgBouncerPreparesNothing reads pages and includes, in both forms of keys.
// The catalogue has been read too.
func TestPgBouncerPreparesNothing(t *testing.T) {
	for _, keys := range []exec.Keys{exec.KeysInSession, exec.KeysBound} {
		d := unnamed(t, exec.Options{Keys: keys})
		for range 3 {
			if n, err := d.get(t, reader, "/post?include=comments,votes&filter[title]=post 1"); err != nil || n != 1 {
				t.Errorf("%d rows, %v", n, err)
			}
			if got := rows[post](t, d, reader, "/post?filter[title]=post 2"); len(got) != 1 || got[0] != (post{2, "post 2", 20}) {
				t.Errorf("%v", got)
			}
		}
		var prepared int
		if err := d.pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_prepared_statements").Scan(&prepared); err != nil || prepared != 0 {
			t.Errorf("%d statements are prepared, %v", prepared, err)
		}
	}
}

// TestPgBouncerVariables sets variables as on any other connection.
func TestPgBouncerVariables(t *testing.T) {
	checkVariables(t, unnamed(t, exec.Options{}))
}

// TestPgBouncerStyle has every request set the style, and give it back.
func TestPgBouncerStyle(t *testing.T) {
	d := unnamed(t, exec.Options{})
	d.run(t, "SET DateStyle = 'German'")
	if n, err := d.get(t, reader, "/post?include=comments"); err != nil || n != 5 {
		t.Errorf("%d rows, %v", n, err)
	}
	var style string
	if err := d.pool.QueryRow(t.Context(), "SHOW DateStyle").Scan(&style); err != nil || style != "German, DMY" {
		t.Errorf("the style was left as %s, %v", style, err)
	}
	for name := range d.pool.Config().ConnConfig.RuntimeParams {
		if strings.EqualFold(name, "DateStyle") || strings.EqualFold(name, "bytea_output") {
			t.Errorf("connections start with %s", name)
		}
	}
}

// TestPgBouncerOutdatedSchema changes the type of a column, which no description
// tells before the statement runs. The connection serves on.
func TestPgBouncerOutdatedSchema(t *testing.T) {
	d := unnamed(t, exec.Options{})
	d.run(t, "ALTER TABLE post ALTER COLUMN views TYPE bigint")
	for range 3 {
		_, err := d.get(t, reader, "/post?include=comments")
		if e := refusal(t, err, jsonapi.UnknownError); e.Cause == nil || !strings.Contains(e.Cause.Error(), "reload the schema") {
			t.Errorf("the cause is %v", e.Cause)
		}
	}
	d.reload(t)
	if n, err := d.get(t, reader, "/post?include=comments"); err != nil || n != 5 {
		t.Errorf("with the schema read again: %d rows, %v", n, err)
	}
}

// TestOptionsRefused opens with options that cannot be meant.
func TestOptionsRefused(t *testing.T) {
	d := newDatabase(t, posts)
	describing := d.pool.Config()
	describing.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	pool, err := pgxpool.NewWithConfig(t.Context(), describing)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for _, c := range []struct {
		pool *pgxpool.Pool
		o    exec.Options
		want string
	}{
		{d.pool, exec.Options{PgBouncer: true}, "open the database: behind PgBouncer the pool must prepare no statements, and its query mode is \"cache statement\": prepare its configuration with exec.ConfigurePgBouncer"},
		{pool, exec.Options{PgBouncer: true}, "open the database: behind PgBouncer the pool must prepare no statements, and its query mode is \"describe exec\": prepare its configuration with exec.ConfigurePgBouncer"},
		{d.pool, exec.Options{StatementTimeout: -1}, "open the database: Options.StatementTimeout is -1ns: write a duration up to 596h31m23.647s, or 0 for none"},
		{d.pool, exec.Options{StatementTimeout: 600 * time.Hour}, "open the database: Options.StatementTimeout is 600h0m0s: write a duration up to 596h31m23.647s, or 0 for none"},
		{d.pool, exec.Options{AcquireTimeout: -time.Second}, "open the database: Options.AcquireTimeout is -1s: write a duration, or 0 for none"},
	} {
		c.o.Schema, c.o.AnonymousRole = d.schema, reader.Role
		if _, err := exec.Open(t.Context(), c.pool, c.o); err == nil || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// TestStatementTimeoutIsSet reads what a policy sees of it: less than a
// millisecond is not no limit.
func TestStatementTimeoutIsSet(t *testing.T) {
	d := newDatabase(t, `
CREATE TABLE bound (id int PRIMARY KEY, ms text NOT NULL);
INSERT INTO bound VALUES (1, '0'), (2, '1500ms'), (3, '1min');
ALTER TABLE bound ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON bound USING (ms = (SELECT current_setting('statement_timeout')));
`, single)
	for limit, want := range map[time.Duration]int{0: 1, 1500 * time.Millisecond: 2, 1499999 * time.Microsecond: 2, time.Minute: 3} {
		d.db = d.open(t, exec.Options{AnonymousRole: reader.Role, StatementTimeout: limit})
		if got := rows[identified](t, d, reader, "/bound"); len(got) != 1 || got[0].ID != want {
			t.Errorf("%v: %v, want %d", limit, got, want)
		}
	}
}
