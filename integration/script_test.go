package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/internal/golden"
)

// script returns the function that runs the cases of the files in turn. Each
// file has a site of its own, over the database as the options say.
func script(over siteOptions) func(t *testing.T, c *golden.Case) string {
	var site *site
	var owner *testing.T
	return func(t *testing.T, c *golden.Case) string {
		t.Helper()
		if owner != t {
			owner, site = t, nil
		}
		switch c.Cmd {
		case "site":
			sql, models, _ := strings.Cut(c.Input, "-- models\n")
			o := over
			o.sql, o.models, o.rest, o.validated = sql, models, restOptions(t, c), c.HasArg("validated")
			site = newSite(t, o)
			if c.HasArg("tags") {
				site.tags = newTags()
			}
			return "ready\n"
		case "sql":
			if site == nil {
				c.Fatalf(t, "the file has no site yet")
			}
			site.run(t, c.Input)
			return "done\n"
		case "as":
			if site == nil {
				c.Fatalf(t, "the file has no site yet")
			}
			if len(c.CmdArgs) == 0 {
				c.Fatalf(t, "who asks?")
			}
			return site.converse(t, callerNamed(c), c.Input)
		case "ids":
			if site == nil || len(c.CmdArgs) == 0 {
				c.Fatalf(t, "the file has no site yet, or nobody asks")
			}
			return site.idsOf(t, callerNamed(c), c.Input)
		case "rows":
			if site == nil {
				c.Fatalf(t, "the file has no site yet")
			}
			return site.rows(t, c.Input)
		default:
			c.Fatalf(t, "unknown command %q", c.Cmd)
			return ""
		}
	}
}

// restOptions reads the host's options from the arguments of `site`.
func restOptions(t *testing.T, c *golden.Case) httpapi.RESTOptions {
	var o httpapi.RESTOptions
	ints := map[string]*int{
		"page-size": &o.PageSize, "max-page-size": &o.MaxPageSize,
		"max-url-bytes": &o.Limits.MaxURLBytes, "max-conditions": &o.Limits.MaxConditions,
		"max-filter-depth": &o.Limits.MaxFilterDepth, "max-values": &o.Limits.MaxValues,
		"max-sort-keys": &o.Limits.MaxSortKeys, "max-include-depth": &o.Limits.MaxIncludeDepth,
		"max-includes": &o.Limits.MaxIncludes, "max-included": &o.Limits.MaxIncluded,
	}
	for _, arg := range c.CmdArgs {
		switch to := ints[arg.Key]; {
		case to != nil:
			c.ScanArgs(t, arg.Key, to)
		case arg.Key == "unlimited":
			o.PageSize = httpapi.Unlimited
		case arg.Key == "divider":
			o.IDDivider = arg.Vals[0]
		case arg.Key == "allow":
			o.AllowParameters = arg.Vals
		case arg.Key == "strict":
			o.Strict = true
		case arg.Key == "regexp":
			o.AllowRegexp = true
		case arg.Key == "estimates":
			o.AllowEstimates = true
		case arg.Key == "language":
			o.SearchLanguage = arg.Vals[0]
		case arg.Key == "totals":
			o.Totals = httpapi.Totals(arg.Vals[0])
		case arg.Key == "timeout":
			o.Timeout = duration(t, arg.Vals[0])
		case arg.Key == "tags", arg.Key == "validated": // the site's
		default:
			c.Fatalf(t, "unknown option %q", arg.Key)
		}
	}
	return o
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// callerNamed reads the caller from the arguments of `as`: a name of the
// sample, or a role with the claims that follow: `as role=reader sub=1`.
func callerNamed(c *golden.Case) caller {
	who := caller{claims: make(map[string]any)}
	for _, arg := range c.CmdArgs {
		switch {
		case len(arg.Vals) == 0:
			who = people[arg.Key]
		case arg.Key == "role":
			who.role = arg.Vals[0]
		default:
			who.claims[arg.Key] = arg.Vals[0]
		}
	}
	return who
}

// converse sends each request of the input and prints each answer.
func (s *site) converse(t *testing.T, who caller, input string) string {
	t.Helper()
	var out strings.Builder
	for _, r := range requests(t, input) {
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		out.WriteString(s.ask(t, who, r))
	}
	return out.String()
}

// requests reads `GET /path` lines, each with header lines after it, and then
// its body: from a line that begins with a bracket, or with `body: `, to the
// next request.
func requests(t *testing.T, input string) []*http.Request {
	t.Helper()
	var out []*http.Request
	var body strings.Builder
	end := func() {
		if body.Len() > 0 {
			setBody(out[len(out)-1], body.String())
			body.Reset()
		}
	}
	for line := range strings.Lines(input) {
		method, path, isRequest := strings.Cut(strings.TrimSpace(line), " /")
		name, value, isHeader := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case isRequest && method != "" && strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
			end()
			r, err := http.NewRequest(method, "/"+strings.ReplaceAll(path, " ", "%20"), nil)
			if err != nil {
				t.Fatalf("request %q: %v", line, err)
			}
			out = append(out, r)
		case len(out) == 0:
			t.Fatalf("no request yet: %q", line)
		case body.Len() > 0 || strings.HasPrefix(line, "{") || strings.HasPrefix(line, "["):
			body.WriteString(line)
		case name == "body":
			body.WriteString(value)
		case isHeader:
			out[len(out)-1].Header.Add(name, value)
		default:
			t.Fatalf("neither a request nor a header nor a body: %q", line)
		}
	}
	end()
	return out
}

func setBody(r *http.Request, text string) {
	r.Body = io.NopCloser(strings.NewReader(text))
	r.ContentLength = int64(len(text))
}

// rows prints what a query of the server's superuser answers.
func (s *site) rows(t *testing.T, sql string) string {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	results, err := conn.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, sql)
	}
	var out strings.Builder
	for _, result := range results {
		for _, row := range result.Rows {
			for i, v := range row {
				if i > 0 {
					out.WriteString(" | ")
				}
				if v == nil {
					v = []byte("NULL")
				}
				out.Write(v)
			}
			out.WriteString("\n")
		}
	}
	if out.Len() == 0 {
		return "none\n"
	}
	return out.String()
}

// ask sends one request and prints status, headers and document.
func (s *site) ask(t *testing.T, who caller, r *http.Request) string {
	t.Helper()
	s.tags.resolve(r.Header)
	resp, body := s.do(t, who, r)
	var out strings.Builder
	fmt.Fprintf(&out, "%d %s\n", resp.StatusCode, http.StatusText(resp.StatusCode))
	for _, line := range headers(resp.Header) {
		out.WriteString(line + "\n")
	}
	if etag := resp.Header.Get("ETag"); etag != "" && s.tags != nil {
		out.WriteString("ETag: " + s.tags.name(t, etag) + "\n")
	}
	if len(body) > 0 {
		out.WriteString(indented(t, body))
	}
	return out.String()
}

// do sends one request through a real HTTP connection.
func (s *site) do(t *testing.T, who caller, r *http.Request) (*http.Response, []byte) {
	t.Helper()
	u := *r.URL
	r = r.Clone(t.Context())
	base := s.server.URL
	r.URL, r.Host = mustURL(t, base+"/api"+u.RequestURI()), ""
	r.Header.Set(callerHeader, who.encoded(t))
	resp, err := s.server.Client().Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	return resp, body
}

// headers prints those that are not the same on every answer; TestHeaders has
// the others.
func headers(h http.Header) []string {
	var out []string
	for name, values := range h {
		if usual[name] == strings.Join(values, ", ") || slices.Contains(varying, name) {
			continue
		}
		out = append(out, name+": "+strings.Join(values, ", "))
	}
	slices.Sort(out)
	return out
}

var (
	usual = map[string]string{
		"Content-Type": "application/vnd.api+json", "Vary": "Accept", "X-Content-Type-Options": "nosniff",
	}
	varying = []string{"Date", "Content-Length", "X-Request-Id", "Etag"}
)

func indented(t *testing.T, body []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		t.Fatalf("the answer is no JSON: %v\n%s", err, body)
	}
	text := errorID.ReplaceAllString(out.String(), `"id": "..."`)
	return moment.ReplaceAllStringFunc(text, nowAs) + "\n"
}

// moment is a timestamp of a document.
var moment = regexp.MustCompile(`"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"`)

// nowAs hides the times at which rows were written by the test itself.
func nowAs(text string) string {
	at, err := time.Parse(`"2006-01-02T15:04:05.999999Z"`, text)
	if err == nil && time.Since(at).Abs() < time.Hour {
		return `"now"`
	}
	return text
}

// errorID is the id of one of the server's own faults, which differs from run
// to run.
var errorID = regexp.MustCompile(`"id": "[A-Z2-7]{26}"`)
