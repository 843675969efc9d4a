package httpapi

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// read takes a request through the stages: who asks, what it says, what that
// means to them, what the database answers, how it is written. profiles are
// those that the request asks for; the unknown ones are ignored.
func (s *rest) read(h *host, r *http.Request, target parse.Target, profiles []string, out *response) error {
	client, err := h.client(r)
	if err != nil {
		return fmt.Errorf("client of the request: %w", err)
	}
	ctx := r.Context()
	view, err := client.View(ctx, h.schema)
	if err != nil {
		return err
	}
	request, err := parse.Query(target, r.URL.RawQuery, s.parse)
	if err != nil {
		return err
	}
	options := s.plan
	options.CursorProfile = slices.Contains(profiles, jsonapi.CursorProfile)
	p, err := plan.Build(view, request, options)
	if err != nil {
		return err
	}
	result, err := client.Run(ctx, h.compiler.Compile(p.Action), p)
	if err != nil {
		return err
	}
	if err := encode.Document(&out.body, s.address(view, request), p, result); err != nil {
		return err
	}
	out.profiles = applied(p)
	if etag := encode.ETag(result, out.body.Bytes()); etag != "" {
		out.tag(etag, r.Header["If-None-Match"])
	}
	return nil
}

// applied returns the profiles that the document of a plan keeps to, whether
// they were asked for by Accept or by what the profile defines.
func applied(p *plan.Plan) []string {
	if read, ok := p.Action.(*plan.Read); ok && read.Query.Window.Keyset != nil {
		return []string{jsonapi.CursorProfile}
	}
	return nil
}

// address returns where the request's document is served, in the spelling that
// links have (contract 3.3, 3.4). The request has been planned against view, so
// its type is there.
func (s *rest) address(view *schema.View, r *parse.Request) encode.Address {
	target := r.Target
	if m, ok := view.Model(target.Type); ok {
		target.Type = m.Model.Type
	}
	a := encode.Address{
		Endpoint: s.endpoint,
		Path:     target.Path(),
		Query:    parse.Encode(r.Params),
		Before:   parse.Encode(groups(r.Params, parse.FilterGroup, parse.SortGroup)),
		Page:     parse.Encode(keptPages(r)),
		After:    parse.Encode(groups(r.Params, parse.IncludeGroup, parse.FieldsGroup, parse.OtherGroup)),
		Divider:  s.plan.Divider,

		StringIDs: s.strict,
	}
	if s.plan.PageSize != Unlimited {
		a.PageSize = s.plan.PageSize
	}
	return a
}

// keptPages returns the page parameters that say the same on every page: how
// rows are counted, and the windows of included relationships.
func keptPages(r *parse.Request) []parse.Param {
	var out []parse.Param
	for _, p := range r.Page {
		if p.Path != nil || p.Name == "total" {
			out = append(out, parse.Param{Group: parse.PageGroup, Name: p.Parameter, Value: p.Value})
		}
	}
	return out
}

// groups returns the parameters of the groups, group by group, each in the
// order of the request.
func groups(params []parse.Param, wanted ...parse.Group) []parse.Param {
	var out []parse.Param
	for _, g := range wanted {
		for _, p := range params {
			if p.Group == g {
				out = append(out, p)
			}
		}
	}
	return out
}
