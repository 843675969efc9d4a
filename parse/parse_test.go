package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

// The cases: `path` parses a path; `query` a query and prints the tree;
// `link` a query and prints the canonical form. allow=(a,b) lists names of
// the host's own.
func TestGolden(t *testing.T) {
	golden.Run(t, "testdata", func(t *testing.T, c *golden.Case) string {
		switch c.Cmd {
		case "path":
			target, err := parse.Path(c.Input)
			if err != nil {
				return golden.Errors(err)
			}
			return (&parse.Request{Target: target}).String()
		case "query":
			r, err := query(t, c)
			if err != nil {
				return golden.Errors(err)
			}
			return r.String()
		case "link":
			r, err := query(t, c)
			if err != nil {
				return golden.Errors(err)
			}
			return r.Query() + "\nself " + parse.Encode(r.Params)
		default:
			t.Fatalf("unknown command %s", c.Cmd)
			return ""
		}
	})
}

func query(t *testing.T, c *golden.Case) (*parse.Request, error) {
	var o parse.Options
	for _, arg := range c.CmdArgs {
		if arg.Key != "allow" {
			t.Fatalf("unknown argument %s", arg.Key)
		}
		o.Allow = append(o.Allow, arg.Vals...)
	}
	at, raw, found := strings.Cut(c.Input, "?")
	if !found {
		t.Fatalf("the case has no ?: %s", c.Input)
	}
	target, err := parse.Path(at)
	if err != nil {
		return nil, err
	}
	return parse.Query(target, raw, o)
}

func TestParamsKeepTheirOrder(t *testing.T) {
	r, err := parse.Query(parse.Target{Shape: parse.Collection, Type: "post"}, "include=a&page[limit]=1&filter[x]=%2C+y&&sort=x", parse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []parse.Param{
		{Group: parse.IncludeGroup, Name: "include", Value: "a"},
		{Group: parse.PageGroup, Name: "page[limit]", Value: "1"},
		{Group: parse.FilterGroup, Name: "filter[x]", Value: ", y"},
		{Group: parse.SortGroup, Name: "sort", Value: "x"},
	}
	if fmt.Sprint(r.Params) != fmt.Sprint(want) {
		t.Errorf("Params = %v, want %v", r.Params, want)
	}
	if len(r.Page) != 1 || r.Page[0].Name != "limit" {
		t.Errorf("Page = %v, want the name in its brackets", r.Page)
	}
}

func TestErrorsAreBounded(t *testing.T) {
	_, err := parse.Query(parse.Target{Shape: parse.Collection, Type: "post"}, "sort="+strings.Repeat(",", 10_000), parse.Options{})
	if es := jsonapi.AsErrors(err); len(es) != 32 {
		t.Errorf("%d errors, want 32", len(es))
	}
}

func ExampleQuery() {
	target, err := parse.Path("/post")
	if err != nil {
		panic(err)
	}
	r, err := parse.Query(target, "filter[author][name$contains]=Ann&sort=-createdAt&include=author,comments.author", parse.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(r)
	// Output:
	// collection
	//   type post
	// filter
	//   author
	//   name $contains
	//   value "Ann"
	// sort
	//   descending createdAt
	// include
	//   author
	//   comments.author
}

func ExampleQuery_refused() {
	target := parse.Target{Shape: parse.Collection, Type: "post"}
	_, err := parse.Query(target, "filter[title=x&sort=a,,b", parse.Options{})
	fmt.Println(err)
	// Output:
	// 400 invalid-parameter at filter[title: The name of the parameter has a [ at position 7 that is not closed.
	// 400 invalid-sort at sort: The sort key "" is empty; there is one comma too many.
}
