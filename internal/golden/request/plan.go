// Package request plans URLs as they stand in goldens and tests, so that each
// stage is shown what the stages before it make of a request. It is apart from
// golden, which the tests of those stages use themselves.
package request

import (
	"strings"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// Plan parses a URL below the endpoint, such as `/post?sort=id`, and plans it
// against what the view shows. A request that writes begins with its verb and
// has its document below, as in `create /post`, or is `batch` with a document of
// operations. Errors are those of parse and plan.
func Plan(v *schema.View, url string, o plan.Options) (*plan.Plan, error) {
	if verb, rest, ok := verbOf(url); ok {
		return write(v, verb, rest, o)
	}
	if body, ok := strings.CutPrefix(url, "batch\n"); ok {
		return batch(v, body, o)
	}
	path, query, _ := strings.Cut(url, "?")
	target, err := parse.Path(path)
	if err != nil {
		return nil, err
	}
	r, err := parse.Query(target, query, parse.Options{})
	if err != nil {
		return nil, err
	}
	return plan.Build(v, r, o)
}
