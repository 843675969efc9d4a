package main

import (
	"strings"
	"testing"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/bearer"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
)

const explained = "GET /post?filter[author][name]=Ann&include=comments"

func TestExplain(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	code, stdout, stderr := runCommand(t, "explain", "--dsn", dsn, "--allow-unsafe-role", "--role", sample.AnonRole, explained)
	if code != 0 || stderr != "" {
		t.Fatalf("code %d\n%s%s", code, stdout, stderr)
	}
	// Each stage in its place; what stands between is other packages' to test.
	rest := stdout
	for _, part := range []string{
		"syntax\n  collection\n    type post\n  filter\n", "value \"Ann\"\n",
		"\nplan\n  read collection\n", "\"Ann\"",
		"\nstatements\n  1 page of post\n    ", "FROM \"public\".\"Post\"", "\n    $1 text: value $0 of the plan\n",
		"  2 rows of post.comments\n    SELECT ", "  3 count\n    SELECT ", "count(*)", "\n    $1 text: value $0 of the plan\n",
	} {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("no %q in\n%s\nall:\n%s", part, rest, stdout)
		}
		rest = after
	}
	if _, statements, _ := strings.Cut(stdout, "\nstatements\n"); strings.Contains(statements, "Ann") {
		t.Errorf("a value is in the statements:\n%s", statements)
	}
	if strings.Contains(stdout, "analysis") {
		t.Errorf("analyzed unasked:\n%s", stdout)
	}
}

// The same request under two sessions finds different rows.
func TestExplainAnalyze(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	const secret = "a secret of the tests that is long enough"
	token, err := bearer.Sign(secret, sample.People()[0].Claims())
	if err != nil {
		t.Fatal(err)
	}
	base := []string{"explain", "--dsn", dsn, "--allow-unsafe-role", "--jwt-secret", secret, "--anon-role", sample.AnonRole, "--analyze"}
	const drafts = "GET /post?filter[published]=false&include=tags"
	for _, test := range []struct {
		name  string
		flags []string
		empty bool
	}{
		{"nobody", nil, true},
		{"token", []string{"--token", token}, false},
		{"role and variable", []string{"--role", sample.MemberRole, "--set", `request.jwt.claims={"sub":"2"}`}, false},
		{"role alone", []string{"--role", sample.MemberRole}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := runCommand(t, append(append(base, test.flags...), drafts)...)
			_, analysis, ok := strings.Cut(stdout, "\nanalysis\n  1 page of post\n")
			if code != 0 || !ok || !strings.Contains(analysis, "Execution Time") {
				t.Fatalf("code %d\n%s%s", code, stdout, stderr)
			}
			first, _, _ := strings.Cut(analysis, "\n")
			if empty := strings.Contains(first, "rows=0 loops=1"); empty != test.empty {
				t.Errorf("first line %s, want no rows: %t", first, test.empty)
			}
		})
	}
}

// What a flag opens is in the statements.
func TestExplainFlags(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	base := []string{"explain", "--dsn", dsn, "--allow-unsafe-role", "--role", sample.AnonRole}
	for _, test := range []struct {
		flags   []string
		request string
		want    string
	}{
		{[]string{"--allow-regexp"}, "GET /post?filter[title$matches]=^a", "OPERATOR(pg_catalog.~)"},
		{[]string{"--search-language", "english"}, "GET /post?filter[title$search]=a", "'english'::regconfig"},
		{[]string{"--strict"}, "GET /post/1?fields[post]=title", "md5(ROW("},
	} {
		code, stdout, stderr := runCommand(t, append(append(base, test.flags...), test.request)...)
		if code != 0 || !strings.Contains(stdout, test.want) {
			t.Errorf("%v: code %d, no %q in\n%s%s", test.flags, code, test.want, stdout, stderr)
		}
	}
}

// Whatever a policy's function tries to write is refused.
func TestExplainAnalyzeReadsOnly(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small)+`
		CREATE TABLE trace (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
		CREATE FUNCTION traced() RETURNS boolean LANGUAGE sql SECURITY DEFINER
			AS 'INSERT INTO trace DEFAULT VALUES RETURNING true';
		CREATE POLICY traced ON "Tag" AS RESTRICTIVE FOR SELECT TO publishing_anon USING (traced());
	`)
	code, _, stderr := runCommand(t, "explain", "--dsn", dsn, "--anon-role", sample.AnonRole, "--analyze", "GET /tag")
	if code != 1 || !strings.Contains(stderr, "analyze statement 1: ") || !strings.Contains(stderr, "read-only transaction") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func TestExplainRefuses(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	base := []string{"explain", "--dsn", dsn, "--allow-unsafe-role"}
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"unknown field", []string{"--role", sample.AnonRole, "GET /post?filter[titel]=x"}, "400 invalid-filter at filter[titel]"},
		{"unknown type", []string{"--role", sample.AnonRole, "GET /pots"}, "404 unsupported-model"},
		{"unreadable field", []string{"--role", sample.AnonRole, "GET /user?sort=email"}, "400 invalid-sort at sort"},
		{"unknown role", []string{"--role", "nobody_at_all", "GET /post"}, "403 forbidden"},
		{"token and role", []string{"--role", sample.AnonRole, "--token", "x", "GET /post"}, "--token says who is asking"},
		{"token without a secret", []string{"--token", "x", "GET /post"}, "401 unauthorized"},
		{"search language", []string{"--search-language", "klingon", "GET /post"}, `--search-language "klingon" is no text search configuration`},
		{"regular expression", []string{"--role", sample.AnonRole, "GET /post?filter[title$matches]=^a"}, "400 invalid-filter at filter[title$matches]"},
		{"pair", []string{"--set", "x", "GET /post"}, `invalid argument "x" for "--set" flag: write name=value`},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, _, stderr := runCommand(t, append(base, test.args...)...)
			if code != 1 || !strings.Contains(stderr, test.want) {
				t.Errorf("code %d: %s", code, stderr)
			}
		})
	}
}
