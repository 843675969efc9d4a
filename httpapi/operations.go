package httpapi

import (
	"net/http"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
)

// operate takes a request with atomic operations through the stages (contract
// 5.10). Where no operation has a result, the answer has no document.
// https://jsonapi.org/ext/atomic/#processing
func (s *rest) operate(c caller, r *http.Request, v visit, out *response) error {
	operations, err := s.operations(r, v)
	if err != nil {
		return err
	}
	p, err := plan.BuildBatch(c.view, operations, s.plan)
	if err != nil {
		return v.available(err)
	}
	if err := c.validate(operations...); err != nil {
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
	if !encode.HasResults(p) {
		out.status = http.StatusNoContent
		return nil
	}
	if out.body, err = s.encoder.AppendResults(out.body, p, result); err != nil {
		return exec.WriteDone(err)
	}
	return nil
}

// operations reads the operations. Of the query only the host's own parameters
// have a meaning.
func (s *rest) operations(r *http.Request, v visit) ([]*parse.Request, error) {
	text, err := s.body(r)
	if err != nil {
		return nil, err
	}
	query, queryErr := parse.Query(v.target, r.URL.RawQuery, s.parse)
	operations, bodyErr := parse.Operations(text, parse.OperationOptions{Endpoint: s.endpoint, Max: s.maxOperations})
	if queryErr == nil {
		queryErr = misplaced(query.Params)
	}
	if err := together(queryErr, bodyErr); err != nil {
		return nil, err
	}
	return operations, nil
}

// misplaced refuses the parameters that ask something of an answer.
func misplaced(params []parse.Param) error {
	var errs jsonapi.Errors
	for _, p := range params {
		if p.Group != parse.OtherGroup {
			errs = append(errs, jsonapi.Errorf(jsonapi.InvalidParameter, jsonapi.Parameter(p.Name),
				"%s means nothing to operations; leave it out.", p.Name))
		}
	}
	return errs.Err()
}
