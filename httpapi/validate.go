package httpapi

import (
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema/validation"
)

// validate holds the resource objects of requests against the host's JSON
// Schemas, and returns every problem of all of them.
func (c caller) validate(requests ...*parse.Request) error {
	if c.validation == nil {
		return nil
	}
	var errs jsonapi.Errors
	for _, r := range requests {
		if r.Body == nil || r.Body.Resource == nil {
			continue
		}
		object, op := r.Body.Resource, validation.Update
		if r.Verb == parse.Create {
			op = validation.Create
		}
		for _, e := range c.validation.Check(object.Type, op, object.Raw) {
			e.Source = jsonapi.Pointer(object.Pointer + strings.TrimPrefix(e.Source.Pointer, "/data"))
			errs = append(errs, e)
		}
	}
	if len(errs) > jsonapi.MaxErrors {
		errs = errs[:jsonapi.MaxErrors]
	}
	return errs.Err()
}
