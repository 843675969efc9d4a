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
	if err := d.locate(); err != nil {
		return "", err
	}
	return d.href(ref{d.page, 0}, &d.types[d.page])
}

var documents = sync.Pool{New: func() any { return new(document) }}

// A document is one document in the making.
type document struct {
	Options
	at     Address
	plan   *plan.Plan
	read   *plan.Read
	result *exec.Result

	page  int // the index of the page's statement
	total total
	types []resourceText // by statement
	graph *graph         // nil where nothing is included
	buf   []byte         // the caller's
	ids   []idColumn     // reused by idColumns
	notes annotations
}

// newDocument returns a document that is appended to dst. It is given back by
// release.
func (e *Encoder) newDocument(dst []byte, at Address) *document {
	d := documents.Get().(*document)
	d.Options, d.at, d.buf = e.options, at, dst
	return d
}

// show turns to what answers p. The text so far and its annotations stay.
func (d *document) show(p *plan.Plan, r *exec.Result) {
	d.plan, d.read, d.result = p, p.Read(), r
	d.page, d.total, d.graph = 0, total{}, nil
}

// keptBuffer is the largest buffer that goes back to the pool.
const keptBuffer = 1 << 20

func (d *document) release() {
	notes, types := d.notes, d.types
	clear(types)
	*d = document{}
	if cap(notes.values) <= keptBuffer {
		notes.reset()
		d.notes, d.types = notes, types[:0]
	}
	documents.Put(d)
}

func (d *document) write() error {
	if err := d.locate(); err != nil {
		return err
	}
	d.text(`{"jsonapi":{"version":"` + jsonapi.Version + `"},"data":`)
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

func (d *document) text(s string) { d.buf = append(d.buf, s...) }

// locate finds the parts of the result, and refuses what is not there.
func (d *document) locate() error {
	edges := false
	for i, st := range d.result.Pipeline.Statements {
		rows := &d.result.Parts[i]
		switch st.Part {
		case sqlgen.Check:
			if rows.Len() == 0 {
				return notFound()
			}
		case sqlgen.Page:
			d.page = i
		case sqlgen.Rows, sqlgen.Pairs:
			edges = true
		case sqlgen.Count, sqlgen.Estimate,
			sqlgen.Unseen, sqlgen.Written, sqlgen.Again, sqlgen.Step, sqlgen.Guard: // not of the document
		}
	}
	if d.one() && d.rows(d.page).Len() == 0 {
		return notFound()
	}
	if err := d.count(); err != nil {
		return err
	}
	d.types = d.types[:0]
	for _, st := range d.result.Pipeline.Statements {
		d.types = append(d.types, d.textOf(st))
	}
	if edges {
		d.graph = newGraph(d)
	}
	return nil
}

// one reports whether the page must have a row.
func (d *document) one() bool {
	return d.read.Form == plan.Resource || d.read.Form == plan.ToOneLinkage
}

func (d *document) statement(part int) *sqlgen.Statement { return d.result.Pipeline.Statements[part] }
func (d *document) rows(part int) *exec.Rows             { return &d.result.Parts[part] }

func notFound() error {
	return jsonapi.Errorf(jsonapi.NotFound, jsonapi.Source{}, "The resource does not exist, or you may not see it.")
}

// primary appends primary data.
func (d *document) primary() error {
	switch d.read.Form {
	case plan.Collection:
		return d.list(d.resourceAt)
	case plan.Linkage:
		return d.list(func(row int) error { return d.identifier(ref{d.page, row}) })
	case plan.Resource:
		return d.single()
	case plan.RelatedResource:
		if d.rows(d.page).Len() == 0 {
			d.text("null")
			return nil
		}
		return d.single()
	case plan.ToOneLinkage:
		return d.linkage(d.read.Query.Relationships[0], []ref{{d.page, 0}})
	default:
		panic("encode: a read of no known form")
	}
}

func (d *document) single() error {
	mark := d.notes.enter("data")
	defer d.notes.leave(mark)
	return d.resource(ref{d.page, 0}, d.occurrences(ref{d.page, 0}))
}

// list appends an array with one element for each row of the page.
func (d *document) list(element func(row int) error) error {
	mark := d.notes.enter("data")
	defer d.notes.leave(mark)
	d.text("[")
	for row := range d.rows(d.page).Len() {
		if row > 0 {
			d.text(",")
		}
		index := d.notes.enterIndex(row)
		if err := element(row); err != nil {
			return err
		}
		if err := d.itemCursor(row); err != nil {
			return err
		}
		d.notes.leave(index)
	}
	d.text("]")
	return nil
}

func (d *document) resourceAt(row int) error {
	r := ref{d.page, row}
	return d.resource(r, d.occurrences(r))
}

// included appends the included resources, each once, in the order of the
// paths and within one of the parents.
func (d *document) included() error {
	mark := d.notes.enter("included")
	defer d.notes.leave(mark)
	d.text(`,"included":[`)
	if d.graph != nil || d.read.Members {
		if err := d.includedResources(); err != nil {
			return err
		}
	}
	d.text("]")
	return nil
}

func (d *document) includedResources() error {
	if d.graph == nil {
		d.graph = newGraph(d)
	}
	for i, n := range d.graph.included() {
		if i == d.read.MaxIncluded {
			return exec.TooManyIncluded(d.read.MaxIncluded)
		}
		if i > 0 {
			d.text(",")
		}
		index := d.notes.enterIndex(i)
		if err := d.resource(n.occurrences[0], n.occurrences); err != nil {
			return err
		}
		d.notes.leave(index)
	}
	return nil
}

// occurrences are all rows that show the resource of a row.
func (d *document) occurrences(r ref) []ref {
	if d.graph == nil {
		return []ref{r}
	}
	return d.graph.node(r).occurrences
}
