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
	date   string // `.attributes.createdAt":["Date"]`, where short is shortInstant
}

// A shortForm tells the columns that most attributes have, whose values are written
// without asking for their type again. What it does not expect takes the long way.
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

func newAttributeTexts(st *sqlgen.Statement) []attributeText {
	texts := make([]attributeText, 0, len(st.Fields))
	for i, f := range st.Fields {
		c := st.Columns[st.Attributes[i]]
		a := attributeText{name: f.Name, open: `,"` + f.Name + `":`, column: st.Attributes[i], typ: c.Type.Base(), format: c.Format}
		if i == 0 {
			a.open = `,"attributes":{"` + f.Name + `":`
		}
		if complex(f.Type) {
			a.path = ".attributes." + string(appendSegment(nil, f.Name))
			a.date = a.path + `":` + string(annotateDate)
		}
		a.short = shortFormOf(a.typ, a.format)
		texts = append(texts, a)
	}
	return texts
}

// appendAttributes appends the attributes of a row.
func (d *document) appendAttributes(dst []byte, t *resourceText, r ref) (_ []byte, err error) {
	rows, row := d.rows(int(r.part)), int(r.row)
	for i := range t.attributes {
		a := &t.attributes[i]
		dst = append(dst, a.open...)
		raw := rows.Value(row, a.column)
		switch {
		case raw == nil:
			dst = append(dst, "null"...)
			continue
		case a.short == shortText:
			dst = appendString(dst, raw)
			continue
		case a.short == shortInt4 && len(raw) == 4:
			dst = appendInt(dst, int64(int32(binary.BigEndian.Uint32(raw))))
			continue
		case a.short == shortBool && len(raw) == 1 && raw[0] == 1:
			dst = append(dst, "true"...)
			continue
		case a.short == shortBool && len(raw) == 1 && raw[0] == 0:
			dst = append(dst, "false"...)
			continue
		case a.short == shortInstant && len(raw) == 8:
			v := int64(binary.BigEndian.Uint64(raw))
			if v != infinity && v != minusInfinity {
				d.notes.addAt(a.date)
			}
			dst = append(dst, '"')
			dst = appendInstant(dst, v)
			dst = append(dst, '"')
			continue
		}
		mark := d.notes.push(a.path)
		dst, err = appendValue(dst, &d.notes, a.typ, a.format, raw)
		d.notes.leave(mark)
		if err != nil {
			return dst, fmt.Errorf("encode attribute %s: %w", a.name, err)
		}
	}
	return dst, nil
}
