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
		"sort=-createdAt,author.name,-comments$count", "sort=", "sort=,", "sort=a$b.c",
		"page[offset]=20&page[limit]=10&page[comments][limit]=1",
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
	var keys []string
	for _, k := range r.Sort {
		key := strings.Join(append([]string{strings.Join(k.Path, ".")}, k.Operators...), "$")
		if k.Desc {
			key = "-" + key
		}
		keys = append(keys, key)
	}
	if keys != nil {
		add("sort", strings.Join(keys, ","))
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
		add("page"+p.Name, p.Value)
	}
	others := slices.DeleteFunc(slices.Clone(r.Params), func(p parse.Param) bool { return p.Group != parse.OtherGroup })
	return append(params, others...)
}
