package encode

import (
	"bytes"
	"errors"

	"github.com/resourcery/resourcery/plan"
)

// links appends the document's links: itself, of a relationship the related
// resources, and of a collection its pages. Paths and queries come escaped, so
// that they stand in JSON as they are.
func (d *document) links() error {
	d.text(`,"links":{"self":"`)
	mark := len(d.buf)
	if err := d.self(); err != nil {
		return err
	}
	end := len(d.buf)
	if d.at.Query != "" {
		d.text("?")
		d.text(d.at.Query)
	}
	d.text(`"`)
	if f := d.read.Form; f == plan.Linkage || f == plan.ToOneLinkage {
		d.text(`,"related":"`)
		d.related(d.buf[mark:end])
		d.text(`"`)
	}
	if err := d.pageLinks(); err != nil {
		return err
	}
	d.text("}")
	return nil
}

// self appends where the document is served, without its query.
func (d *document) self() error {
	if d.at.Path != "" {
		d.text(d.encoder.options.Endpoint)
		d.text(d.at.Path)
		return nil
	}
	var err error
	if d.buf, err = d.appendAddress(d.buf, d.pageRow(0)); err != nil {
		return err
	}
	switch d.read.Form {
	case plan.Resource:
		return nil
	case plan.ToOneLinkage:
		d.text(d.shown().relations[0].self)
		return nil
	case plan.Collection, plan.RelatedResource, plan.Linkage:
		return errors.New("encode the document's address: its rows do not tell it")
	default:
		panic("encode: a read of no known form")
	}
}

// related appends the address of the resources that a relationship leads to, by
// that of the relationship.
func (d *document) related(self []byte) {
	segment := []byte("/relationships/")
	i := bytes.LastIndex(self, segment)
	d.buf = append(d.buf, self[:i+1]...)
	d.buf = append(d.buf, self[i+len(segment):]...)
}
