package parse_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

// The cases: `path` parses a path; `query` a query and prints the tree;
// `link` a query and prints the canonical form; `expr` the value of a bare
// filter, and prints it, its tree, and where each node starts. allow=(a,b) lists
// names of the host's own. `body` parses a document for the verb, which is its
// argument; `operations` parses operations, with endpoint=(url) and max=n.
// `quoted` has the input be a Go string.
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
		case "expr":
			r, err := where(c.Input)
			if err != nil {
				return golden.Errors(err)
			}
			_, tree, _ := strings.Cut(r.String(), "expression\n")
			return r.Where.String() + "\n" + tree + "at" + offsets(r.Where)
		case "body":
			body, err := parse.Document(verb(t, c), document(t, c))
			if err != nil {
				return golden.Errors(err)
			}
			return body.String()
		case "operations":
			requests, err := parse.Operations(document(t, c), operationOptions(t, c))
			if err != nil {
				return golden.Errors(err)
			}
			return operationsText(requests)
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

// where parses the value of a bare filter.
func where(value string) (*parse.Request, error) {
	target := parse.Target{Shape: parse.Collection, Type: "post"}
	return parse.Query(target, "filter="+url.QueryEscape(value), parse.Options{})
}

// offsets lists where the nodes start, in the order of the tree.
func offsets(e parse.Expr) string {
	text := fmt.Sprintf(" %d", e.Offset())
	if call, ok := e.(*parse.Call); ok {
		for _, arg := range call.Args {
			text += offsets(arg)
		}
	}
	return text
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

// Nesting is bounded, so that a long URL cannot exhaust the stack.
func TestNestingIsBounded(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("not(", n) + strings.Repeat(")", n) }
	if _, err := where(nested(100)); err != nil {
		t.Errorf("100 deep: %v", err)
	}
	_, err := where(nested(101))
	if want := "400 invalid-filter at filter: At character 401: Calls are nested more than 100 deep."; err == nil || err.Error() != want {
		t.Errorf("101 deep: %v, want %s", err, want)
	}
	if _, err := where(strings.Repeat("not(", 1<<20)); err == nil {
		t.Error("a million deep is not refused")
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

func ExampleQuery_expression() {
	target := parse.Target{Shape: parse.Collection, Type: "post"}
	r, err := parse.Query(target, "filter=or(eq(status,'open'),not(lt(viewCount,10)))", parse.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(r)
	// Output:
	// collection
	//   type post
	// expression
	//   call or
	//     call eq
	//       path status
	//       string "open"
	//     call not
	//       call lt
	//         path viewCount
	//         number 10
}

func ExampleQuery_refused() {
	target := parse.Target{Shape: parse.Collection, Type: "post"}
	_, err := parse.Query(target, "filter[title=x&sort=a,,b", parse.Options{})
	fmt.Println(err)
	// Output:
	// 400 invalid-parameter at filter[title: The name of the parameter has a [ at position 7 that is not closed.
	// 400 invalid-sort at sort: The sort key "" is empty; there is one comma too many.
}
