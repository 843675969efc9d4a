package check_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/check"
	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
	"github.com/resourcery/resourcery/schema/overlay"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// cleanSQL is a database without a finding: every role, table and policy as
// they should be. Cases break one thing each.
const cleanSQL = `
DO $$ BEGIN CREATE ROLE check_web LOGIN NOINHERIT PASSWORD 'check'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE check_anon NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE check_member NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE check_author NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
GRANT check_anon, check_member TO check_web;
CREATE SCHEMA auth;
CREATE FUNCTION auth.uid() RETURNS integer LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('app.uid', true), '')::integer $$;
CREATE TABLE author (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE post (
	id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	author_id integer NOT NULL REFERENCES author,
	title text NOT NULL,
	published boolean NOT NULL DEFAULT false
);
CREATE INDEX post_author ON post (author_id);
CREATE TABLE tag (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE post_tag (post_id integer REFERENCES post, tag_id integer REFERENCES tag, PRIMARY KEY (post_id, tag_id));
CREATE INDEX post_tag_tag ON post_tag (tag_id);
ALTER TABLE author ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE post ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE tag ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE post_tag ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY author_read ON author FOR SELECT USING (true);
CREATE POLICY post_read ON post FOR SELECT TO check_anon, check_member USING (published OR author_id = (SELECT auth.uid()));
CREATE POLICY post_write ON post TO check_member USING (author_id = (SELECT auth.uid()));
CREATE POLICY tag_read ON tag FOR SELECT USING (true);
CREATE POLICY post_tag_all ON post_tag USING (EXISTS (SELECT FROM post p WHERE p.id = post_id));
GRANT SELECT ON author, tag TO check_anon, check_member;
GRANT SELECT (id, author_id, title) ON post TO check_anon;
GRANT SELECT, INSERT, UPDATE, DELETE ON post TO check_member;
GRANT SELECT ON post_tag TO check_anon;
GRANT SELECT, INSERT, DELETE ON post_tag TO check_member;
`

// as returns a connection string for another role.
func as(t *testing.T, dsn, role string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role, "check")
	return u.String()
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// report judges a database as the role of the connection sees it.
func report(t *testing.T, conn *pgx.Conn, anonymous string, ids overlay.Models, schemas ...string) *check.Report {
	t.Helper()
	catalog, err := introspect.Load(t.Context(), conn, introspect.Options{Schemas: schemas})
	if err != nil {
		t.Fatal(err)
	}
	if catalog, err = overlay.Apply(catalog, ids); err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromCatalog(catalog)
	if err != nil {
		t.Fatal(err)
	}
	access, err := introspect.ReadAccess(t.Context(), conn, introspect.AccessOptions{
		Schemas: catalog.Schemas, Relations: check.Exposed(s), Role: anonymous,
	})
	if err != nil {
		t.Fatal(err)
	}
	return check.Judge(access, check.Options{AnonymousRole: anonymous})
}

// rounds bounds how often what a repair brings to light is repaired in turn.
const rounds = 3

// TestFindings plants a defect in the clean database, shows what is found, runs
// the SQL of each finding, and shows what is found then. The arguments of
// `check` are login=, anon= and schemas=, and views= names views with a column id
// to serve; what follows `-- undo` runs at the end, for roles, which are the
// server's.
func TestFindings(t *testing.T) {
	golden.Run(t, "testdata/findings", func(t *testing.T, c *golden.Case) string {
		login, anonymous, schemas := argument(c, "login", "check_web"), argument(c, "anon", "check_anon"), argument(c, "schemas", "public")
		ids := overlay.Models{}
		for _, view := range strings.Fields(strings.ReplaceAll(argument(c, "views", ""), "+", " ")) {
			ids[view] = overlay.Model{ID: []string{"id"}}
		}
		dsn := pgtest.Database(t, cleanSQL)
		admin := connect(t, dsn)
		run := func(sql string) {
			t.Helper()
			if _, err := admin.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
				t.Fatalf("%s: %v\n%s", c.Pos, err, sql)
			}
		}
		planted, undo, _ := strings.Cut(c.Input, "-- undo\n")
		run(planted)
		server := connect(t, as(t, dsn, login))
		defer func() { run(undo) }()
		var out strings.Builder
		for round := 0; ; round++ {
			r := report(t, server, anonymous, ids, strings.Split(schemas, "+")...)
			if round > 0 && len(r.Findings) == 0 {
				out.WriteString("mended\n")
			}
			for _, f := range r.Findings {
				if round > 0 {
					fmt.Fprintf(&out, "left: %s %s %s\n", f.Severity, f.Code, f.Object)
					continue
				}
				fmt.Fprintf(&out, "%s %s %s\n  %s\n", f.Severity, f.Code, f.Object, f.Detail)
				for _, s := range f.SQL {
					fmt.Fprintf(&out, "  %s\n", s)
				}
			}
			if len(r.Findings) == 0 || round == rounds {
				break
			}
			for _, f := range r.Findings {
				for _, s := range f.SQL {
					run(s)
				}
			}
		}
		if out.Len() == 0 {
			return "nothing\n"
		}
		return out.String()
	})
}

func argument(c *golden.Case, name, otherwise string) string {
	for _, a := range c.CmdArgs {
		if a.Key == name {
			return strings.Join(a.Vals, "")
		}
	}
	return otherwise
}

// TestPolicyForms shows which conditions call functions for each row, and what
// becomes of them: each is a policy, and so is its repair.
func TestPolicyForms(t *testing.T) {
	dsn := pgtest.Database(t, cleanSQL+formsSQL)
	admin, server := connect(t, dsn), connect(t, as(t, dsn, "check_web"))
	golden.Run(t, "testdata/forms", func(t *testing.T, c *golden.Case) string {
		exec := func(sql string) {
			t.Helper()
			if _, err := admin.Exec(t.Context(), sql); err != nil {
				t.Fatalf("%s: %v\n%s", c.Pos, err, sql)
			}
		}
		exec("DROP POLICY IF EXISTS form ON tenant_row; CREATE POLICY form ON tenant_row FOR SELECT USING (" + c.Input + ")")
		found := perRow(t, server)
		if len(found) == 0 {
			return "once\n"
		}
		if len(found[0].SQL) == 0 {
			return found[0].Detail + "\nby hand\n"
		}
		exec(found[0].SQL[0])
		if left := perRow(t, server); len(left) > 0 {
			return found[0].SQL[0] + "\nleft: " + left[0].Detail + "\n"
		}
		return found[0].SQL[0] + "\n"
	})
}

const formsSQL = `
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE FUNCTION auth.team_ids() RETURNS integer[] LANGUAGE sql STABLE AS $$ SELECT '{1,2}'::integer[] $$;
CREATE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('request.jwt.claims', true), '')::jsonb $$;
CREATE FUNCTION auth.role() RETURNS text LANGUAGE sql STABLE AS $$ SELECT auth.jwt() ->> 'role' $$;
CREATE FUNCTION auth."can see"(integer) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT true $$;
CREATE FUNCTION auth.fixed() RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT 1 $$;
CREATE FUNCTION auth.teams() RETURNS SETOF integer LANGUAGE sql STABLE AS $$ SELECT 1 $$;
CREATE FUNCTION auth.tenant() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RETURN current_setting('app.tenant')::integer; END $$;
CREATE TABLE tenant_row (
	id integer PRIMARY KEY, tenant_id integer, owner text, "auth.uid()" text, mood mood, "from" integer, at timestamptz, data jsonb, uid uuid);
CREATE TABLE member (tenant_id integer, user_id integer, PRIMARY KEY (tenant_id, user_id));
ALTER TABLE tenant_row ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT ON tenant_row TO check_anon;
GRANT SELECT ON member TO check_anon;
`

func perRow(t *testing.T, server *pgx.Conn) []check.Finding {
	t.Helper()
	r := report(t, server, "check_anon", nil, "public")
	return slices.DeleteFunc(r.Findings, func(f check.Finding) bool { return f.Code != "policy-per-row" })
}
