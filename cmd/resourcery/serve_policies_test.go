package main

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/bearer"
	"github.com/resourcery/resourcery/internal/pgtest"
)

const (
	policySecret  = "a secret of the tests that is long enough"
	authenticator = "resourcery_test_authenticator"
)

// supabased is a database as Supabase sets it up: a login role that has nothing
// but may become anon, authenticated or service_role, and policies over the
// claims. A last table reads a variable that the configuration maps.
const supabased = `
DO $$ BEGIN
	CREATE ROLE anon NOLOGIN NOINHERIT;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
	CREATE ROLE authenticated NOLOGIN NOINHERIT;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
	CREATE ROLE service_role NOLOGIN NOINHERIT BYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
	CREATE ROLE ` + authenticator + ` LOGIN NOINHERIT PASSWORD 'integration';
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
GRANT anon, authenticated, service_role TO ` + authenticator + `;
CREATE SCHEMA auth;
GRANT USAGE ON SCHEMA auth TO anon, authenticated, service_role;
CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS $$
	select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid
$$;
CREATE FUNCTION auth.role() RETURNS text LANGUAGE sql STABLE AS $$
	select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
$$;
CREATE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE AS $$
	select nullif(current_setting('request.jwt.claims', true), '')::jsonb
$$;
CREATE TABLE todos (id int PRIMARY KEY, user_id uuid DEFAULT auth.uid());
CREATE TABLE news (id int PRIMARY KEY, audience text);
CREATE TABLE plans (id int PRIMARY KEY, team text);
CREATE TABLE letters (id int PRIMARY KEY, recipient text);
CREATE TABLE memos (id int PRIMARY KEY, owner text);
GRANT ALL ON ALL TABLES IN SCHEMA public TO anon, authenticated, service_role;
ALTER TABLE todos ENABLE ROW LEVEL SECURITY;
ALTER TABLE news ENABLE ROW LEVEL SECURITY;
ALTER TABLE plans ENABLE ROW LEVEL SECURITY;
ALTER TABLE letters ENABLE ROW LEVEL SECURITY;
ALTER TABLE memos ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON todos TO authenticated USING ((select auth.uid()) = user_id);
CREATE POLICY by_role ON news FOR SELECT USING (auth.role() = audience);
CREATE POLICY teams ON plans FOR SELECT TO authenticated USING ((select auth.jwt()) -> 'app_metadata' -> 'teams' ? team);
CREATE POLICY claimed ON letters USING (recipient = current_setting('request.jwt.claims', true)::json ->> 'email');
CREATE POLICY mapped ON memos USING (owner = current_setting('request.jwt.claim.sub', true));
INSERT INTO todos VALUES (1, '00000000-0000-4000-8000-00000000000a'), (2, '00000000-0000-4000-8000-00000000000b');
INSERT INTO news VALUES (1, 'anon'), (2, 'authenticated'), (3, 'service_role');
INSERT INTO plans VALUES (1, 'reds'), (2, 'blues');
INSERT INTO letters VALUES (1, 'a@example.org'), (2, 'b@example.org'), (3, '');
INSERT INTO memos VALUES (1, '00000000-0000-4000-8000-00000000000a'), (2, '00000000-0000-4000-8000-00000000000b'), (3, NULL);
`

// asAuthenticator logs in as the role that has nothing.
func asAuthenticator(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(authenticator, "integration")
	return u.String()
}

func startSupabased(t *testing.T) (p *process, api string) {
	t.Helper()
	t.Setenv("RESOURCERY_JWT_SECRET", policySecret)
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("session: {request.jwt.claim.sub: sub}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return startServe(t, "--dsn", asAuthenticator(t, pgtest.Database(t, supabased)), "--anon-role", "anon", "--config", file)
}

// Policies over claims hold for the sessions that tokens make, unchanged.
func TestServePoliciesOverClaims(t *testing.T) {
	_, api := startSupabased(t)
	ann := map[string]any{
		"sub": "00000000-0000-4000-8000-00000000000a", "role": "authenticated", "email": "a@example.org",
		"app_metadata": map[string]any{"teams": []string{"blues"}},
	}
	for _, test := range []struct {
		who    string
		claims map[string]any
		seen   map[string][]string
	}{
		{"nobody", nil, map[string][]string{"todos": {}, "news": {"1"}, "plans": {}, "letters": {}, "memos": {}}},
		{"Ann", ann, map[string][]string{"todos": {"1"}, "news": {"2"}, "plans": {"2"}, "letters": {"1"}, "memos": {"1"}}},
		{
			"somebody without a subject", map[string]any{"role": "authenticated"},
			map[string][]string{"todos": {}, "news": {"2"}, "plans": {}, "letters": {}, "memos": {}},
		},
	} {
		token := ""
		if test.claims != nil {
			var err error
			if token, err = bearer.Sign(policySecret, test.claims); err != nil {
				t.Fatal(err)
			}
		}
		for model, want := range test.seen {
			status, body := get(t, api+"/"+model, token)
			if got := ids(t, body); status != http.StatusOK || !slices.Equal(got, want) {
				t.Errorf("%s sees %s %v, want %v: %d %s", test.who, model, got, want, status, body)
			}
		}
	}
	token, err := bearer.Sign(policySecret, map[string]any{"role": "service_role"})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := get(t, api+"/todos", token); status != http.StatusForbidden {
		t.Errorf("the role that bypasses policies: %d %s", status, body)
	}
}

// Whatever a token or its claims say, the answer is a refusal or what policies
// leave, and nobody gains a row by it.
func TestServeHostileTokens(t *testing.T) {
	_, api := startSupabased(t)
	for _, text := range []string{
		`'`, `"`, `\`, `'; DROP TABLE todos; --`, `' OR '1'='1`, `$1`, `?`, `{}`, `{"role":"service_role"}`, "anon\"; RESET ROLE; --", "none", "NONE", "postgres",
		authenticator, "", " anon", "anon ", "ANON", "a\u0000b", "\u2019", strings.Repeat("a", 4000), "pg_read_all_data", "public", "current_user", "anon,service_role",
	} {
		for _, claims := range []map[string]any{
			{"role": text}, {"role": "authenticated", "sub": text}, {"role": "authenticated", text: text},
			{"role": []string{"service_role"}}, {"role": "authenticated", "email": text, "app_metadata": text},
		} {
			token, err := bearer.Sign(policySecret, claims)
			if err != nil {
				t.Fatal(err)
			}
			for model, mine := range map[string]bool{"todos": false, "letters": text == ""} {
				status, body := get(t, api+"/"+model, token)
				switch {
				case status >= http.StatusInternalServerError:
					t.Errorf("%q: %d %s", claims, status, body)
				case status == http.StatusOK && len(ids(t, body)) > 0 && !mine:
					t.Errorf("%q sees %s", claims, body)
				}
			}
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
			continue // no client can send it in a header
		}
		for _, value := range []string{text, "Bearer " + text, "Basic " + text, "Bearer a.b." + text} {
			if status, _ := send(t, http.MethodGet, api+"/todos", "", map[string]string{"Authorization": value}); status != http.StatusUnauthorized {
				t.Errorf("Authorization %q: %d", value, status)
			}
		}
	}
}

// What is granted and taken away is seen with the next reading of the schema;
// until then Postgres has the last word.
func TestServeReloadsPrivileges(t *testing.T) {
	dsn := pgtest.Database(t, supabased)
	p, api := startServe(t, "--dsn", asAuthenticator(t, dsn), "--anon-role", "anon")
	db := connect(t, dsn)
	reload := func(n int, sql string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(t.Context(), "NOTIFY resourcery, 'reload schema'"); err != nil {
			t.Fatal(err)
		}
		awaitCount(t, p, "schema reloaded", n)
	}
	answers := func(path string, status int, part string) {
		t.Helper()
		if got, body := get(t, api+path, ""); got != status || !strings.Contains(body, part) {
			t.Errorf("%s: %d, want %d with %s\n%s", path, got, status, part, body)
		}
	}
	answers("/news/1", http.StatusOK, `"audience":"anon"`)
	if _, err := db.Exec(t.Context(), "REVOKE SELECT ON news FROM anon; GRANT SELECT (id) ON news TO anon"); err != nil {
		t.Fatal(err)
	}
	answers("/news?filter[audience]=anon", http.StatusForbidden, `"42501"`)
	reload(1, "ALTER POLICY by_role ON news USING (id = 1)")
	answers("/news?filter[audience]=anon", http.StatusBadRequest, `has no field`)
	answers("/news/1", http.StatusOK, `{"type":"news","id":1,"links"`)
	reload(2, "REVOKE ALL ON news FROM anon; REVOKE SELECT (id) ON news FROM anon")
	answers("/news/1", http.StatusForbidden, `"You may not read resources of type \"news\"."`)
	reload(3, "GRANT SELECT ON news TO anon")
	answers("/news/1", http.StatusOK, `"audience":"anon"`)
	reload(4, "REVOKE USAGE ON SCHEMA public FROM PUBLIC")
	answers("/news/1", http.StatusForbidden, `"You may not read resources of type \"news\"."`)
}
