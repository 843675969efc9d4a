package integration

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// FuzzHandler sends any path and query through the whole handler to the
// database, see prober. The requests of the scripts are the seeds.
func FuzzHandler(f *testing.F) {
	for _, line := range scripted(f) {
		f.Add(line, false)
	}
	p := newProber(f)
	f.Fuzz(func(t *testing.T, line string, anonymous bool) {
		u, err := url.ParseRequestURI(line)
		if err != nil || u.Host != "" || u.Scheme != "" {
			return // no HTTP server hands that on
		}
		p.probe(t, anonymous, u)
	})
}

// FuzzCursor sends cursors whose mark fits and whose parts are anything, to
// lists sorted by every kind of value: what planning lets through, Postgres
// takes or refuses as the client's mistake.
func FuzzCursor(f *testing.F) {
	sql, err := os.ReadFile("../internal/golden/schema.sql")
	if err != nil {
		f.Fatal(err)
	}
	s := newSite(f, siteOptions{sql: string(sql) + `INSERT INTO "Kinds" DEFAULT VALUES;`})
	kinds, ok := s.schema.Model("kinds")
	if !ok {
		f.Fatal("no model kinds")
	}
	var sorts []string
	for _, field := range kinds.Fields {
		if field.Type.Ordered {
			sorts = append(sorts, field.Name)
		}
	}
	for i := range sorts {
		f.Add(uint8(i), []byte("\x00\x021"))
		f.Add(uint8(i), []byte("\x021\x021"))
		f.Add(uint8(i), []byte("\x06{1,2}\x021"))
		f.Add(uint8(i), []byte("\x09infinity\x021"))
	}
	f.Fuzz(func(t *testing.T, sort uint8, parts []byte) {
		u := &url.URL{Path: "/kinds", RawQuery: "fields[kinds]=&sort=" + sorts[int(sort)%len(sorts)]}
		read := s.planned(t, people["reader"], u).Action.(*plan.Read)
		mark, err := base64.RawURLEncoding.DecodeString(string(read.Query.AppendCursor(nil, nil)))
		if err != nil {
			t.Fatal(err)
		}
		u.RawQuery += "&page[after]=" + base64.RawURLEncoding.EncodeToString(append(mark, parts...))
		switch status, body := s.handle(t, people["reader"], u); status {
		case http.StatusOK:
			checkSuccess(t, u, body)
		case http.StatusBadRequest:
			checkErrors(t, status, body)
		default:
			t.Fatalf("%s: status %d\n%s", u, status, body)
		}
	})
}

// TestCombinedRequests sends requests that no script has: the parameters of two
// of them, on the path of the first.
func TestCombinedRequests(t *testing.T) {
	byType := make(map[string][]*url.URL)
	for _, line := range scripted(t) {
		if u, err := url.ParseRequestURI(line); err == nil && u.RawQuery != "" {
			typ, _, _ := strings.Cut(u.Path[1:], "/")
			byType[typ] = append(byType[typ], u)
		}
	}
	p := newProber(t)
	random := rand.New(rand.NewPCG(4, 16))
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		all := byType[typ]
		for range min(8*len(all), 1500) {
			u := *all[random.IntN(len(all))]
			u.RawQuery += "&" + all[random.IntN(len(all))].RawQuery
			p.probe(t, random.IntN(4) == 0, &u)
		}
	}
	if p.answered < 1000 {
		t.Errorf("only %d requests were answered by a document", p.answered)
	}
}

// A prober sends requests through the handler, without a connection between: no
// answer may be a 5xx, documents check out, errors are well formed, and
// statements depend on the request's shape alone.
type prober struct {
	site     *site
	compiler *sqlgen.Compiler // of all plans so far
	answered int              // by a document
}

func newProber(tb testing.TB) *prober {
	tb.Helper()
	s := newSite(tb, siteOptions{rest: httpapi.RESTOptions{PageSize: probedPage, AllowEstimates: true}})
	return &prober{site: s, compiler: sqlgen.NewCompiler()}
}

// probedPage is the page size, small enough to leave pages.
const probedPage = 4

func (p *prober) probe(t *testing.T, anonymous bool, u *url.URL) {
	t.Helper()
	who := people["ann"]
	if anonymous {
		who = people["anon"]
	}
	status, body := p.site.handle(t, who, u)
	switch {
	case status >= http.StatusInternalServerError:
		t.Fatalf("%s: status %d\n%s", u, status, body)
	case status == http.StatusOK:
		p.answered++
		checkSuccess(t, u, body)
		checkStatements(t, p.compiler, p.site.planned(t, who, u))
	default:
		checkErrors(t, status, body)
	}
}

// scripted returns the targets of all requests in the scripts about the sample.
func scripted(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("testdata/scripts/*")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no scripts (%v)", err)
	}
	var found []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		if strings.Contains(string(text), "CREATE TABLE") {
			continue
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "GET ")
			if strings.HasPrefix(line, "/") {
				found = append(found, strings.ReplaceAll(line, " ", "%20"))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// handle hands a request to the site's handler without a connection between.
func (s *site) handle(t *testing.T, who caller, u *url.URL) (int, []byte) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.URL.Path, r.URL.RawPath = "/api"+u.Path, ""
	if u.RawPath != "" {
		r.URL.RawPath = "/api" + u.RawPath
	}
	r.URL.RawQuery = u.RawQuery
	r.Header.Set(callerHeader, who.encoded(t))
	w := httptest.NewRecorder()
	s.server.Config.Handler.ServeHTTP(w, r)
	return w.Code, w.Body.Bytes()
}

// planned returns the plan of a request that the handler has answered.
func (s *site) planned(t *testing.T, who caller, u *url.URL) *plan.Plan {
	t.Helper()
	view := s.view(t, who)
	target, err := parse.Path(u.EscapedPath())
	if err != nil {
		t.Fatalf("%s is answered, but %v", u, err)
	}
	request, err := parse.Query(target, u.RawQuery, parse.Options{})
	if err != nil {
		t.Fatalf("%s is answered, but %v", u, err)
	}
	p, err := plan.Build(view, request, plan.Options{PageSize: probedPage, AllowEstimates: true})
	if err != nil {
		t.Fatalf("%s is answered, but %v", u, err)
	}
	return p
}

func (s *site) view(t *testing.T, who caller) *schema.View {
	t.Helper()
	view, err := s.db.As(exec.Session{Role: who.role}).View(t.Context(), s.schema)
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// checkStatements compares what a compiler that has seen many requests makes of
// a plan with what a new one does: the first may answer from its cache, by the
// shape, and the second never.
func checkStatements(t *testing.T, old *sqlgen.Compiler, p *plan.Plan) {
	t.Helper()
	got, want := old.Compile(p.Action), sqlgen.NewCompiler().Compile(p.Action)
	if len(got.Statements) != len(want.Statements) {
		t.Fatalf("%d statements for the shape, %d for the plan", len(got.Statements), len(want.Statements))
	}
	for i, statement := range got.Statements {
		if statement.SQL != want.Statements[i].SQL || !reflect.DeepEqual(statement.Params, want.Statements[i].Params) {
			t.Fatalf("for the shape\n%s %v\nfor the plan\n%s %v",
				statement.SQL, statement.Params, want.Statements[i].SQL, want.Statements[i].Params)
		}
	}
}

// checkSuccess checks a document. Where members are left out on request, what is
// included need not be linked to.
func checkSuccess(t *testing.T, u *url.URL, body []byte) {
	t.Helper()
	path := u.Path
	if u.Query().Has("include") {
		path += "?include="
	}
	d := &document{path: path}
	if err := json.Unmarshal(body, &d.members); err != nil || !utf8.Valid(body) {
		t.Fatalf("%s: %v\n%s", u, err, body)
	}
	d.check()
	for _, fault := range d.faults {
		if !strings.Contains(u.RawQuery, "fields") || !strings.HasSuffix(fault, "nothing links to it") {
			t.Errorf("%s: %s\n%s", u, fault, body)
		}
	}
}

// checkErrors checks an error document: each error has what contract 8.1 names,
// and the answer's status is theirs, or 400 where they differ.
func checkErrors(t *testing.T, status int, body []byte) {
	t.Helper()
	var d map[string][]struct {
		Code, Title, Detail string
		Status              int
		Source              map[string]string
	}
	if err := json.Unmarshal(body, &d); err != nil || len(d) != 1 || len(d["errors"]) == 0 || !utf8.Valid(body) {
		t.Fatalf("status %d: %v\n%s", status, err, body)
	}
	var statuses []int
	for _, e := range d["errors"] {
		statuses = append(statuses, e.Status)
		if e.Code == "" || e.Title == "" || e.Detail == "" {
			t.Errorf("an error without code, title or detail in\n%s", body)
		}
	}
	slices.Sort(statuses)
	if statuses = slices.Compact(statuses); len(statuses) == 1 && statuses[0] != status || len(statuses) > 1 && status != http.StatusBadRequest {
		t.Errorf("status %d for errors of %v", status, statuses)
	}
}
