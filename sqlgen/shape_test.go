package sqlgen

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// Requests share a pipeline exactly where they would be lowered to the same.
// Were the key too short, one of them would be answered with the other's
// statements; were it too long, the cache would be of little use.
func TestShapeIsThePipeline(t *testing.T) {
	s := golden.Schema(t)
	r := &requester{Rand: rand.New(rand.NewSource(1)), schema: s}
	shared := &Compiler{pipelines: cache[*Pipeline](10_000), edgeCache: cache[*loweredEdge](10_000)} // nothing is forgotten
	byText := map[string]*Pipeline{}
	byPipeline := map[*Pipeline]string{}
	requests := map[*Pipeline]string{}
	met := 0
	for range 4000 {
		url := r.url()
		a := action(t, s, url)
		got, text := shared.Compile(a), whole(NewCompiler().Compile(a))
		if first, ok := byPipeline[got]; ok {
			met++
			if first != text {
				t.Fatalf("%s has the pipeline of %s, but is lowered to\n%s\nnot\n%s", url, requests[got], text, first)
			}
			continue
		}
		if have := byText[text]; have != nil {
			t.Fatalf("%s and %s are lowered alike, but have two shapes:\n%s", requests[have], url, text)
		}
		byPipeline[got], byText[text], requests[got] = text, got, url
	}
	if met < 200 || len(byText) < 200 {
		t.Errorf("%d requests met a shape again, of %d: too few to show anything", met, len(byText))
	}
}

// whole prints everything that a pipeline says.
func whole(p *Pipeline) string {
	var b strings.Builder
	for _, st := range p.Statements {
		fmt.Fprintf(&b, "%v\nbound %v\nhands %v columns", st, st.Bound, st.Hands)
		for _, c := range st.Columns {
			fmt.Fprintf(&b, " %s.%s:%d", c.Type.Schema, c.Type.Name, c.Format)
		}
		fmt.Fprintf(&b, "\npeek %v formats %v fields", st.Peek, st.Formats)
		for _, f := range st.Fields {
			b.WriteString(" " + f.Name)
		}
		fmt.Fprintf(&b, "\nrelationships %v id %v attributes %v\nlinkages", st.Relationships, st.ID, st.Attributes)
		for _, l := range st.Linkages {
			fmt.Fprintf(&b, " %v %v", l.Relationship, l.Columns)
		}
		if st.Model != nil {
			fmt.Fprintf(&b, "\nmodel %s", st.Model.Type)
		}
		if st.Edge != nil {
			fmt.Fprintf(&b, "\nedge %+v", *st.Edge)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// No statement holds a literal of the request, whatever it is.
func TestNoValueInSQL(t *testing.T) {
	s := golden.Schema(t)
	r := &requester{Rand: rand.New(rand.NewSource(2)), schema: s}
	values := 0
	for range 2000 {
		url := r.url()
		values += strings.Count(url, markerDigits)
		for _, st := range NewCompiler().Compile(action(t, s, url)).Statements {
			for _, sql := range []string{st.SQL, st.Bound.SQL} {
				for _, value := range []string{"mark", markerDigits, "draft", "closed", "writer"} {
					if strings.Contains(sql, value) {
						t.Fatalf("%s: the value %q is in\n%s", url, value, sql)
					}
				}
			}
		}
	}
	if values < 1000 {
		t.Errorf("%d values in all requests: too few to show anything", values)
	}
}

// Schemas of different generations never share a shape, alike as they may be.
func TestShapeHasItsGeneration(t *testing.T) {
	c := NewCompiler()
	const url = "/post?filter[title]=a&include=comments"
	one, other := c.Compile(action(t, golden.Schema(t), url)), c.Compile(action(t, golden.Schema(t), url))
	if one == other {
		t.Error("two schemas share a pipeline")
	}
	if one.String() != other.String() {
		t.Error("the same request of the same tables is lowered differently")
	}
}

// The digest is a column, so its columns belong to the shape.
func TestShapeHasTheDigest(t *testing.T) {
	s := golden.Schema(t)
	c := NewCompiler()
	const url = "/post/7?fields[post]=title"
	whole, none := planned(t, s.FullView(), url, plan.Options{Digests: true}), planned(t, s.FullView(), url, plan.Options{})
	part := planned(t, schema.NewView(s, "reader", schema.Privileges{
		{Schema: "public", Name: "Post"}: {Select: map[string]bool{"id": true, "title": true}},
	}), url, plan.Options{Digests: true})
	texts := map[string]bool{}
	for _, a := range []plan.Action{whole, none, part} {
		texts[c.Compile(a).Statements[0].SQL] = true
	}
	if len(texts) != 3 {
		t.Errorf("shapes that differ in the digest share a statement: %v", texts)
	}
}

func planned(t *testing.T, v *schema.View, url string, o plan.Options) plan.Action {
	t.Helper()
	path, query, _ := strings.Cut(url, "?")
	target, err := parse.Path(path)
	if err != nil {
		t.Fatal(err)
	}
	request, err := parse.Query(target, query, parse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(v, request, o)
	if err != nil {
		t.Fatal(err)
	}
	return p.Action
}

// A foreign key may be of another type than the id that it spells: compared
// with an id it has the id's type, compared as an attribute its own.
func TestShapeTellsTypesOfValues(t *testing.T) {
	s := loosely(t)
	shared := NewCompiler()
	for _, url := range []string{"/entry?filter[wholeId]=1", "/entry?filter[whole]=1", "/entry?filter[wholeId]=1,2", "/entry?filter[whole]=1,2"} {
		a := action(t, s, url)
		if got, want := whole(shared.Compile(a)), whole(NewCompiler().Compile(a)); got != want {
			t.Errorf("%s is answered with\n%s\nnot\n%s", url, got, want)
		}
	}
}
