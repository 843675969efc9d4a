package encode

import (
	"slices"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
)

// AppendResults appends the document that answers a batch: a result for each operation,
// in their order. Those that create or update a resource have it as it was after
// the operation; the others, of relationships and removals, are empty objects.
// Where it returns an error, dst comes back as it was.
// https://jsonapi.org/ext/atomic/#result-objects
func (e *Encoder) AppendResults(dst []byte, p *plan.Plan, r *exec.Result) ([]byte, error) {
	d := e.newDocument(dst, Address{})
	defer d.release()
	d.text(`{"jsonapi":{"version":"` + jsonapi.Version + `","ext":["` + jsonapi.AtomicExtension + `"]},"` + resultsMember + `":[`)
	mark := d.notes.enter(resultsMember)
	for i, operation := range p.Action.(*plan.Batch).Operations {
		if i > 0 {
			d.text(",")
		}
		index := d.notes.enterIndex(i)
		if err := d.operationResult(operation, r.Operations[i]); err != nil {
			return dst, err
		}
		d.notes.leave(index)
	}
	d.notes.leave(mark)
	d.text("]")
	if !d.notes.empty() {
		d.text(`,"meta":{"serialization":`)
		d.serialization()
		d.text("}")
	}
	d.text("}")
	return d.buf, nil
}

const resultsMember = "atomic:results"

// operationResult appends the result of one operation.
func (d *document) operationResult(p *plan.Plan, r *exec.Result) error {
	if !hasData(p) {
		d.text("{}")
		return nil
	}
	d.show(p, r)
	if err := d.find(); err != nil {
		return err
	}
	d.text(`{"data":`)
	if err := d.primary(); err != nil {
		return err
	}
	d.text("}")
	return nil
}

// HasResults reports whether any operation of a batch has a result that is not
// empty; where none has, no document needs to be sent.
func HasResults(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Action.(*plan.Batch).Operations, hasData)
}

// hasData reports whether an operation answers with a resource.
func hasData(p *plan.Plan) bool {
	read := p.Read()
	return read != nil && read.Form == plan.Resource
}
