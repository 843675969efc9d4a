package encode

import (
	"encoding/binary"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// A total is how many rows there are without the page's window, as far as that
// is known. The zero total is unknown.
type total struct {
	n    int64
	kind totalKind
}

type totalKind uint8

const (
	unknownTotal totalKind = iota
	exactTotal
	lowerBound
	estimatedTotal
)

func (t total) exact() bool { return t.kind == exactTotal }

// count finds the total of the plan's kind (contract 4.13).
func (d *document) count() error {
	counted, err := d.counted()
	if err != nil {
		return err
	}
	switch t := d.read.Query.Total; t.Kind {
	case plan.NoTotal:
	case plan.ExactTotal:
		d.total = total{counted, exactTotal}
	case plan.BoundedTotal:
		told, ok := d.told()
		switch {
		case ok:
			d.total = total{told, exactTotal}
		case counted > int64(t.Limit):
			d.total = total{int64(t.Limit), lowerBound}
		default:
			d.total = total{counted, exactTotal}
		}
	case plan.EstimateTotal:
		d.total = total{counted, estimatedTotal}
	default:
		panic("encode: a total of no known kind")
	}
	return nil
}

// counted returns the number that Postgres has counted or guessed; where it was
// not asked to, the page is all rows.
func (d *document) counted() (int64, error) {
	if d.layout.count == noStatement {
		return int64(d.items), nil
	}
	rows := d.rows(d.layout.count)
	if d.statement(d.layout.count).Part == sqlgen.Estimate {
		return rows.Estimated()
	}
	return int64(binary.BigEndian.Uint64(rows.Value(0, 0))), nil
}

// told returns the total that a page tells which is not full, and starts at a
// known row.
func (d *document) told() (int64, bool) {
	w, n := d.read.Query.Window, int64(d.items)
	if k := w.Keyset; k != nil && (k.Before != nil || k.After != nil && len(k.After.Parts) > 0) {
		return 0, false
	}
	offset := d.offset()
	full := w.Limit > 0 && n == int64(w.Limit)
	return offset + n, !full && (n > 0 || offset == 0)
}

// meta appends the total, what is to be said of the page, and the annotations,
// where there are any.
func (d *document) meta() {
	m := d.openMeta()
	if !d.notes.empty() {
		m.member("serialization")
		d.serialization()
	}
	m.close()
}

// openMeta begins the member meta with all but the annotations.
func (d *document) openMeta() optionalObject {
	m := d.openOptional(`,"meta":{`)
	if d.total.kind != unknownTotal {
		m.member("total")
		d.buf = appendInt(d.buf, d.total.n)
	}
	switch d.total.kind {
	case unknownTotal, exactTotal:
	case lowerBound:
		m.member("totalIsLowerBound")
		d.text("true")
	case estimatedTotal:
		m.member("totalIsEstimate")
		d.text("true")
	}
	if d.read.Query.Window.Keyset != nil {
		d.pageMeta(&m)
	}
	return m
}

// pageMeta says of a page that follows cursors, in the words of the profile, what
// total is guessed, and that it is not all of the range that was asked for.
// https://jsonapi.org/profiles/ethanresnick/cursor-pagination/#query-range-pagination
func (d *document) pageMeta(m *optionalObject) {
	k := d.read.Query.Window.Keyset
	truncated := k.After != nil && k.Before != nil && d.more()
	if d.total.kind != estimatedTotal && !truncated {
		return
	}
	m.member("page")
	page := d.openOptional("{")
	if d.total.kind == estimatedTotal {
		page.member("estimatedTotal")
		d.text(`{"bestGuess":`)
		d.buf = appendInt(d.buf, d.total.n)
		d.text("}")
	}
	if truncated {
		page.member("rangeTruncated")
		d.text("true")
	}
	page.close()
}

// serialization appends the annotations (contract 6.1).
func (d *document) serialization() {
	d.text(`{"values":`)
	d.buf = d.notes.appendTo(d.buf)
	d.text("}")
}

// An optionalObject is one that is not there without members.
type optionalObject struct {
	d           *document
	start, open int // where it begins, and where its members do
}

// openOptional begins one with a text.
func (d *document) openOptional(text string) optionalObject {
	start := len(d.buf)
	d.text(text)
	return optionalObject{d, start, len(d.buf)}
}

// member begins a member.
func (o *optionalObject) member(name string) {
	if len(o.d.buf) > o.open {
		o.d.text(",")
	}
	o.d.text(`"`)
	o.d.text(name)
	o.d.text(`":`)
}

func (o *optionalObject) close() {
	if len(o.d.buf) == o.open {
		o.d.buf = o.d.buf[:o.start]
		return
	}
	o.d.text("}")
}
