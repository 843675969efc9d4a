package encode

import (
	"encoding/binary"
	"fmt"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// An attributeText is one attribute of a resource.
type attributeText struct {
	name   string
	open   string // `,"title":`, of the first one `,"attributes":{"title":`
	column int
	typ    *schema.Type // without domains
	format sqlgen.Format
	short  shortForm
	path   string // `.attributes.title`, as annotations have it; "" where values are never annotated
	date   string // `.attributes.createdAt":["Date"]`, of instants
}

func newAttributeTexts(st *sqlgen.Statement) []attributeText {
	texts := make([]attributeText, 0, len(st.Fields))
	for i, f := range st.Fields {
		c := st.Columns[st.Attributes[i]]
		a := attributeText{name: f.Name, open: `,"` + f.Name + `":`, column: st.Attributes[i], typ: c.Type.Base(), format: c.Format}
		a.short = shortFormOf(a.typ, a.format)
		if i == 0 {
			a.open = `,"attributes":{"` + f.Name + `":`
		}
		if complex(a.typ) {
			a.path = ".attributes." + string(appendSegment(nil, f.Name))
			a.date = a.path + `":` + string(annotateDate)
		}
		texts = append(texts, a)
	}
	return texts
}

// A shortForm tells a column of the kinds that most columns are of, whose values
// are written without a look at the type.
type shortForm uint8

const (
	noShortForm shortForm = iota
	shortText
	shortBool
	shortInt4
	shortInstant
)

func shortFormOf(t *schema.Type, f sqlgen.Format) shortForm {
	switch {
	case t.Kind == schema.Text, t.Kind == schema.Enum:
		return shortText
	case f != sqlgen.Binary:
		return noShortForm
	case t.Kind == schema.Bool:
		return shortBool
	case t.Kind == schema.Int4:
		return shortInt4
	case t.Kind == schema.Timestamptz, t.Kind == schema.Timestamp:
		return shortInstant
	default:
		return noShortForm
	}
}

// appendAttributes appends the attributes of a row.
func (d *document) appendAttributes(dst []byte, t *resourceText, r ref) (_ []byte, err error) {
	rows, row := d.rows(int(r.part)), int(r.row)
	for i := range t.attributes {
		a := &t.attributes[i]
		if dst, err = d.appendAttribute(append(dst, a.open...), a, rows.Value(row, a.column)); err != nil {
			return dst, fmt.Errorf("encode attribute %s: %w", a.name, err)
		}
	}
	return dst, nil
}

// appendAttribute appends the value of an attribute as appendValue does, annotated
// where it has to be. Values that have not the size of a short form's take the long
// way, where they are refused.
func (d *document) appendAttribute(dst []byte, a *attributeText, raw []byte) (_ []byte, err error) {
	switch {
	case raw == nil:
		return append(dst, "null"...), nil
	case a.short == shortText:
		return appendString(dst, raw), nil
	case a.short == shortBool:
		return appendBool(dst, a.typ, raw)
	case a.short == shortInt4 && len(raw) == 4:
		return appendInt(dst, int64(int32(binary.BigEndian.Uint32(raw)))), nil
	case a.short == shortInstant && len(raw) == 8:
		v := int64(binary.BigEndian.Uint64(raw))
		if v != infinity && v != minusInfinity {
			d.notes.addAt(a.date)
		}
		return append(appendInstant(append(dst, '"'), v), '"'), nil
	case a.path == "":
		return appendValue(dst, nil, a.typ, a.format, raw)
	}
	mark := d.notes.push(a.path)
	dst, err = appendValue(dst, &d.notes, a.typ, a.format, raw)
	d.notes.leave(mark)
	return dst, err
}
