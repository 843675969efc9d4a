package parse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

// What is parsed prints to what parses to itself, by the parameters and by the
// tree, so nothing is lost on the way; what is refused is refused in UTF-8 and
// as the client's mistake.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"", "&&", "=", "a;b=c", "%", "%zz=1", "filter[x]=%ff", "filter[x]=%00", "filter=eq(a,1)",
		"filter[author][name$contains]=Ann&filter[id]=1,2",
		"filter[x][]=1&filter[y]=2&filter[x][]=3",
		"filter[comments$count$gt]=3", "filter[a][$gt]=1", "filter[a$]=1", "filter[]]=1", "filter[[a]]=1",
		"filter=or(eq(status,'it''s'),gt(count(comments),-1.5e3))&filter[x]=1", "filter=&filter=a", "filter=a(%2B", "filter=a('%C3%A9',b",
		"sort=-createdAt,author.name,-comments$count", "sort=", "sort=,", "sort=a$b.c",
		"sort[comments.replies]=-createdAt,id&sort=a&sort[b]=c$d", "sort[]=a", "sort[a..b]=c", "sort[a][b]=c", "sort[a]=b&sort[a]=c",
		"page[offset]=20&page[limit]=10&page[comments][limit]=1", "page[a.b][limit]=1&page[a.b][limit]=2", "page[a][b][c]=1", "page[a.][b]=1", "page[][b]=1",
		"include=&fields[post]=&fields[Post]=a", "include=author,comments.author", "include=a..b",
		"trace=x+y%20z%2B&filtre[x]=1", "filter[%C3%A9]=%E2%82%AC",
	} {
		f.Add(seed)
	}
	target := parse.Target{Shape: parse.Collection, Type: "post"}
	options := parse.Options{Allow: []string{"trace", "x[y]"}}
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := parse.Query(target, raw, options)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		for _, printed := range []string{r.Query(), parse.Encode(r.Params), parse.Encode(treeParams(r))} {
			again, err := parse.Query(target, printed, options)
			if err != nil {
				t.Fatalf("%q printed as %q is refused: %v", raw, printed, err)
			}
			if again.String() != r.String() {
				t.Fatalf("%q printed as %q is\n%s, not\n%s", raw, printed, again, r)
			}
			if again.Query() != r.Query() && printed == r.Query() {
				t.Fatalf("%q printed as %q prints as %q", raw, printed, again.Query())
			}
		}
	})
}

// An expression prints to what parses to an equal one, which prints alike; and
// every node is where it is said to be.
func FuzzExpr(f *testing.F) {
	for _, seed := range []string{
		"", " ", "a", "1", "a(", "a)", "a()", "a(,)", "a(b,)", "a(b c)", "and(or(), not ( a ( b ) ) )",
		"eq(a.b . c,'it''s')", "eq(a,'')", "eq(a,''')", "eq(a,'x", "eq(a,-0)", "eq(a,1.5E+03)", "eq(a,1. 5)",
		"eq(a,1 .5)", "eq(a,1e5.b)", "eq(a,2fa)", "eq(a,2024-01-01)", "in(a,1,-2,3e-4)", "eq(true,true.x)",
		"null(null,false)", "eq(a,b.)", "a.b(c)", "eq(a,.5)", "eq(é€,'é')", `eq(a,"b")`, "gt(a$count,1)",
		"eq(a,b-)", "eq(a.-1,--1)", "a(\ufffd)", "a('\ufffd\n')\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		r, err := where(value)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		printed := r.Where.String()
		again, err := where(printed)
		if err != nil {
			t.Fatalf("%q printed as %q is refused: %v", value, printed, err)
		}
		if again.String() != r.String() || again.Where.String() != printed {
			t.Fatalf("%q printed as %q is\n%s, not\n%s", value, printed, again, r)
		}
		checkOffsets(t, []rune(value), r.Where)
	})
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{
		"", "/", "post", "/post", "/post/", "//post", "/post/1", "/post/a%2Fb/author", "/post/1/relationships/author",
		"/post/1/relationships", "/post/..", "/post/%2e", "/operations", "/post/%", "/post/%ff", "/post/%00", "/a/b/c/d/e",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, escaped string) {
		target, err := parse.Path(escaped)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		again, err := parse.Path(target.Path())
		if err != nil || again != target {
			t.Fatalf("%q printed as %q is %v, %v, not %v", escaped, target.Path(), again, err, target)
		}
	})
}

// A document prints to what parses to an equal one, and every pointer leads to
// something that the document has.
func FuzzDocument(f *testing.F) {
	for _, seed := range documentSeeds {
		for verb := range documentVerbs {
			f.Add(uint8(verb), seed)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, text string) {
		verb := documentVerbs[int(n)%len(documentVerbs)]
		body, err := parse.Document(verb, []byte(text))
		if err != nil {
			checkRefusal(t, err)
			checkErrorPointers(t, text, err)
			return
		}
		checkPointers(t, text, body)
		printed := documentText(body)
		again, err := parse.Document(verb, []byte(printed))
		if err != nil {
			t.Fatalf("%s printed as %s is refused: %v", text, printed, err)
		}
		if again.String() != body.String() {
			t.Fatalf("%s printed as %s is\n%s, not\n%s", text, printed, again, body)
		}
	})
}

// The same of operations, with their targets.
func FuzzOperations(f *testing.F) {
	for _, seed := range operationSeeds {
		f.Add(seed)
	}
	o := parse.OperationOptions{Endpoint: "https://example.org/api", Max: 5}
	f.Fuzz(func(t *testing.T, text string) {
		requests, err := parse.Operations([]byte(text), o)
		if err != nil {
			checkRefusal(t, err)
			checkErrorPointers(t, text, err)
			return
		}
		for _, r := range requests {
			if r.Body != nil {
				checkPointers(t, text, r.Body)
			}
		}
		printed := batchText(requests)
		again, err := parse.Operations([]byte(printed), o)
		if err != nil {
			t.Fatalf("%s printed as %s is refused: %v", text, printed, err)
		}
		if got, want := operationsText(again), operationsText(requests); got != want {
			t.Fatalf("%s printed as %s is\n%s, not\n%s", text, printed, got, want)
		}
	})
}

// checkOffsets has every node start with its own first character.
func checkOffsets(t *testing.T, value []rune, e parse.Expr) {
	t.Helper()
	at := e.Offset()
	if first := []rune(e.String())[0]; at < 0 || at >= len(value) || value[at] != first {
		t.Fatalf("%s is said to be at %d of %q", e, at, string(value))
	}
	if call, ok := e.(*parse.Call); ok {
		for _, arg := range call.Args {
			checkOffsets(t, value, arg)
		}
	}
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	for _, e := range jsonapi.AsErrors(err) {
		if s := e.Code.Status(); s != 400 && s != 404 {
			t.Fatalf("status %d: %v", s, e)
		}
		if e.Detail == "" {
			t.Fatalf("no detail: %v", e)
		}
		if text := e.Error(); strings.ToValidUTF8(text, "") != text {
			t.Fatalf("not UTF-8: %q", text)
		}
	}
}

// treeParams writes the tree back as parameters, without looking at Params.
func treeParams(r *parse.Request) (params []parse.Param) {
	add := func(name, value string) { params = append(params, parse.Param{Name: name, Value: value}) }
	for _, f := range r.Filters {
		name := "filter"
		for _, s := range f.Path {
			name += "[" + strings.Join(append([]string{s.Name}, s.Operators...), "$") + "]"
		}
		if f.List == nil {
			add(name, f.Value)
		}
		for _, v := range f.List {
			add(name+"[]", v)
		}
	}
	if r.Where != nil {
		add("filter", r.Where.String())
	}
	if r.Sort != nil {
		add("sort", sortText(r.Sort))
	}
	for _, s := range r.SortOf {
		add("sort["+strings.Join(s.Path, ".")+"]", sortText(s.Keys))
	}
	if r.Include != nil {
		var paths []string
		for _, p := range r.Include.Paths {
			paths = append(paths, strings.Join(p, "."))
		}
		add("include", strings.Join(paths, ","))
	}
	for _, set := range r.Fields {
		add("fields["+set.Type+"]", strings.Join(set.Names, ","))
	}
	for _, p := range r.Page {
		name := "page"
		if p.Path != nil {
			name += "[" + strings.Join(p.Path, ".") + "]"
		}
		add(name+"["+p.Name+"]", p.Value)
	}
	others := slices.DeleteFunc(slices.Clone(r.Params), func(p parse.Param) bool { return p.Group != parse.OtherGroup })
	return append(params, others...)
}

func sortText(keys []parse.SortKey) string {
	var elements []string
	for _, k := range keys {
		element := strings.Join(append([]string{strings.Join(k.Path, ".")}, k.Operators...), "$")
		if k.Desc {
			element = "-" + element
		}
		elements = append(elements, element)
	}
	return strings.Join(elements, ",")
}
