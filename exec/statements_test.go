package exec_test

import (
	"context"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// posts is a small schema: posts with comments and tags.
const posts = `
CREATE TABLE post (id int PRIMARY KEY, title varchar(20) NOT NULL, views int NOT NULL, a int, b int, c int, d int, e int, f int, g int, h int);
CREATE TABLE comment (id int PRIMARY KEY, "postId" int NOT NULL REFERENCES post, body text NOT NULL);
CREATE TABLE vote (id int PRIMARY KEY, "postId" int NOT NULL REFERENCES post);
INSERT INTO post SELECT i, 'post ' || i, 10 * i FROM generate_series(1, 5) i;
INSERT INTO comment SELECT i, 1 + i % 5, 'comment ' || i FROM generate_series(1, 20) i;
INSERT INTO vote SELECT i, 1 + i % 5 FROM generate_series(1, 20) i;
`

type post struct {
	ID    int
	Title string
	Views int
}

// get runs a URL as a document would be run, and returns the number of rows of
// its page.
func (d *database) get(t testing.TB, s exec.Session, url string) (int, error) {
	t.Helper()
	c := d.db.As(s)
	p := planned(t, c, d.schema, url)
	result, err := c.Run(context.Background(), sqlgen.NewCompiler().Compile(p.Action), p)
	if err != nil {
		return 0, err
	}
	for i, st := range result.Pipeline.Statements {
		if st.Part == sqlgen.Page {
			return result.Parts[i].Len(), nil
		}
	}
	t.Fatal("no page")
	return 0, nil
}

// prepared counts the statements that the pool's one connection has prepared
// for pipelines.
func (d *database) prepared(t testing.TB) int {
	t.Helper()
	var n int
	err := d.pool.QueryRow(context.Background(), "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'resourcery%'").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStatementsAreKept reads the same shape often: it is prepared once for
// each role.
func TestStatementsAreKept(t *testing.T) {
	d := newDatabase(t, posts, single)
	for _, c := range []struct {
		session exec.Session
		want    int
	}{
		{reader, 4}, // isolation, session, page, total
		{exec.Session{Role: "exec_test_other"}, 6},
		{reader, 6},
	} {
		for range 5 {
			if n, err := d.get(t, c.session, "/post?filter[title]=post 1"); err != nil || n != 1 {
				t.Fatalf("%d rows, %v", n, err)
			}
		}
		if got := d.prepared(t); got != c.want {
			t.Errorf("as %s: %d prepared statements, want %d", c.session.Role, got, c.want)
		}
	}
}

// TestStatementsBelongToARole takes a schema from a role, behind the back of
// what it was once told that it may see. What another role has prepared on the
// connection reads it no more: USAGE is checked when a statement is parsed. (In
// a schema of the search path it would be looked at again in any case.)
func TestStatementsBelongToARole(t *testing.T) {
	d := newDatabase(t, `
CREATE SCHEMA press;
CREATE TABLE press.post (id int PRIMARY KEY);
INSERT INTO press.post VALUES (1);
GRANT USAGE ON SCHEMA press TO exec_test_reader, exec_test_other;
`, single)
	d.reload(t, "press")
	other := exec.Session{Role: "exec_test_other"}
	p := planned(t, d.db.As(other), d.schema, "/post")
	planned(t, d.db.As(reader), d.schema, "/post")
	d.run(t, "REVOKE USAGE ON SCHEMA press FROM exec_test_other")
	pipeline := sqlgen.NewCompiler().Compile(p.Action)
	for range 7 { // enough for a generic plan
		if _, err := d.db.As(reader).Run(t.Context(), pipeline, p); err != nil {
			t.Fatal(err)
		}
		_, err := d.db.As(other).Run(t.Context(), pipeline, p)
		if e := refusal(t, err, jsonapi.Forbidden); e.ORMCode != "42501" {
			t.Errorf("ormCode %q", e.ORMCode)
		}
	}
}

// TestStatementsAreBounded reads more shapes than a connection keeps.
func TestStatementsAreBounded(t *testing.T) {
	d := newDatabase(t, posts, single)
	columns := strings.Split("views,a,b,c,d,e,f,g,h", ",")
	shapes := 0
	for bits := 1; bits < 1<<len(columns) && shapes < 200; bits++ {
		var fields []string
		for i, c := range columns {
			if bits&(1<<i) != 0 {
				fields = append(fields, c)
			}
		}
		if _, err := d.get(t, reader, "/post?page[limit]=2&fields[post]="+strings.Join(fields, ",")); err != nil {
			t.Fatal(err)
		}
		shapes++
		if got := d.prepared(t); got > 132 {
			t.Fatalf("%d prepared statements after %d shapes", got, shapes)
		}
	}
	if got := d.prepared(t); got < 128 {
		t.Errorf("%d prepared statements: nothing was shown", got)
	}
}

// TestRefusedRequestsLeaveNoStatements refuses a document whose first include
// step finds too much. What was prepared for the steps after it is known, and
// not prepared again and again; and the connection serves on.
func TestRefusedRequestsLeaveNoStatements(t *testing.T) {
	for _, keys := range []exec.Keys{exec.KeysInSession, exec.KeysBound} {
		d := newDatabase(t, posts, single)
		d.db = d.open(t, exec.Options{AnonymousRole: reader.Role, Keys: keys})
		c := d.db.As(reader)
		p := planned(t, c, d.schema, "/post?include=comments,votes")
		p.Action.(*plan.Read).MaxIncluded = 3
		pipeline := sqlgen.NewCompiler().Compile(p.Action)
		for range 3 {
			_, err := c.Run(t.Context(), pipeline, p)
			refusal(t, err, jsonapi.TooManyIncluded)
			if got := d.prepared(t); got != 6 {
				t.Fatalf("%d prepared statements, want 6", got)
			}
		}
		p.Action.(*plan.Read).MaxIncluded = 20
		result, err := c.Run(t.Context(), pipeline, p)
		if err != nil {
			t.Fatal(err)
		}
		counts := make(map[sqlgen.Part]int)
		for i, st := range pipeline.Statements {
			counts[st.Part] += result.Parts[i].Len()
		}
		if counts[sqlgen.Page] != 5 || counts[sqlgen.Rows] != 40 {
			t.Errorf("rows: %v", counts)
		}
	}
}

// TestStaleStatements changes what statements on the connection rest on.
func TestStaleStatements(t *testing.T) {
	d := newDatabase(t, posts, single)
	for _, change := range []string{
		"SELECT 1",
		"ALTER TABLE post ALTER COLUMN title TYPE varchar(40)", // 0A000: cached plan must not change result type
		"DEALLOCATE ALL", // 26000
		"DISCARD PLANS",
		"ALTER TABLE post ADD COLUMN further int",
		"CREATE INDEX ON post (title)",
		"DISCARD ALL",
		"ALTER TABLE post ALTER COLUMN title TYPE text",
	} {
		d.run(t, change)
		for range 2 {
			got := rows[post](t, d, reader, "/post?filter[title]=post 2")
			if len(got) != 1 || got[0] != (post{2, "post 2", 20}) {
				t.Errorf("after %s: %v", change, got)
			}
			if n, err := d.get(t, reader, "/post?include=comments"); err != nil || n != 5 {
				t.Errorf("after %s: %d rows, %v", change, n, err)
			}
		}
	}
	if got := d.prepared(t); got > 20 {
		t.Errorf("%d prepared statements", got)
	}
}

// TestOutdatedSchema changes the type of a column to one that is sent in
// another form. That is told each time, and never read as something else.
func TestOutdatedSchema(t *testing.T) {
	d := newDatabase(t, posts, single)
	if n, err := d.get(t, reader, "/post"); err != nil || n != 5 {
		t.Fatal(n, err)
	}
	d.run(t, "ALTER TABLE post ALTER COLUMN views TYPE bigint")
	for range 3 {
		_, err := d.get(t, reader, "/post")
		if e := refusal(t, err, jsonapi.UnknownError); e.Cause == nil || !strings.Contains(e.Cause.Error(), "reload the schema") {
			t.Errorf("the cause is %v", e.Cause)
		}
		if got := d.prepared(t); got > 10 {
			t.Fatalf("%d prepared statements", got)
		}
	}
	d.run(t, "ALTER TABLE post DROP COLUMN views")
	for range 2 {
		_, err := d.get(t, reader, "/post")
		refusal(t, err, jsonapi.UnknownError)
	}
	d.reload(t)
	if n, err := d.get(t, reader, "/post"); err != nil || n != 5 {
		t.Errorf("with the schema read again: %d rows, %v", n, err)
	}
}
