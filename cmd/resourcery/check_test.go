package main

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/check"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
)

// checkDatabase is the sample, and a role that the server logs in as, which has
// no rights but to become the sample's two.
const checkDatabase = `
DO $$ BEGIN
	CREATE ROLE check_sample LOGIN NOINHERIT PASSWORD 's3cret';
	GRANT publishing_anon, publishing_member TO check_sample;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
`

// checkSample returns the connection strings of a superuser and of the server.
func checkSample(t *testing.T) (admin, server string) {
	t.Helper()
	admin = pgtest.Database(t, sample.Script(sample.Small)+checkDatabase)
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("check_sample", "s3cret")
	return admin, u.String()
}

// plant runs SQL as a superuser.
func plant(t *testing.T, dsn, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// The sample has neither errors nor warnings, and a server's own rights are
// enough to find that.
func TestCheckSample(t *testing.T) {
	_, dsn := checkSample(t)
	code, stdout, stderr := runCommand(t, "check", "--dsn", dsn, "--anon-role", sample.AnonRole, "--fail-on", "warning")
	if code != 0 || stderr != "" {
		t.Fatalf("code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{
		`requests run as "check_sample", "publishing_anon", "publishing_member"` + "\n",
		"\n  \"public\".\"User\"\n" +
			`    "publishing_anon"    by policy  select ("id", "name", "handle", "countryCode", "reputation", "active", "suspendedUntil", "createdAt")` + "\n" +
			`    "publishing_member"  by policy  select, insert ("id", "name", "handle", "email", "countryCode"), update ("name", "handle", "email", "countryCode", "active"), delete` + "\n",
		"\n  \"public\".\"_PostToTag\"\n",
		"\n0 errors, 0 warnings, ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// The exit status tells findings from a check that could not be made, and
// --fail-on says which findings count.
func TestCheckStatus(t *testing.T) {
	admin, dsn := checkSample(t)
	plant(t, admin, `GRANT TRUNCATE ON "Tag" TO publishing_member`)
	t.Chdir(t.TempDir())
	status := func(want int, args ...string) {
		t.Helper()
		code, stdout, stderr := runCommand(t, append([]string{"check"}, args...)...)
		if code != want || (stderr != "") != (want == failedStatus) || (stdout == "") != (want == failedStatus) {
			t.Errorf("%s: code %d, want %d\n%s%s", args, code, want, stdout, stderr)
		}
		if strings.Contains(stdout+stderr, "s3cret") {
			t.Errorf("the password is in the output: %s%s", stdout, stderr)
		}
	}
	status(0, "--dsn", dsn)
	status(0, "--dsn", dsn, "--fail-on", "error")
	status(1, "--dsn", dsn, "--fail-on", "warning")
	status(1, "--dsn", dsn, "--fail-on", "note", "--json")
	status(1, "--dsn", dsn, "--anon-role", "nobody")
	status(1, "--dsn", admin)

	status(2)
	status(2, "--dsn", dsn, "--sreve")
	status(2, "--dsn", dsn, "--fail-on", "never")
	status(2, dsn)
	status(2, "--dsn", dsn, "--schemas", "nowhere")
	status(2, "--dsn", strings.Replace(dsn, "s3cret@", "wrong@", 1))

	t.Setenv("RESOURCERY_DSN", dsn)
	t.Setenv("RESOURCERY_FAIL_ON", "warning")
	status(1)
	if err := os.WriteFile("resourcery.yaml", []byte("fail-on: note\nanon-role: publishing_anon\nmodels:\n  Tag: {hidden: true}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status(0) // what is not served is not checked, and the environment wins
}

// With --json the report is the same, for programs.
func TestCheckJSON(t *testing.T) {
	admin, dsn := checkSample(t)
	plant(t, admin, `ALTER TABLE "Tag" DISABLE ROW LEVEL SECURITY`)
	code, stdout, stderr := runCommand(t, "check", "--dsn", dsn, "--anon-role", sample.AnonRole, "--json")
	if code != 1 || stderr != "" {
		t.Fatalf("code %d: %s", code, stderr)
	}
	var report struct {
		Login, AnonymousRole, Version string
		Roles                         []string
		Access                        []check.Permission
		Findings                      []struct {
			Code, Severity, Object, Detail string
			SQL                            []string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	if report.Login != "check_sample" || report.AnonymousRole != sample.AnonRole || len(report.Roles) != 3 || report.Version == "" {
		t.Errorf("got %+v", report)
	}
	if len(report.Findings) == 0 {
		t.Fatal("no findings")
	}
	first := report.Findings[0]
	if first.Code != "table-no-rls" || first.Severity != "error" || first.Object != `"public"."Tag"` || first.Detail == "" || len(first.SQL) != 2 {
		t.Errorf("got %+v", first)
	}
	for _, p := range report.Access {
		if p.Relation == `"public"."Tag"` && p.Role == sample.MemberRole && (p.Rows != check.Every || len(p.Select) != 1 || p.Select[0] != "*" || p.Delete) {
			t.Errorf("got %+v", p)
		}
	}
	_, text, _ := runCommand(t, "check", "--dsn", dsn, "--anon-role", sample.AnonRole)
	for _, f := range report.Findings {
		if !strings.Contains(text, "\n"+f.Severity+" "+f.Code+": "+f.Object+"\n  "+f.Detail+"\n") {
			t.Errorf("%+v is not in the text", f)
		}
	}
}
