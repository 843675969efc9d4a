package httpapi

import (
	"net/http"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
)

// write takes a request that changes one resource, or a relationship of it,
// through the stages.
func (s *rest) write(c caller, r *http.Request, v visit, out *response) error {
	if err := plan.Admit(c.view, v.target, v.verb); err != nil {
		return v.available(err)
	}
	request, err := s.writing(r, v)
	if err != nil {
		return err
	}
	p, err := plan.Build(c.view, request, v.options(s.plan))
	if err != nil {
		return v.available(err)
	}
	if err := c.validate(request); err != nil {
		return err
	}
	if err := unmet(r.Header, v.verb); err != nil {
		return err
	}
	result, err := c.run(r.Context(), p)
	if err != nil {
		return err
	}
	defer result.Release()
	if v.verb == parse.Delete {
		out.status = http.StatusNoContent
		return nil
	}
	if err := s.written(out, s.writtenAddress(c, request, p), p, result); err != nil {
		return exec.WriteDone(err)
	}
	return nil
}

// writing reads the request: its query, its condition and its body. A body that
// comes with the removal of a resource has no meaning and is not read.
func (s *rest) writing(r *http.Request, v visit) (*parse.Request, error) {
	target := v.target
	if target.Shape == parse.Related { // the same as the relationship itself (contract 2.1)
		target.Shape = parse.Relationship
	}
	if v.verb == parse.Delete {
		request, err := parse.Query(target, r.URL.RawQuery, s.parse)
		if err != nil {
			return nil, err
		}
		request.Verb, request.Match = v.verb, matchOf(r.Header)
		return request, nil
	}
	text, err := s.body(r)
	if err != nil {
		return nil, err
	}
	request, queryErr := parse.Query(target, r.URL.RawQuery, s.parse)
	body, bodyErr := parse.Document(v.verb, text)
	if err := together(queryErr, bodyErr); err != nil {
		return nil, err
	}
	request.Verb, request.Body = v.verb, body
	if v.verb == parse.Update {
		request.Match = matchOf(r.Header)
	}
	return request, nil
}

// together is all that two readings of a request found wrong; nil where they
// found nothing.
func together(errs ...error) error {
	var all jsonapi.Errors
	for _, err := range errs {
		if err != nil {
			all = append(all, jsonapi.AsErrors(err)...)
		}
	}
	if len(all) > jsonapi.MaxErrors {
		all = all[:jsonapi.MaxErrors]
	}
	return all.Err()
}

// writtenAddress is the address of the document that answers a write: where the
// row tells it, it is that of the row as it is now.
func (s *rest) writtenAddress(c caller, request *parse.Request, p *plan.Plan) encode.Address {
	at := s.address(c.view, request)
	if form := p.Read().Form; form == plan.Resource || form == plan.ToOneLinkage {
		at.Path = ""
	}
	return at
}

// written makes out the document that answers a write (contract 2.3).
func (s *rest) written(out *response, at encode.Address, p *plan.Plan, result *exec.Result) (err error) {
	if out.body, err = s.encoder.AppendDocument(out.body, at, p, result); err != nil {
		return err
	}
	if etag := encode.ETag(result, out.body); etag != "" {
		out.addHeader("ETag", etag)
	}
	if _, create := p.Action.(*plan.Create); !create || result.Updated {
		return nil
	}
	location, err := s.encoder.Location(p, result)
	if err != nil {
		return err
	}
	out.status = http.StatusCreated
	out.addHeader("Location", location)
	return nil
}
