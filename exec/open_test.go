package exec_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// TestVariablesRefused declares names that Open must not take. No server is
// asked.
func TestVariablesRefused(t *testing.T) {
	s, err := schema.FromCatalog(&schema.Catalog{Schemas: []string{"public"}})
	if err != nil {
		t.Fatal(err)
	}
	pool := newPool(t, "postgres://nobody@127.0.0.1:1/none")
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"user_id"}, `variable "user_id" is not a dotted identifier, such as app.user_id`},
		{[]string{""}, `variable "" is not a dotted identifier`},
		{[]string{"app."}, `variable "app." is not a dotted identifier`},
		{[]string{".user"}, `variable ".user" is not a dotted identifier`},
		{[]string{"app..user"}, `variable "app..user" is not a dotted identifier`},
		{[]string{"app.1"}, `variable "app.1" is not a dotted identifier`},
		{[]string{"app.user-id"}, `variable "app.user-id" is not a dotted identifier`},
		{[]string{"app.user\n"}, `is not a dotted identifier`},
		{[]string{"app.x', true), set_config('role', 'postgres"}, `is not a dotted identifier`},
		{[]string{"app." + strings.Repeat("x", 60)}, `is not a dotted identifier`},
		{[]string{"app.user", "app.tenant", "app.user"}, `variable "app.user" is declared twice`},
		{[]string{"app.user", "App.User"}, `variable "App.User" is declared twice`},
		{[]string{"resourcery.k1"}, `variable "resourcery.k1" is in the namespace that pipelines use for their keys`},
		{[]string{"Resourcery.x"}, `variable "Resourcery.x" is in the namespace`},
		{[]string{"role"}, `variable "role" is one of Postgres's own settings`},
		{[]string{"ROLE"}, `variable "ROLE" is one of Postgres's own settings`},
		{[]string{"session_authorization"}, `is one of Postgres's own settings`},
		{[]string{"search_path"}, `is one of Postgres's own settings`},
		{[]string{"row_security"}, `is one of Postgres's own settings`},
		{[]string{"transaction_read_only"}, `is one of Postgres's own settings`},
		{[]string{"transaction_isolation"}, `is one of Postgres's own settings`},
		{[]string{"transaction_deferrable"}, `is one of Postgres's own settings`},
	} {
		_, err := exec.Open(t.Context(), pool, exec.Options{Schema: s, Variables: c.names})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %s", c.names, err, c.want)
		}
	}
	if _, err := exec.Open(t.Context(), pool, exec.Options{}); err == nil || !strings.Contains(err.Error(), "Options.Schema is missing") {
		t.Errorf("without a schema: %v", err)
	}
}

// logins are roles that the tests log in as, each with what row-level security
// makes of it.
const logins = `
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['safe', 'bypass', 'owner', 'super'] LOOP
		BEGIN
			EXECUTE format('CREATE ROLE exec_test_login_%s LOGIN NOINHERIT PASSWORD ''exec''', name);
		EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
		END;
	END LOOP;
	ALTER ROLE exec_test_login_bypass BYPASSRLS;
	ALTER ROLE exec_test_login_super SUPERUSER;
	GRANT exec_test_reader TO exec_test_login_bypass, exec_test_login_owner, exec_test_login_safe;
	GRANT exec_test_login_bypass TO exec_test_login_safe;
END $$;
CREATE TABLE note (id int PRIMARY KEY);
CREATE TABLE forced (id int PRIMARY KEY);
CREATE TABLE open (id int PRIMARY KEY);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
ALTER TABLE forced ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY everyone ON note USING (true);
CREATE POLICY everyone ON forced USING (true);
ALTER TABLE note OWNER TO exec_test_login_owner;
ALTER TABLE forced OWNER TO exec_test_login_owner;
`

// as returns a pool that logs in as one of logins.
func as(t *testing.T, dsn, login string) *pgxpool.Pool {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("exec_test_login_"+login, "exec")
	return newPool(t, u.String(), exec.Configure)
}

// TestStart opens the database as roles that may serve and as roles that may not.
func TestStart(t *testing.T) {
	dsn := pgtest.Database(t, roles+logins)
	d := &database{pool: newPool(t, dsn, exec.Configure)}
	d.reload(t)
	for _, c := range []struct {
		login string
		o     exec.Options
		want  string // "": it serves
	}{
		{login: "safe"},
		{login: "super", want: `open the database: row-level security does not bind the role "exec_test_login_super": it is a superuser; connect as another role, set an anonymous role that it may take, or allow an unsafe role`},
		{login: "bypass", want: `open the database: row-level security does not bind the role "exec_test_login_bypass": it has BYPASSRLS; connect as another role, set an anonymous role that it may take, or allow an unsafe role`},
		{login: "owner", want: `open the database: row-level security does not bind the role "exec_test_login_owner": it owns tables that do not FORCE row-level security: public.note; connect as another role, set an anonymous role that it may take, or allow an unsafe role`},

		{login: "super", o: exec.Options{AnonymousRole: "exec_test_reader"}},
		{login: "bypass", o: exec.Options{AnonymousRole: "exec_test_reader"}},
		{login: "owner", o: exec.Options{AnonymousRole: "exec_test_reader"}},
		{login: "super", o: exec.Options{AllowUnsafeRole: true}},
		{login: "bypass", o: exec.Options{AllowUnsafeRole: true}},
		{login: "owner", o: exec.Options{AllowUnsafeRole: true}},

		{login: "safe", o: exec.Options{AnonymousRole: "exec_test_nobody"}, want: `open the database: the anonymous role "exec_test_nobody" does not exist`},
		{login: "safe", o: exec.Options{AnonymousRole: "exec_test_other"}, want: `open the database: the role "exec_test_login_safe" may not become the anonymous role "exec_test_other": GRANT exec_test_other TO exec_test_login_safe`},
		{login: "safe", o: exec.Options{AnonymousRole: "exec_test_login_bypass"}, want: `open the database: row-level security does not bind the anonymous role "exec_test_login_bypass": it has BYPASSRLS`},
		{login: "super", o: exec.Options{AnonymousRole: "exec_test_login_owner"}, want: `open the database: row-level security does not bind the anonymous role "exec_test_login_owner": it owns tables that do not FORCE row-level security: public.note`},
	} {
		o := c.o
		o.Schema = d.schema
		got := ""
		if _, err := exec.Open(t.Context(), as(t, dsn, c.login), o); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("as %s, anonymous role %q, allowed %t: %s\nwant %s", c.login, c.o.AnonymousRole, c.o.AllowUnsafeRole, got, c.want)
		}
	}
}

// TestUnsafeLoginServesNoSession opens as a superuser with an anonymous role: a
// session that names no role would be the superuser's.
func TestUnsafeLoginServesNoSession(t *testing.T) {
	d := newDatabase(t, logins)
	refusal(t, viewError(t, d.db.As(exec.Session{}), d.schema), jsonapi.Forbidden)
	if err := viewError(t, d.db.As(reader), d.schema); err != nil {
		t.Error(err)
	}
	allowed := d.open(t, exec.Options{AllowUnsafeRole: true})
	if err := viewError(t, allowed.As(exec.Session{}), d.schema); err != nil {
		t.Errorf("with AllowUnsafeRole: %v", err)
	}
}

// TestTablesWithoutPolicyAreLogged reads the log of a start.
func TestTablesWithoutPolicyAreLogged(t *testing.T) {
	d := newDatabase(t, logins)
	var log bytes.Buffer
	d.open(t, exec.Options{AnonymousRole: reader.Role, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "table=public.open") {
		t.Errorf("the log says %s", got)
	}
}

// TestOpenWithoutServer opens where nobody answers.
func TestOpenWithoutServer(t *testing.T) {
	d := newDatabase(t, "")
	if _, err := exec.Open(t.Context(), newPool(t, "postgres://nobody@127.0.0.1:1/none"), exec.Options{Schema: d.schema}); err == nil {
		t.Error("it opened")
	}
}

func viewError(t *testing.T, c exec.Client, s *schema.Schema) error {
	t.Helper()
	_, err := c.View(context.Background(), s)
	return err
}
