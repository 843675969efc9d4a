package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// refuse is a Client that lets nobody in, so that no request of these tests
// gets as far as a database.
func refuse(err error) func(*http.Request) (exec.Client, error) {
	return func(*http.Request) (exec.Client, error) { return exec.Client{}, err }
}

// errPassed stands for "got past path, method and negotiation".
var errPassed = &jsonapi.Error{Code: jsonapi.TooManyRequests, Detail: "Slow down."}

// newHost returns a handler at https://example.org/api and its log.
func newHost(t *testing.T, client func(*http.Request) (exec.Client, error)) (http.Handler, *bytes.Buffer) {
	t.Helper()
	style, err := REST(RESTOptions{Endpoint: endpoint, Limits: Limits{MaxURLBytes: 200}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	h, err := NewHost(HostOptions{
		Client:  client,
		Logger:  slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Schema:  &schema.Schema{},
		Handler: style,
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, &log
}

func do(h http.Handler, method, target string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// decode returns the error objects of an answer.
func decode(t *testing.T, body []byte) []errorObject {
	t.Helper()
	var d errorDocument
	if err := json.Unmarshal(body, &d, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("the answer is no error document: %v\n%s", err, body)
	}
	return d.Errors
}

// statusOf returns the status of an error object.
func statusOf(t *testing.T, e errorObject) int {
	t.Helper()
	n, err := strconv.Atoi(strings.Trim(string(e.Status), `"`))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNewHostRefusesOptions(t *testing.T) {
	style, err := REST(RESTOptions{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	client := refuse(errPassed)
	for _, c := range []struct {
		name    string
		options HostOptions
		want    string
	}{
		{"no client", HostOptions{Schema: &schema.Schema{}, Handler: style}, "db.As"},
		{"no handler", HostOptions{Client: client, Schema: &schema.Schema{}}, "httpapi.REST"},
		{"no schema and no file", HostOptions{Client: client, Handler: style}, "resourcery introspect --out " + DefaultSchema},
	} {
		_, err := NewHost(c.options)
		if err == nil || !strings.HasPrefix(err.Error(), "httpapi: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant it to say %q", c.name, err, c.want)
		}
	}
}

func TestNewHostLoadsTheGeneratedFile(t *testing.T) {
	style, err := REST(RESTOptions{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	f, err := os.Create(DefaultSchema)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := (&schema.Catalog{Schemas: []string{"public"}}).WriteTo(f); err != nil {
		t.Fatal(err)
	}
	if _, err := NewHost(HostOptions{Client: refuse(errPassed), Handler: style}); err != nil {
		t.Error(err)
	}
}

// What each form of a path has (contract 2.1, 2.2), by the letter of JSON:API and
// otherwise.
func TestMethods(t *testing.T) {
	lax, _ := newHost(t, refuse(errPassed))
	strict := newStrict(t, refuse(errPassed))
	for _, c := range []struct{ path, lax, strict string }{
		{"/post", "GET, HEAD, POST, OPTIONS", "GET, HEAD, POST, OPTIONS"},
		{"/post/1", "GET, HEAD, PATCH, PUT, DELETE, OPTIONS", "GET, HEAD, PATCH, DELETE, OPTIONS"},
		{"/post/1/author", "GET, HEAD, PATCH, PUT, OPTIONS", "GET, HEAD, PATCH, OPTIONS"},
		{"/post/1/relationships/tags", "GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS", "GET, HEAD, POST, PATCH, DELETE, OPTIONS"},
		{"/operations", "POST, OPTIONS", "POST, OPTIONS"},
	} {
		for h, want := range map[http.Handler]string{lax: c.lax, strict: c.strict} {
			for _, method := range []string{"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "Patch"} {
				w := do(h, method, "/api"+c.path, nil)
				status, allow := 429, ""
				switch {
				case method == "OPTIONS":
					status, allow = 204, want
				case !slices.Contains(strings.Split(want, ", "), method):
					status, allow = 405, want
				}
				if w.Code != status || w.Header().Get("Allow") != allow {
					t.Errorf("%s %s: %d, Allow %q; want %d, %q", method, c.path, w.Code, w.Header().Get("Allow"), status, allow)
				}
				if status == 405 && method != "HEAD" && !strings.Contains(w.Body.String(), "use one of "+want+".") {
					t.Errorf("%s %s: %s", method, c.path, w.Body)
				}
			}
		}
	}
}

func TestPaths(t *testing.T) {
	h, _ := newHost(t, refuse(errPassed))
	for _, c := range []struct {
		method, target string
		status         int
	}{
		{"GET", "/api/post", 429},
		{"HEAD", "/api/post", 429},
		{"OPTIONS", "/api/post", 204},
		{"GET", "/api/post/1", 429},
		{"GET", "/api/post/1/author", 429},
		{"GET", "/api/post/1/relationships/author", 429},
		{"GET", "/api/post/a%2Fb", 429},
		{"GET", "/%61pi/post", 429},
		{"OPTIONS", "/api/post/1/relationships/author", 204},
		{"GET", "/api", 404},
		{"GET", "/api/", 404},
		{"GET", "/api/post/", 404},
		{"POST", "/api/post/", 404},
		{"GET", "/api/post/1/2/3/4", 404},
		{"POST", "/api/operations", 429},
		{"OPTIONS", "/api/post/", 404},
		{"DELETE", "/apis/post/1", 404},
		{"GET", "/post", 404},
		{"GET", "/api/post?x=" + strings.Repeat("a", 200), 414},
		{"POST", "/api/" + strings.Repeat("a", 200), 414},
		{"GET", "/api/post?x=" + strings.Repeat("a", 200-len("/api/post?x=")), 429},
	} {
		w := do(h, c.method, c.target, nil)
		if w.Code != c.status {
			t.Errorf("%s %s: %d, want %d: %s", c.method, c.target, w.Code, c.status, w.Body)
		}
		if w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s %s: no X-Request-Id", c.method, c.target)
		}
		if c.status == 204 && (w.Body.Len() != 0 || w.Header().Get("Content-Type") != "") {
			t.Errorf("%s %s: 204 with a body: %v %s", c.method, c.target, w.Header(), w.Body)
		}
	}
}

func TestOrderOfChecks(t *testing.T) {
	asked := 0
	h, _ := newHost(t, func(*http.Request) (exec.Client, error) { asked++; return exec.Client{}, errPassed })
	html := http.Header{"Accept": {"text/html"}}
	for _, c := range []struct {
		method, target string
		header         http.Header
		code           string
		asked          int
	}{
		{"PUT", "/api/" + strings.Repeat("a", 200) + "//", html, "uri-too-long", 0},
		{"PUT", "/api/post/", html, "invalid-path", 0},
		{"PUT", "/api/post", html, "method-not-allowed", 0},
		{"PUT", "/api/post", http.Header{"Content-Type": {"application/vnd.api+json;charset=utf-8"}}, "method-not-allowed", 0},
		{"PATCH", "/api/post/1?nothing=1", html, "not-acceptable", 0},
		{"POST", "/api/post", http.Header{"Content-Type": {`application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"`}}, "unsupported-media-type", 0},
		{"POST", "/api/post", http.Header{"Accept": {`application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"`}}, "not-acceptable", 0},
		{"POST", "/api/nothing?filter=%zz", http.Header{"If-Match": {`"x"`}}, "too-many-requests", 1},
		{"GET", "/api/post?nothing=1", html, "not-acceptable", 0},
		{"GET", "/api/post?nothing=1", http.Header{"Content-Type": {"application/vnd.api+json;charset=utf-8"}}, "unsupported-media-type", 0},
		{"GET", "/api/nothing/1?nothing=1&filter=%zz", nil, "too-many-requests", 1},
	} {
		asked = 0
		errs := decode(t, do(h, c.method, c.target, c.header).Body.Bytes())
		if len(errs) != 1 || errs[0].Code != c.code || asked != c.asked {
			t.Errorf("%s %s: %+v after asking the client %d times, want %s after %d", c.method, c.target, errs, asked, c.code, c.asked)
		}
	}
}

func TestErrorDocument(t *testing.T) {
	h, _ := newHost(t, refuse(&jsonapi.Error{
		Code: jsonapi.Forbidden, Detail: "No entry, \"Ann\" <\xff>.", Source: jsonapi.Header("Authorization"), ORMCode: "42501",
		Meta: map[string]any{"b": 1, "a": []int{2}}, Cause: errors.New("kept back"),
	}))
	w := do(h, "GET", "/api/post", http.Header{"Accept": {"application/json"}})
	const want = `{"errors":[{"code":"forbidden","status":403,"title":"Operation is forbidden",` +
		`"detail":"No entry, \"Ann\" <` + "\uFFFD" + `>.","source":{"header":"Authorization"},"ormCode":"42501","meta":{"a":[2],"b":1}}]}`
	if got := w.Body.String(); got != want {
		t.Errorf("the document is %s\nwant %s", got, want)
	}
	for name, want := range map[string]string{
		"Content-Type":           "application/vnd.api+json",
		"Content-Length":         fmt.Sprint(w.Body.Len()),
		"Vary":                   "Accept",
		"X-Content-Type-Options": "nosniff",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// Errors about operations are answers under the extension; those that come
// before anybody knows of it are not.
func TestErrorsOfOperations(t *testing.T) {
	h, _ := newHost(t, refuse(errPassed))
	const atomic = `application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"`
	for _, c := range []struct {
		method, accept string
		status         int
		want           string
	}{
		{"POST", atomic, 429, atomic},
		{"POST", "*/*", 429, atomic},
		{"PATCH", atomic, 405, "application/vnd.api+json"},
		{"POST", "text/html", 406, "application/vnd.api+json"},
	} {
		w := do(h, c.method, "/api/operations", http.Header{"Accept": {c.accept}})
		if got := w.Header().Get("Content-Type"); w.Code != c.status || got != c.want {
			t.Errorf("%s with Accept: %s: %d as %s, want %d as %s", c.method, c.accept, w.Code, got, c.status, c.want)
		}
	}
	if w := do(h, "POST", "/api/post", nil); w.Header().Get("Content-Type") != "application/vnd.api+json" {
		t.Errorf("elsewhere: %v", w.Header())
	}
}

// Under Strict the status of an error object is a string, on every way to it.
func TestStrictErrors(t *testing.T) {
	h := newStrict(t, refuse(jsonapi.Errors{{Code: jsonapi.ValidationError, Detail: "Too short."}, {Code: jsonapi.RequiredRelationship}}))
	const want = `{"errors":[{"code":"validation-error","status":"422","title":"Input validation failed","detail":"Too short."},` +
		`{"code":"required-relationship","status":"422","title":"Relationship is required"}]}`
	if w := do(h, "GET", "/api/post", nil); w.Code != 422 || w.Body.String() != want {
		t.Errorf("%d %s\nwant %s", w.Code, w.Body, want)
	}
	panics := newStrict(t, func(*http.Request) (exec.Client, error) { panic("an invariant") })
	for _, c := range []struct {
		handler        http.Handler
		method, target string
		want           string
	}{
		{h, "GET", "/api/post/", `"404"`},
		{h, "PUT", "/api/post/1", `"405"`},
		{panics, "GET", "/api/post", `"500"`},
	} {
		errs := decode(t, do(c.handler, c.method, c.target, nil).Body.Bytes())
		if len(errs) != 1 || string(errs[0].Status) != c.want || (errs[0].ID != "") != (c.want == `"500"`) {
			t.Errorf("%s %s: %+v, want the status %s", c.method, c.target, errs, c.want)
		}
	}
}

func newStrict(t *testing.T, client func(*http.Request) (exec.Client, error)) http.Handler {
	t.Helper()
	style, err := REST(RESTOptions{Endpoint: endpoint, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	empty, err := schema.FromCatalog(&schema.Catalog{Schemas: []string{"public"}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHost(HostOptions{Client: client, Schema: empty, Handler: style})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A schema with an attribute called type is served, but not strictly; the error
// has the overlay's line (contract 1.12).
func TestStrictRefusesTheSchema(t *testing.T) {
	served, err := schema.FromCatalog(&schema.Catalog{
		Schemas: []string{"public"},
		Relations: []schema.TableDef{{
			Table: schema.Table{Schema: "public", Name: "Event"}, Relation: schema.OrdinaryTable,
			Columns: []schema.ColumnDef{
				{Name: "id", Type: schema.TypeRef{Schema: "pg_catalog", Name: "int4"}, NotNull: true},
				{Name: "type", Type: schema.TypeRef{Schema: "pg_catalog", Name: "text"}},
			},
			Keys: []schema.KeyDef{{Name: "Event_pkey", Columns: []string{"id"}, Primary: true}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, strict := range []bool{false, true} {
		style, err := REST(RESTOptions{Endpoint: endpoint, Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewHost(HostOptions{Client: refuse(errPassed), Schema: served, Handler: style})
		switch {
		case !strict && err != nil:
			t.Error(err)
		case strict && (err == nil || !strings.HasPrefix(err.Error(), "httpapi: HostOptions.Schema: ") || !strings.Contains(err.Error(), "type: {name: NAME}")):
			t.Errorf("strictly: %v", err)
		}
	}
}

func TestErrorsOfTheClient(t *testing.T) {
	secret := errors.New("password of the database")
	for _, c := range []struct {
		name       string
		err        error
		status     int
		codes      string
		challenges []string
		retry      bool
	}{
		{"any", secret, 500, "unknown-error", nil, false},
		{"a jsonapi.Error, wrapped", fmt.Errorf("look up: %w", &jsonapi.Error{Code: jsonapi.Forbidden, Cause: secret}), 403, "forbidden", nil, false},
		{"unauthorized", Unauthorized("Log in."), 401, "unauthorized", []string{"Bearer"}, false},
		{"unauthorized, wrapped", fmt.Errorf("%w: %w", secret, Unauthorized("Log in.")), 401, "unauthorized", []string{"Bearer"}, false},
		{"unauthorized with challenges", Unauthorized("Log in.", `Bearer error="invalid_token"`, `Basic realm="x"`), 401, "unauthorized",
			[]string{`Bearer error="invalid_token"`, `Basic realm="x"`}, false},
		{"unauthorized by its code", &jsonapi.Error{Code: jsonapi.Unauthorized}, 401, "unauthorized", []string{"Bearer"}, false},
		{"unavailable", &jsonapi.Error{Code: jsonapi.DatabaseUnavailable, Cause: secret}, 503, "database-unavailable", nil, true},
		{"several alike", jsonapi.Errors{{Code: jsonapi.InvalidFilter}, {Code: jsonapi.InvalidSort}}, 400, "invalid-filter invalid-sort", nil, false},
		{"several unlike", jsonapi.Errors{{Code: jsonapi.NotFound}, {Code: jsonapi.Forbidden}}, 400, "not-found forbidden", nil, false},
		{"Meta that is no JSON", &jsonapi.Error{Code: jsonapi.Unauthorized, Meta: map[string]any{"f": func() {}}}, 500, "unknown-error", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, log := newHost(t, refuse(c.err))
			w := do(h, "GET", "/api/post?token=in-the-query", http.Header{"Authorization": {"Bearer in-the-header"}})
			var codes []string
			for _, e := range decode(t, w.Body.Bytes()) {
				codes = append(codes, e.Code)
				if own := statusOf(t, e) >= 500; own != (e.ID != "") || own && !strings.Contains(log.String(), e.ID) {
					t.Errorf("%s has the id %q, and the log is\n%s", e.Code, e.ID, log)
				}
			}
			if got := strings.Join(codes, " "); w.Code != c.status || got != c.codes {
				t.Errorf("%d %s, want %d %s", w.Code, got, c.status, c.codes)
			}
			if got := w.Header().Values("WWW-Authenticate"); fmt.Sprint(got) != fmt.Sprint(c.challenges) {
				t.Errorf("WWW-Authenticate is %q, want %q", got, c.challenges)
			}
			if got := w.Header().Get("Retry-After") != ""; got != c.retry {
				t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
			}
			if strings.Contains(w.Body.String(), secret.Error()) {
				t.Errorf("the cause went to the client: %s", w.Body)
			}
			if errors.Is(c.err, secret) && !strings.Contains(log.String(), secret.Error()) {
				t.Errorf("the cause is not in the log:\n%s", log)
			}
			if strings.Contains(log.String(), "in-the-") {
				t.Errorf("the log holds what the request sent:\n%s", log)
			}
			if level := "level=ERROR msg=request"; strings.Contains(log.String(), level) != (c.status >= 500) {
				t.Errorf("a %d is logged as\n%s", c.status, log)
			}
		})
	}
}
