package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/parse"
)

// writingStyle takes small bodies and a parameter of the host's own.
func writingStyle(t *testing.T) *rest {
	t.Helper()
	s, err := REST(RESTOptions{Endpoint: endpoint, Limits: Limits{MaxBodyBytes: 400, MaxOperations: 2}, AllowParameters: []string{"trace"}})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*rest)
}

// What a writing request is read as.
func TestWriting(t *testing.T) {
	const (
		row      = "0123456789abcdef0123456789abcdef"
		tag      = `"` + row + "-" + row + `"`
		resource = `{"data":{"type":"post","id":"1"}}`
		linkage  = `{"data":{"type":"user","id":"1"}}`
		many     = `{"data":[{"type":"tag","id":"1"}]}`
	)
	s := writingStyle(t)
	for _, c := range []struct {
		name, method, path, body string
		verb                     parse.Verb
		shape                    parse.Shape
		matched                  bool // If-Match goes to the plan
	}{
		{"create", "POST", "/post?trace=1", resource, parse.Create, parse.Collection, false},
		{"update", "PATCH", "/post/1?include=author", resource, parse.Update, parse.Resource, true},
		{"update by PUT", "PUT", "/post/1", resource, parse.Update, parse.Resource, true},
		{"delete", "DELETE", "/post/1", "", parse.Delete, parse.Resource, true},
		{"delete, with a body", "DELETE", "/post/1", "no JSON", parse.Delete, parse.Resource, true},
		{"delete, with a long body", "DELETE", "/post/1", strings.Repeat("x", 500), parse.Delete, parse.Resource, true},
		{"add", "POST", "/post/1/relationships/tags", many, parse.Add, parse.Relationship, false},
		{"replace", "PATCH", "/post/1/relationships/author", linkage, parse.Replace, parse.Relationship, false},
		{"replace by PUT", "PUT", "/post/1/relationships/tags", many, parse.Replace, parse.Relationship, false},
		{"remove", "DELETE", "/post/1/relationships/tags", many, parse.Remove, parse.Relationship, false},
		{"replace what is related", "PUT", "/post/1/author", linkage, parse.Replace, parse.Relationship, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "/api"+c.path, strings.NewReader(c.body))
			r.Header.Set("If-Match", tag)
			got, err := s.writing(r, visitOf(t, s, r.Method, r.URL.Path))
			if err != nil {
				t.Fatal(err)
			}
			if got.Verb != c.verb || got.Target.Shape != c.shape || (got.Body != nil) != (c.verb != parse.Delete) {
				t.Errorf("it is read as %+v", got)
			}
			if got.Match != nil != c.matched || c.matched && (len(got.Match.Rows) != 1 || got.Match.Rows[0] != row) {
				t.Errorf("its condition is read as %+v", got.Match)
			}
		})
	}
}

func visitOf(t *testing.T, s *rest, name, path string) visit {
	t.Helper()
	target, err := parse.Path(strings.TrimPrefix(path, "/api"))
	if err != nil {
		t.Fatal(err)
	}
	v := visit{target: target, methods: s.methods(target.Shape)}
	m, ok := findMethod(v.methods, name)
	if !ok {
		t.Fatalf("no %s %s", name, path)
	}
	v.verb = m.verb
	return v
}

// What is wrong with the query and with the body comes in one answer.
func TestWritingRefusals(t *testing.T) {
	s := writingStyle(t)
	for _, c := range []struct {
		name, method, path, body string
		want                     []string // how the refusals begin
	}{
		{"query and body", "POST", "/post?nothing=1&filter=%zz", `{"data":[]}`,
			[]string{"400 invalid-parameter at nothing: ", "400 invalid-parameter at filter: ", "400 invalid-payload at /data: "}},
		{"a query alone", "DELETE", "/post/1?nothing=1", "", []string{"400 invalid-parameter at nothing: "}},
		{"no body", "PATCH", "/post/1", "", []string{"400 invalid-payload"}},
		{"too long a body alone", "PATCH", "/post/1?nothing=1", strings.Repeat(" ", 401), []string{"413 payload-too-large: "}},
		{"operations", "POST", "/operations?include=author&trace=1", `{"atomic:operations":[]}`,
			[]string{"400 invalid-parameter at include: include means nothing to operations; leave it out.", "400 invalid-payload at /atomic:operations: "}},
		{"too many operations", "POST", "/operations", `{"atomic:operations":[` + strings.Repeat(`{"op":"remove","ref":{"type":"post","id":"1"}},`, 2) + `{"op":"remove","ref":{"type":"post","id":"1"}}]}`,
			[]string{"400 invalid-payload at /atomic:operations: "}},
		{"operations that are too long", "POST", "/operations", strings.Repeat(" ", 401), []string{"413 payload-too-large: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "/api"+c.path, strings.NewReader(c.body))
			v := visitOf(t, s, r.Method, r.URL.Path)
			var err error
			if v.target.Shape == parse.Atomic {
				_, err = s.operations(r, v)
			} else {
				_, err = s.writing(r, v)
			}
			if err == nil {
				t.Fatal("it is not refused")
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) != len(c.want) {
				t.Fatalf("%v, want %d refusals", err, len(c.want))
			}
			for i, want := range c.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("%s, want %s", got[i], want)
				}
			}
		})
	}
}

func TestOperations(t *testing.T) {
	s := writingStyle(t)
	r := httptest.NewRequest("POST", "/api/operations?trace=1", strings.NewReader(
		`{"atomic:operations":[{"op":"add","data":{"type":"post"}},{"op":"remove","href":"https://example.org/api/post/1"}]}`))
	got, err := s.operations(r, visitOf(t, s, r.Method, r.URL.Path))
	if err != nil || len(got) != 2 || got[0].Verb != parse.Create || got[1].Verb != parse.Delete || got[1].Target.ID != "1" {
		t.Errorf("%+v, %v", got, err)
	}
}
