package encode

import (
	"sync"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// An Address is where a document is served, as far as its links need it.
type Address struct {
	// Path is below the endpoint, escaped, with its leading slash. "" is that of
	// the resource that the document shows, or whose to-one relationship it shows,
	// under the id that the row has: after a write that may be another than the
	// request's.
	Path  string
	Query string // the request's query in canonical encoding, "" for none
	// Before and After are Query's parameters that stand before and after the
	// page's in page links, each in canonical encoding.
	Before, After string
	// Page is those page parameters that page links keep: page[total] and the
	// windows of included relationships.
	Page string
}

// AppendDocument appends the document that answers p, which reads one: it is a
// read, or a write with an answer. Where it returns an error, dst comes back as
// it was: a jsonapi.NotFound where the resource, or the parent, is absent or
// invisible, a jsonapi.TooManyIncluded past that limit.
//
// Members come in the order jsonapi, data, included, links, meta.
func (e *Encoder) AppendDocument(dst []byte, at Address, p *plan.Plan, r *exec.Result) ([]byte, error) {
	d := e.newDocument(dst, at)
	defer d.release()
	d.show(p, r)
	if err := d.write(); err != nil {
		return dst, err
	}
	return d.buf, nil
}

// Location returns the address of the resource that the document of p shows.
func (e *Encoder) Location(p *plan.Plan, r *exec.Result) (string, error) {
	d := e.newDocument(nil, Address{})
	defer d.release()
	d.show(p, r)
	if err := d.find(); err != nil {
		return "", err
	}
	address, err := d.appendAddress(nil, d.pageRow(0))
	return string(address), err
}

var documents = sync.Pool{New: func() any { return new(document) }}

// A document is one document in the making.
type document struct {
	encoder *Encoder
	at      Address
	plan    *plan.Plan
	read    *plan.Read
	result  *exec.Result
	layout  *layout

	page  int // the index of the page's statement
	items int // how many rows the page has
	total total
	graph *graph // nil where nothing is included
	buf   []byte // the caller's
	notes annotations

	id     []byte // reused
	room   graph  // what graph points to
	cursor cursorText
}

// newDocument returns a document that is appended to dst. It is given back by
// release.
func (e *Encoder) newDocument(dst []byte, at Address) *document {
	d := documents.Get().(*document)
	d.encoder, d.at, d.buf = e, at, dst
	return d
}

// show turns to what answers p. The text so far and its annotations stay.
func (d *document) show(p *plan.Plan, r *exec.Result) {
	d.plan, d.read, d.result = p, p.Read(), r
	d.layout = d.encoder.layout(r.Pipeline)
	d.page = d.layout.page
	d.items = d.rows(d.page).Len()
	d.total, d.graph = total{}, nil
}

// keptBytes is up to how much memory a document is used again.
const keptBytes = 1 << 20

func (d *document) release() {
	if d.size() > keptBytes {
		return
	}
	d.encoder, d.at = nil, Address{}
	d.plan, d.read, d.result, d.layout, d.graph = nil, nil, nil, nil, nil
	d.buf = nil
	d.notes.reset()
	d.room.d = nil
	documents.Put(d)
}

// size is about how many bytes the document keeps.
func (d *document) size() int {
	return cap(d.notes.values) + cap(d.id) + d.room.size() + d.cursor.size()
}

func (d *document) write() error {
	if err := d.find(); err != nil {
		return err
	}
	if err := d.count(); err != nil {
		return err
	}
	d.text(openDocument)
	if err := d.primary(); err != nil {
		return err
	}
	if d.read.Included {
		if err := d.included(); err != nil {
			return err
		}
	}
	if err := d.links(); err != nil {
		return err
	}
	d.meta()
	d.text("}")
	return nil
}

const openDocument = `{"jsonapi":{"version":"` + jsonapi.Version + `"},"data":`

func (d *document) text(s string) { d.buf = append(d.buf, s...) }

// find refuses what is not there.
func (d *document) find() error {
	for _, part := range d.layout.checks {
		if d.rows(part).Len() == 0 {
			return notFound()
		}
	}
	if d.one() && d.items == 0 {
		return notFound()
	}
	return nil
}

// one reports whether the page must have a row.
func (d *document) one() bool {
	return d.read.Form == plan.Resource || d.read.Form == plan.ToOneLinkage
}

func (d *document) statement(part int) *sqlgen.Statement { return d.result.Pipeline.Statements[part] }
func (d *document) rows(part int) *exec.Rows             { return &d.result.Parts[part] }

// shown is what the resources of the page have in common.
func (d *document) shown() *resourceText { return &d.layout.resources[d.page] }

func notFound() error {
	return jsonapi.Errorf(jsonapi.NotFound, jsonapi.Source{}, "The resource does not exist, or you may not see it.")
}

// relate makes the graph.
func (d *document) relate() {
	d.graph = &d.room
	d.graph.build(d)
}

// primary appends primary data.
func (d *document) primary() error {
	if d.layout.edges {
		d.relate()
	}
	switch d.read.Form {
	case plan.Collection, plan.Linkage:
		return d.list()
	case plan.Resource:
		return d.single()
	case plan.RelatedResource:
		if d.items == 0 {
			d.text("null")
			return nil
		}
		return d.single()
	case plan.ToOneLinkage:
		return d.linkage(&d.shown().relations[0])
	default:
		panic("encode: a read of no known form")
	}
}

func (d *document) pageRow(row int) ref { return ref{int32(d.page), int32(row)} }

func (d *document) single() error {
	mark := d.notes.enter("data")
	err := d.resource(d.pageRow(0))
	d.notes.leave(mark)
	return err
}

// list appends an array with one element for each row of the page.
func (d *document) list() error {
	mark := d.notes.enter("data")
	d.text("[")
	for row := range d.items {
		if row > 0 {
			d.text(",")
		}
		index := d.notes.enterIndex(row)
		if err := d.element(row); err != nil {
			return err
		}
		d.notes.leave(index)
	}
	d.text("]")
	d.notes.leave(mark)
	return nil
}

// element appends the element of a list that a row of the page makes.
func (d *document) element(row int) error {
	var err error
	if d.read.Form == plan.Linkage {
		d.buf, err = d.appendIdentifier(d.buf, d.pageRow(row))
	} else {
		err = d.resource(d.pageRow(row))
	}
	if err != nil || d.read.Query.Window.Keyset == nil {
		return err
	}
	return d.itemCursor(row)
}
