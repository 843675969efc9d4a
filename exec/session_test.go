package exec_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// claims shows who a session says it is: one row is visible, that of the two
// variables' values.
const claims = `
CREATE TABLE claim (id int PRIMARY KEY, name text, tenant text);
INSERT INTO claim VALUES
	(1, '', ''), (2, 'ann', ''), (3, 'ann', 'north'), (4, '', 'north'), (5, NULL, NULL),
	(6, 'Zoë "O''Neil" \ {x} $1 ; --', '');
ALTER TABLE claim ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON claim USING (
	name IS NOT DISTINCT FROM (SELECT current_setting('app.name', true))
	AND tenant IS NOT DISTINCT FROM (SELECT current_setting('App.tenant', true)));
`

type identified struct{ ID int }

// TestVariables sets variables, and leaves them out again: those read ”, as on
// a connection that has never had them.
func TestVariables(t *testing.T) {
	checkVariables(t, newDatabase(t, claims, single))
}

// TestVariablesOfAPlainPool sets them on connections that start in another
// encoding, which a pool that has not been configured leaves alone.
func TestVariablesOfAPlainPool(t *testing.T) {
	d := newDatabase(t, claims)
	config := d.pool.Config()
	clear(config.ConnConfig.RuntimeParams)
	config.ConnConfig.RuntimeParams["client_encoding"] = "LATIN1"
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	d.pool = pool
	checkVariables(t, d)
	var encoding string
	if err := pool.QueryRow(t.Context(), "SHOW client_encoding").Scan(&encoding); err != nil || encoding != "LATIN1" {
		t.Errorf("the encoding was left as %s, %v", encoding, err)
	}
}

func checkVariables(t *testing.T, d *database) {
	t.Helper()
	d.db = d.open(t, exec.Options{AnonymousRole: reader.Role, Variables: []string{"app.name", "app.tenant"}})
	for _, c := range []struct {
		vars map[string]string
		want int
	}{
		{nil, 1},
		{map[string]string{"app.name": "ann"}, 2},
		{nil, 1},
		{map[string]string{"app.name": "ann", "app.tenant": "north"}, 3},
		{map[string]string{"app.tenant": "north"}, 4},
		{map[string]string{}, 1},
		{map[string]string{"app.name": `Zoë "O'Neil" \ {x} $1 ; --`}, 6},
		{map[string]string{"app.name": "", "app.tenant": ""}, 1},
	} {
		got := rows[identified](t, d, exec.Session{Role: reader.Role, Vars: c.vars}, "/claim")
		if !slices.Equal(got, []identified{{c.want}}) {
			t.Errorf("%v: %v, want %d", c.vars, got, c.want)
		}
	}
}

// TestUndeclaredVariable sets what was not declared, be it the same in other
// letters: nothing is asked.
func TestUndeclaredVariable(t *testing.T) {
	d := newDatabase(t, claims)
	d.db = d.open(t, exec.Options{AnonymousRole: reader.Role, Variables: []string{"app.name"}})
	p := planned(t, d.db.As(reader), d.schema, "/claim")
	for _, name := range []string{"app.other", "App.name", "role", "search_path", "resourcery.k1", ""} {
		c := d.db.As(exec.Session{Role: reader.Role, Vars: map[string]string{"app.name": "x", name: "y"}})
		refusedEverywhere(t, d, c, p, jsonapi.UnknownError, "Options.Variables does not declare")
	}
}

// refusedEverywhere asks for a view, a result and structs.
func refusedEverywhere(t *testing.T, d *database, c exec.Client, p *plan.Plan, code jsonapi.Code, cause string) {
	t.Helper()
	_, viewed := c.View(t.Context(), d.schema)
	_, ran := c.Run(t.Context(), sqlgen.NewCompiler().Compile(p.Action), p)
	_, selected := exec.Select[identified](t.Context(), c, p)
	for _, err := range []error{viewed, ran, selected} {
		if e := refusal(t, err, code); e.Cause == nil || !strings.Contains(e.Cause.Error(), cause) {
			t.Errorf("the cause is %v, want %s", e.Cause, cause)
		}
	}
}

// TestClientOfNoDatabase uses a client that As has not made.
func TestClientOfNoDatabase(t *testing.T) {
	d := newDatabase(t, claims)
	p := planned(t, d.db.As(reader), d.schema, "/claim")
	refusedEverywhere(t, d, exec.Client{}, p, jsonapi.UnknownError, "was not made by DB.As")
}

// TestRoles takes roles that may not serve, with a plan that was made from the
// view of one that may.
func TestRoles(t *testing.T) {
	d := newDatabase(t, claims+logins)
	p := planned(t, d.db.As(reader), d.schema, "/claim")
	for role, cause := range map[string]string{
		"none":                     `names the role "none"`,
		"":                         "it is a superuser",
		"exec_test_nobody":         "does not exist",
		"exec_test_login_super":    "it is a superuser",
		"exec_test_login_bypass":   "it has BYPASSRLS",
		"exec_test_login_owner":    "it owns tables that do not FORCE row-level security: public.note",
		`exec_test_reader"`:        "does not exist",
		strings.Repeat("long", 40): "does not exist",
	} {
		refusedEverywhere(t, d, d.db.As(exec.Session{Role: role}), p, jsonapi.Forbidden, cause)
	}
}

// TestRoleIsLost drops the right to a role that has been checked: Postgres
// itself refuses it.
func TestRoleIsLost(t *testing.T) {
	d := newDatabase(t, claims)
	d.run(t, `DO $$ BEGIN
		DROP ROLE IF EXISTS exec_test_passing;
		CREATE ROLE exec_test_passing;
	END $$; GRANT SELECT ON claim TO exec_test_passing`)
	s := exec.Session{Role: "exec_test_passing"}
	rows[identified](t, d, s, "/claim")
	d.run(t, "REVOKE ALL ON claim FROM exec_test_passing; DROP ROLE exec_test_passing")
	c := d.db.As(s)
	_, err := exec.Select[identified](t.Context(), c, planned(t, c, d.schema, "/claim"))
	if e := refusal(t, err, jsonapi.Forbidden); e.ORMCode != "42501" || strings.Contains(e.Detail, "passing") {
		t.Errorf("%v, ormCode %s", e, e.ORMCode)
	}
}

// TestContext runs with contexts that end before and during the query.
func TestContext(t *testing.T) {
	d := newDatabase(t, `
CREATE TABLE slow (id int PRIMARY KEY);
INSERT INTO slow VALUES (1);
CREATE FUNCTION slowly() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN pg_sleep(20) IS NOT NULL; END';
ALTER TABLE slow ENABLE ROW LEVEL SECURITY;
CREATE POLICY slow ON slow USING (slowly());
CREATE TABLE fast (id int PRIMARY KEY);
INSERT INTO fast VALUES (1);
`, func(c *pgxpool.Config) { c.MaxConns = 2 })
	c := d.db.As(reader)
	p := planned(t, c, d.schema, "/slow")
	for _, after := range []time.Duration{0, 50 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		start := time.Now()
		_, err := exec.Select[identified](ctx, c, p)
		cancel()
		refusal(t, err, jsonapi.QueryTimeout)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	}
	if got := rows[identified](t, d, reader, "/fast"); len(got) != 1 {
		t.Errorf("afterwards: %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.db.As(exec.Session{Role: "exec_test_other"}).View(ctx, d.schema); err == nil {
		t.Error("a view was read in a context that had ended")
	}
}
