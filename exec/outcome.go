package exec

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// errFailed is that of a batch which gave up, as one of its operations did not
// find what it needs: which one, its rows tell.
var errFailed = errors.New("an operation has failed")

// outcome says what came of a write from what its statements answered, and err
// where Postgres refused one.
func outcome(p *plan.Plan, r *Result, err error) error {
	if u, ok := errors.AsType[*unanswered](err); ok {
		if refused := outcome(p, r, nil); refused != nil {
			return refused
		}
		return WriteDone(u.cause)
	}
	if err != nil && !errors.Is(err, errFailed) {
		return err
	}
	batch, ok := p.Action.(*plan.Batch)
	if !ok {
		return written(p, r)
	}
	for i, op := range batch.Operations {
		refused := written(op, r.Operations[i])
		switch {
		case refused == nil:
		case err == nil:
			return internal(fmt.Errorf("a batch was kept though operation %d failed: %w", i+1, refused))
		default:
			return placed(refused, op)
		}
	}
	if err != nil {
		return internal(err) // the rows and the abort contradict each other
	}
	return nil
}

// placed has errors of an operation without a source point at the operation.
func placed(err error, p *plan.Plan) error {
	if p.Pointer == "" {
		return err
	}
	for _, e := range jsonapi.AsErrors(err) {
		if e.Source == (jsonapi.Source{}) {
			e.Source = jsonapi.Pointer(p.Pointer)
		}
	}
	return err
}

// written judges one write.
func written(p *plan.Plan, r *Result) error {
	switch a := p.Action.(type) {
	case *plan.Create:
		return created(p, a, r)
	case *plan.Update:
		return updated(p, a, r)
	case *plan.Delete:
		return deleted(a, r)
	default:
		panic("exec: an action that is no write of one row")
	}
}

// created judges a create. A row that was not written, though all targets were
// seen, has been left out by a trigger.
func created(p *plan.Plan, a *plan.Create, r *Result) error {
	rows := &r.Parts[part(r, sqlgen.Written)]
	if a.Upsert != nil {
		r.Updated = truth(rows, 1)
	}
	if truth(rows, 0) {
		return nil
	}
	if err := unseen(p, &a.Write, r); err != nil {
		return err
	}
	return notTaken()
}

// part returns the index of the pipeline's statement of that part, -1 if there
// is none.
func part(r *Result, p sqlgen.Part) int {
	return slices.IndexFunc(r.Pipeline.Statements, func(st *sqlgen.Statement) bool { return st.Part == p })
}

// truth is a bool of the first row.
func truth(rows *Rows, column int) bool {
	return rows.Len() > 0 && bytes.Equal(rows.Value(0, column), []byte{1})
}

// unseen refuses targets that the caller does not see, each at its place.
func unseen(p *plan.Plan, w *plan.Write, r *Result) error {
	i := part(r, sqlgen.Unseen)
	if i < 0 || r.Parts[i].Len() == 0 {
		return nil
	}
	groups, elements := indexes(r.Parts[i].Value(0, 0)), indexes(r.Parts[i].Value(0, 1))
	var errs jsonapi.Errors
	for n, group := range groups {
		t := w.Targets[group]
		errs = append(errs, targetNotFound(p.Elements[t.Keys[0]][elements[n]-1]))
		if len(errs) == jsonapi.MaxErrors {
			break
		}
	}
	return errs.Err()
}

// indexes reads an array of integers from its text form; nil is none.
func indexes(text []byte) []int {
	if len(text) < 2 {
		return nil
	}
	parts := strings.Split(string(text[1:len(text)-1]), ",")
	out := make([]int, len(parts))
	for i, s := range parts {
		out[i], _ = strconv.Atoi(s)
	}
	return out
}

// updated judges an update. A row that was not written is absent, or the caller
// sees it and may not write it, or it is in another state than If-Match says.
func updated(p *plan.Plan, a *plan.Update, r *Result) error {
	done := truth(&r.Parts[part(r, sqlgen.Written)], 0)
	page := -1
	if a.Answer != nil && a.Answer.Parent == nil {
		page = part(r, sqlgen.Page)
	}
	missing := unseen(p, &a.Write, r)
	switch {
	case done:
		return missing
	case page < 0 || r.Parts[page].Len() == 0:
		return notFound()
	case missing != nil:
		return missing
	case a.Match != nil && !matches(p, a.Match, r, page):
		return preconditionFailed()
	default:
		return mayNotChange()
	}
}

// matches reports whether the row that was read has one of the digests.
func matches(p *plan.Plan, m *plan.Match, r *Result, page int) bool {
	digest := r.Pipeline.Statements[page].Digest
	return digest > 0 && slices.Contains(p.Values[m.Rows].([]string), string(r.Parts[page].Value(0, digest)))
}

// deleted judges a delete by what is left.
func deleted(a *plan.Delete, r *Result) error {
	if truth(&r.Parts[part(r, sqlgen.Written)], 0) {
		return nil
	}
	again := &r.Parts[part(r, sqlgen.Again)]
	switch {
	case again.Len() == 0:
		return notFound()
	case a.Match != nil && !truth(again, 0):
		return preconditionFailed()
	default:
		return mayNotDelete()
	}
}

func notFound() error {
	return jsonapi.Errorf(jsonapi.NotFound, jsonapi.Source{}, "The resource does not exist, or you may not see it.")
}

func targetNotFound(at jsonapi.Source) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.RelatedNotFound, at, "The resource does not exist, or you may not see it.")
}

func preconditionFailed() error {
	return jsonapi.Errorf(jsonapi.PreconditionFailed, jsonapi.Header("If-Match"),
		"The resource is no longer as the entity tag says; fetch it again.")
}

func notTaken() error {
	return jsonapi.Errorf(jsonapi.Forbidden, jsonapi.Source{}, "The database did not take the resource: a trigger left it out.")
}

func mayNotChange() error {
	return jsonapi.Errorf(jsonapi.Forbidden, jsonapi.Source{}, "You may see the resource, but not change it.")
}

func mayNotDelete() error {
	return jsonapi.Errorf(jsonapi.Forbidden, jsonapi.Source{}, "You may see the resource, but not delete it.")
}
