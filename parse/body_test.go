package parse_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

var documentVerbs = []parse.Verb{parse.Create, parse.Update, parse.Add, parse.Replace, parse.Remove}

func verb(t *testing.T, c *golden.Case) parse.Verb {
	t.Helper()
	i := slices.IndexFunc(documentVerbs, func(v parse.Verb) bool { return c.HasArg(v.String()) })
	if i < 0 {
		t.Fatalf("%s: the case names no verb", c.Pos)
	}
	return documentVerbs[i]
}

func document(t *testing.T, c *golden.Case) []byte {
	t.Helper()
	if !c.HasArg("quoted") {
		return []byte(c.Input)
	}
	text, err := strconv.Unquote(c.Input)
	if err != nil {
		t.Fatalf("%s: unquote the input: %v", c.Pos, err)
	}
	return []byte(text)
}

func operationOptions(t *testing.T, c *golden.Case) parse.OperationOptions {
	t.Helper()
	var o parse.OperationOptions
	c.MaybeScanArgs(t, "endpoint", &o.Endpoint)
	c.MaybeScanArgs(t, "max", &o.Max)
	return o
}

func operationsText(requests []*parse.Request) string {
	var b strings.Builder
	for _, r := range requests {
		b.WriteString(r.String())
	}
	return b.String()
}

// Raw is the text of the resource object, to the byte.
func TestRawIsTheResourceObject(t *testing.T) {
	object := "{ \"type\" :\"post\",\n \"other\": [1, {}] }"
	for _, text := range []string{
		`{"data":` + object + `}`,
		"{\"meta\": {} ,\n\"data\" \t: \n" + object + " , \"links\": {}}",
	} {
		body, err := parse.Document(parse.Create, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(body.Resource.Raw); got != object {
			t.Errorf("Raw of %s is %s", text, got)
		}
	}
	requests, err := parse.Operations([]byte(`{"atomic:operations":[{"op":"add","data": `+object+` }]}`), parse.OperationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(requests[0].Body.Resource.Raw); got != object {
		t.Errorf("Raw of an operation is %s", got)
	}
}

func TestBodyNestingIsBounded(t *testing.T) {
	// The document, data and attributes are three deep.
	nested := func(n int) []byte {
		return []byte(`{"data":{"type":"post","attributes":{"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}}`)
	}
	if _, err := parse.Document(parse.Create, nested(61)); err != nil {
		t.Errorf("64 deep: %v", err)
	}
	_, err := parse.Document(parse.Create, nested(62))
	want := "400 invalid-payload at /data/attributes/x" + strings.Repeat("/0", 61) + ": Objects and arrays are nested more than 64 deep."
	if err == nil || err.Error() != want {
		t.Errorf("65 deep: %v, want %s", err, want)
	}
	if _, err := parse.Document(parse.Create, nested(1<<20)); err == nil {
		t.Error("a million deep is not refused")
	}
}

func TestBodyErrorsAreBounded(t *testing.T) {
	for _, text := range []string{
		`{"data":[` + strings.Repeat("1,", 10_000) + `1]}`,
		`{"data":[` + strings.Repeat("{},", 10_000) + `{}]}`,
	} {
		_, err := parse.Document(parse.Add, []byte(text))
		if es := jsonapi.AsErrors(err); len(es) != 32 {
			t.Errorf("%d errors, want 32", len(es))
		}
	}
}

// What follows the errors that are kept is still looked at.
func TestOperationErrorsAreBounded(t *testing.T) {
	one := `,{"op":"add","data":[]},{"op":"update","data":{"type":"a"}},{"op":"update","data":null},{"op":"remove"}`
	text := `{"atomic:operations":[` + strings.TrimPrefix(strings.Repeat(one, 25), ",") + `]}`
	_, err := parse.Operations([]byte(text), parse.OperationOptions{})
	if es := jsonapi.AsErrors(err); len(es) != 32 {
		t.Errorf("%d errors, want 32", len(es))
	}
}

func TestOperationsAreBounded(t *testing.T) {
	operations := func(n int) []byte {
		one := `,{"op":"remove","ref":{"type":"post","id":"1"}}`
		return []byte(`{"atomic:operations":[` + strings.TrimPrefix(strings.Repeat(one, n), ",") + `]}`)
	}
	requests, err := parse.Operations(operations(100), parse.OperationOptions{})
	if err != nil || len(requests) != 100 {
		t.Errorf("%d requests, %v, want 100", len(requests), err)
	}
	_, err = parse.Operations(operations(101), parse.OperationOptions{})
	want := "400 invalid-payload at /atomic:operations: There are 101 operations; one request takes 100 at most."
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// An endpoint that is no URL is the server's fault, not the client's.
func TestOperationsOfABrokenEndpoint(t *testing.T) {
	_, err := parse.Operations([]byte(`{"atomic:operations":[]}`), parse.OperationOptions{Endpoint: ":"})
	if es := jsonapi.AsErrors(err); err == nil || es.Status() != 500 {
		t.Errorf("%v, want a fault of the server's own", err)
	}
}

func BenchmarkDocument(b *testing.B) {
	body := []byte(`{"data":{"type":"post","attributes":{"title":"On bodies","content":"` + strings.Repeat("word ", 100) +
		`","createdAt":"2024-01-02T03:04:05.000Z","viewCount":12},"relationships":{"author":{"data":{"type":"user","id":7}},` +
		`"tags":{"data":[{"type":"tag","id":"1"},{"type":"tag","id":"2"}]}}},"meta":{"serialization":{"values":{"data.attributes.createdAt":["Date"]}}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse.Document(parse.Create, body); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleDocument() {
	body, err := parse.Document(parse.Create, []byte(`{
		"data": {
			"type": "post",
			"attributes": {"title": "On bodies", "createdAt": "2024-01-02T03:04:05.000Z"},
			"relationships": {"author": {"data": {"type": "user", "id": 7}}}
		},
		"meta": {"serialization": {"values": {"data.attributes.createdAt": ["Date"]}}}
	}`))
	if err != nil {
		panic(err)
	}
	fmt.Print(body)
	// Output:
	// resource "/data"
	//   type post
	//   attributes
	//     title "/data/attributes/title" "On bodies"
	//     createdAt "/data/attributes/createdAt" "2024-01-02T03:04:05.000Z"
	//       note Date
	//   relationship author "/data/relationships/author"
	//     one "/data/relationships/author/data"
	//       user id "7" "/data/relationships/author/data"
}

func ExampleOperations() {
	requests, err := parse.Operations([]byte(`{"atomic:operations": [
		{"op": "add", "data": {"type": "post", "lid": "new", "attributes": {"title": "On bodies"}}},
		{"op": "add", "ref": {"type": "post", "lid": "new", "relationship": "tags"}, "data": [{"type": "tag", "id": 3}]},
		{"op": "remove", "href": "/tag/4"}
	]}`), parse.OperationOptions{Endpoint: "https://example.org/api"})
	if err != nil {
		panic(err)
	}
	for _, r := range requests {
		fmt.Println(r.Pointer, r.Verb, r.Target.Shape, r.Target.Type)
	}
	// Output:
	// /atomic:operations/0 create collection post
	// /atomic:operations/1 add relationship post
	// /atomic:operations/2 delete resource tag
}
