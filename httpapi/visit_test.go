package httpapi

import (
	"errors"
	"fmt"
	"testing"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
)

// A refusal of the method says which there are, once the plan knows.
func TestAvailable(t *testing.T) {
	object := jsonapi.Errorf(jsonapi.MethodNotAllowed, jsonapi.Source{}, "It is read-only.")
	unavailable := func(verbs ...parse.Verb) error { return &plan.Unavailable{Refusal: object, Verbs: verbs} }
	strict := &rest{strict: true}
	for _, c := range []struct {
		name    string
		methods []method
		err     error
		want    string // "" where the error stays as it is
	}{
		{"read-only", methodsOf[parse.Resource], unavailable(parse.Fetch), "GET, HEAD, OPTIONS"},
		{"not deletable", methodsOf[parse.Resource], unavailable(parse.Fetch, parse.Update), "GET, HEAD, PATCH, PUT, OPTIONS"},
		{"not deletable, strictly", strict.methods(parse.Resource), unavailable(parse.Fetch, parse.Update), "GET, HEAD, PATCH, OPTIONS"},
		{"to-one", methodsOf[parse.Relationship], unavailable(parse.Fetch, parse.Replace), "GET, HEAD, PATCH, PUT, OPTIONS"},
		{"related", methodsOf[parse.Related], unavailable(parse.Fetch), "GET, HEAD, OPTIONS"},
		{"wrapped", methodsOf[parse.Collection], fmt.Errorf("plan: %w", unavailable(parse.Fetch)), "GET, HEAD, OPTIONS"},
		{"of an operation", methodsOf[parse.Atomic], jsonapi.Errors{object}, "POST, OPTIONS"},
		{"something else", methodsOf[parse.Resource], jsonapi.Errorf(jsonapi.NotFound, jsonapi.Source{}, "No."), ""},
		{"of several operations", methodsOf[parse.Atomic], jsonapi.Errors{object, {Code: jsonapi.NotFound}}, ""},
	} {
		err := visit{methods: c.methods}.available(c.err)
		if c.want == "" {
			if fmt.Sprint(err) != c.err.Error() {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		r, ok := errors.AsType[*refusal](err)
		if !ok || fmt.Sprint(r.header) != fmt.Sprint([]headerLine{{"Allow", c.want}}) || jsonapi.AsErrors(err)[0] != object {
			t.Errorf("%s: %+v, want Allow: %s", c.name, err, c.want)
		}
	}
}
