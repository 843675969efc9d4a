package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/validation"
	"github.com/resourcery/resourcery/sqlgen"
)

// A visit is what a request turns out to be before its names are looked at.
type visit struct {
	target  parse.Target
	methods []method // of the path
	verb    parse.Verb
	// profiles are those that the request asks for; the unknown ones are ignored.
	profiles []string
}

// A caller is who asks, and what they may see.
type caller struct {
	client   exec.Client
	view     *schema.View
	compiler *sqlgen.Compiler
	recent   recent
	// validation is nil where nothing is validated.
	validation *validation.Set
}

// caller asks the host who is calling.
func (h *host) caller(r *http.Request) (caller, error) {
	client, err := h.client(r)
	if err != nil {
		return caller{}, fmt.Errorf("client of the request: %w", err)
	}
	view, err := client.View(r.Context(), h.schema)
	if err != nil {
		return caller{}, err
	}
	return caller{client, view, h.compiler, h.recent, h.validation}, nil
}

// run has the database do what the plan says.
func (c caller) run(ctx context.Context, p *plan.Plan) (*exec.Result, error) {
	return c.client.Run(ctx, c.compiler.Compile(p.Action), p)
}

// stream has the database do what the plan of a read says, and the document
// written while the rows come.
func (c caller) stream(ctx context.Context, p *plan.Plan, document *encode.Stream) error {
	result, err := c.client.Stream(ctx, c.compiler.Compile(p.Action), p, document)
	if err != nil {
		return err
	}
	defer result.Release()
	return document.End(result)
}

// options are those of the style, with what the request asks for by itself.
func (v visit) options(o plan.Options) plan.Options {
	o.CursorProfile = slices.Contains(v.profiles, jsonapi.CursorProfile)
	return o
}

// available adds to a refusal of the method which ones there are (contract 2.2):
// those of the path, or fewer where the plan knows that.
func (v visit) available(err error) error {
	methods := v.methods
	if u, ok := errors.AsType[*plan.Unavailable](err); ok {
		methods = withVerbs(methods, u.Verbs)
	} else if jsonapi.AsErrors(err).Status() != http.StatusMethodNotAllowed {
		return err
	}
	return &refusal{object: err, header: []headerLine{{"Allow", allow(methods)}}}
}
