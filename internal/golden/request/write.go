package request

import (
	"strings"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

var verbs = map[string]parse.Verb{
	"create": parse.Create, "update": parse.Update, "delete": parse.Delete,
	"add": parse.Add, "replace": parse.Replace, "remove": parse.Remove,
}

// verbOf reads the verb with which a request begins that writes:
//
//	update /post/1?include=author
//	if-match 0123456789abcdef0123456789abcdef
//	{"data": {"type": "post", "attributes": {"title": "New"}}}
func verbOf(text string) (verb parse.Verb, rest string, ok bool) {
	word, rest, _ := strings.Cut(text, " ")
	verb, ok = verbs[word]
	return verb, rest, ok
}

func write(v *schema.View, verb parse.Verb, text string, o plan.Options) (*plan.Plan, error) {
	line, body, _ := strings.Cut(text, "\n")
	path, query, _ := strings.Cut(line, "?")
	target, err := parse.Path(path)
	if err != nil {
		return nil, err
	}
	r, err := parse.Query(target, query, parse.Options{})
	if err != nil {
		return nil, err
	}
	r.Verb = verb
	if tags, ok := strings.CutPrefix(body, "if-match "); ok {
		tags, body, _ = strings.Cut(tags, "\n")
		r.Match = &parse.Match{Any: tags == "*"}
		if !r.Match.Any {
			r.Match.Rows = strings.Split(tags, ",")
		}
	}
	if verb != parse.Delete {
		if r.Body, err = parse.Document(verb, []byte(body)); err != nil {
			return nil, err
		}
	}
	return plan.Build(v, r, o)
}

// batch plans the operations of an atomic request.
func batch(v *schema.View, body string, o plan.Options) (*plan.Plan, error) {
	operations, err := parse.Operations([]byte(body), parse.OperationOptions{Endpoint: "https://example.org/api"})
	if err != nil {
		return nil, err
	}
	return plan.BuildBatch(v, operations, o)
}
