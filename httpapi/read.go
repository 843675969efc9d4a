package httpapi

import (
	"net/http"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// read takes a request that reads through the stages: what it says, what that
// means to the caller, what the database answers, how it is written.
func (s *rest) read(c caller, r *http.Request, v visit, out *response) error {
	p, at, err := s.planned(c, r.URL.RawQuery, v)
	if err != nil {
		return err
	}
	switch read := p.Read(); {
	case read.Unbounded():
		return s.stream(c, r, at, p, out)
	case read.RowByRow():
		return s.gather(c, r, at, p, out)
	}
	result, err := c.run(r.Context(), p)
	if err != nil {
		return err
	}
	defer result.Release()
	if out.body, err = s.encoder.AppendDocument(out.body, at, p, result); err != nil {
		return err
	}
	out.profiles = applied(p)
	if etag := encode.ETag(result, out.body); etag != "" {
		out.tag(etag, r.Header["If-None-Match"])
	}
	return nil
}

// applied returns the profiles that the document of a plan keeps to, whether
// they were asked for by Accept or by what the profile defines.
func applied(p *plan.Plan) []string {
	if p.Read().Query.Window.Keyset != nil {
		return []string{jsonapi.CursorProfile}
	}
	return nil
}

// address returns where the request's document is served, in the spelling that
// links have (contract 3.3, 3.4). The request has been planned against view, so
// its type is there.
func (s *rest) address(view *schema.View, r *parse.Request) encode.Address {
	target := r.Target
	target.Type = typeOf(view, target)
	return encode.Address{
		Path:   target.Path(),
		Query:  parse.Encode(r.Params),
		Before: parse.Encode(groups(r.Params, parse.FilterGroup, parse.SortGroup)),
		Page:   parse.Encode(keptPages(r)),
		After:  parse.Encode(groups(r.Params, parse.IncludeGroup, parse.FieldsGroup, parse.OtherGroup)),
	}
}

// typeOf returns the type of a target in the one form that answers carry
// (contract 1.3).
func typeOf(view *schema.View, t parse.Target) string {
	if m, ok := view.Model(t.Type); ok {
		return m.Model.Type
	}
	return t.Type
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
