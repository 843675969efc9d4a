package encode

import (
	"encoding/binary"
	"strconv"
	"strings"

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
	for i, st := range d.result.Pipeline.Statements {
		switch rows := d.rows(i); st.Part {
		case sqlgen.Count:
			return int64(binary.BigEndian.Uint64(rows.Value(0, 0))), nil
		case sqlgen.Estimate:
			return rows.Estimated()
		}
	}
	return int64(d.rows(d.page).Len()), nil
}

// told returns the total that a page tells which is not full, and starts at a
// known row.
func (d *document) told() (int64, bool) {
	w, n := d.read.Query.Window, int64(d.rows(d.page).Len())
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
	mark := len(d.buf)
	d.text(`,"meta":{`)
	empty := len(d.buf)
	member := func(name string) {
		if len(d.buf) > empty {
			d.text(",")
		}
		d.text(`"` + name + `":`)
	}
	if d.total.kind != unknownTotal {
		member("total")
		d.buf = appendInt(d.buf, d.total.n)
	}
	switch d.total.kind {
	case unknownTotal, exactTotal:
	case lowerBound:
		member("totalIsLowerBound")
		d.text("true")
	case estimatedTotal:
		member("totalIsEstimate")
		d.text("true")
	}
	if page := d.pageMeta(); page != "" {
		member("page")
		d.text(page)
	}
	if !d.notes.empty() {
		member("serialization")
		d.serialization()
	}
	if len(d.buf) == empty {
		d.buf = d.buf[:mark]
		return
	}
	d.text("}")
}

// serialization appends the annotations (contract 6.1).
func (d *document) serialization() {
	d.text(`{"values":`)
	d.buf = d.notes.appendTo(d.buf)
	d.text("}")
}

// pageMeta says of a page that follows cursors, in the words of the profile, what
// total is guessed, and that it is not all of the range that was asked for.
// https://jsonapi.org/profiles/ethanresnick/cursor-pagination/#query-range-pagination
func (d *document) pageMeta() string {
	k := d.read.Query.Window.Keyset
	if k == nil {
		return ""
	}
	var members []string
	if d.total.kind == estimatedTotal {
		members = append(members, `"estimatedTotal":{"bestGuess":`+strconv.FormatInt(d.total.n, 10)+"}")
	}
	if k.After != nil && k.Before != nil && d.more() {
		members = append(members, `"rangeTruncated":true`)
	}
	if members == nil {
		return ""
	}
	return "{" + strings.Join(members, ",") + "}"
}
