package encode

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// appendValue appends a column's value as JSON (contract 6). raw is what
// Postgres sent in that format, nil for NULL; the column's format is the one
// that sqlgen chose, with the session's style settings: DateStyle ISO,
// IntervalStyle iso_8601, bytea_output hex. Values that JSON has no type for are
// annotated at n's current path; n may be nil where no annotation is wanted.
//
// It fails only where raw is no value of t: the schema is not the database's;
// or where what stands before it is too large already, dst being the document.
func appendValue(dst []byte, n *annotations, t *schema.Type, f sqlgen.Format, raw []byte) ([]byte, error) {
	if raw == nil {
		return append(dst, "null"...), nil
	}
	if len(dst)+n.size() > MaxBytes {
		return dst, tooLarge()
	}
	t = t.Base()
	switch t.Kind {
	case schema.Text, schema.Enum:
		return appendString(dst, raw), nil
	case schema.Bool, schema.Int2, schema.Int4:
		return appendPlain(dst, t, f, raw)
	case schema.Int8:
		return appendQuoted(dst, n, annotateBigint, t, f, raw)
	case schema.Float4, schema.Float8:
		return appendFloatValue(dst, n, t, f, raw)
	case schema.Numeric:
		return appendQuoted(dst, n, annotateDecimal, t, f, raw)
	case schema.UUID, schema.Date, schema.Time, schema.Timetz, schema.Interval:
		return appendQuoted(dst, n, "", t, f, raw)
	case schema.Timestamptz, schema.Timestamp:
		return appendInstantValue(dst, n, t, f, raw)
	case schema.Bytea:
		return appendQuoted(dst, n, annotateBytes, t, f, raw)
	case schema.JSON, schema.JSONB:
		return appendPlain(dst, t, f, raw)
	case schema.Range:
		return appendRangeValue(dst, t, f, raw)
	case schema.Array:
		if f == sqlgen.Binary {
			return appendArray(dst, n, t, raw)
		}
		return appendArrayLiteral(dst, n, t, raw)
	case schema.Composite:
		if f == sqlgen.Binary {
			return appendComposite(dst, n, t, raw)
		}
		return appendRecordLiteral(dst, n, t, raw)
	default:
		panic(fmt.Sprintf("encode: no value of kind %d", t.Kind))
	}
}

// appendQuoted appends a value whose plain text needs no escaping as a JSON
// string, annotated where a is not empty.
func appendQuoted(dst []byte, n *annotations, a annotation, t *schema.Type, f sqlgen.Format, raw []byte) ([]byte, error) {
	dst, err := appendPlain(append(dst, '"'), t, f, raw)
	if err != nil {
		return dst, err
	}
	if a != "" {
		n.add(a)
	}
	return append(dst, '"'), nil
}

func appendFloatValue(dst []byte, n *annotations, t *schema.Type, f sqlgen.Format, raw []byte) ([]byte, error) {
	v, err := floatOf(t, f, raw)
	if err != nil {
		return dst, err
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		n.add(annotateNumber)
		dst = append(dst, '"')
		dst = appendFloat(dst, v, floatBits(t))
		return append(dst, '"'), nil
	}
	return appendFloat(dst, v, floatBits(t)), nil
}

func appendInstantValue(dst []byte, n *annotations, t *schema.Type, f sqlgen.Format, raw []byte) ([]byte, error) {
	v, err := instantOf(t, f, raw)
	if err != nil {
		return dst, err
	}
	if v != infinity && v != minusInfinity {
		n.add(annotateDate)
	}
	dst = append(dst, '"')
	dst = appendInstant(dst, v)
	return append(dst, '"'), nil
}

func appendRangeValue(dst []byte, t *schema.Type, f sqlgen.Format, raw []byte) ([]byte, error) {
	dst = append(dst, '"')
	mark := len(dst)
	dst, err := appendPlain(dst, t, f, raw)
	if err != nil {
		return dst, err
	}
	return append(escapeFrom(dst, mark), '"'), nil
}

// appendPlain appends what the JSON form of a value says, outside of JSON: a
// string's content, a number's or another value's JSON text. raw is not nil.
func appendPlain(dst []byte, t *schema.Type, f sqlgen.Format, raw []byte) ([]byte, error) {
	t = t.Base()
	switch t.Kind {
	case schema.Text, schema.Enum:
		return append(dst, raw...), nil
	case schema.Bool:
		return appendBool(dst, t, raw)
	case schema.Int2, schema.Int4, schema.Int8:
		v, err := intOf(t, f, raw)
		if err != nil {
			return dst, err
		}
		return appendInt(dst, v), nil
	case schema.Float4, schema.Float8:
		v, err := floatOf(t, f, raw)
		if err != nil {
			return dst, err
		}
		return appendFloat(dst, v, floatBits(t)), nil
	case schema.Numeric:
		if f == sqlgen.Text {
			return append(dst, raw...), nil
		}
		return appendNumeric(dst, t, raw)
	case schema.UUID:
		if f == sqlgen.Text {
			return append(dst, raw...), nil
		}
		return appendUUID(dst, t, raw)
	case schema.Timestamptz, schema.Timestamp:
		v, err := instantOf(t, f, raw)
		if err != nil {
			return dst, err
		}
		return appendInstant(dst, v), nil
	case schema.Date:
		v, err := daysOf(t, f, raw)
		if err != nil {
			return dst, err
		}
		return appendDate(dst, v), nil
	case schema.Time:
		v, err := clockOf(t, f, raw)
		if err != nil {
			return dst, err
		}
		return appendClock(dst, v, 0), nil
	case schema.Timetz:
		v, east, err := zonedClockOf(t, f, raw)
		if err != nil {
			return dst, err
		}
		return appendOffset(appendClock(dst, v, 0), east, wholeMinutes), nil
	case schema.Interval:
		if f == sqlgen.Text {
			return append(dst, raw...), nil
		}
		return appendInterval(dst, t, raw)
	case schema.Bytea:
		return appendBytes(dst, t, f, raw)
	case schema.JSON:
		return append(dst, raw...), nil
	case schema.JSONB:
		if f == sqlgen.Text {
			return append(dst, raw...), nil
		}
		return appendJSONB(dst, t, raw)
	case schema.Range:
		return appendRange(dst, t, f, raw)
	case schema.Array, schema.Composite:
		return appendValue(dst, nil, t, f, raw)
	default:
		panic(fmt.Sprintf("encode: no plain value of kind %d", t.Kind))
	}
}

func appendBool(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	if len(raw) != 1 {
		return dst, broken(t, raw)
	}
	switch raw[0] {
	case 1, 't':
		return append(dst, "true"...), nil
	case 0, 'f':
		return append(dst, "false"...), nil
	}
	return dst, broken(t, raw)
}

func appendUUID(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	if len(raw) != 16 {
		return dst, broken(t, raw)
	}
	for i, group := range [...][]byte{raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, group)
	}
	return dst, nil
}

func appendBytes(dst []byte, t *schema.Type, f sqlgen.Format, raw []byte) ([]byte, error) {
	if f == sqlgen.Binary {
		return base64.StdEncoding.AppendEncode(dst, raw), nil
	}
	if len(raw) < 2 || raw[0] != '\\' || raw[1] != 'x' {
		return dst, broken(t, raw)
	}
	content, err := hex.AppendDecode(nil, raw[2:])
	if err != nil {
		return dst, broken(t, raw)
	}
	return base64.StdEncoding.AppendEncode(dst, content), nil
}

// appendJSONB appends jsonb from its binary form: a version byte and the text.
func appendJSONB(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	if len(raw) < 2 || raw[0] != 1 {
		return dst, broken(t, raw)
	}
	return append(dst, raw[1:]...), nil
}

// broken returns the error for raw bytes that are no value of the type. It
// quotes none of them, as they are the caller's data.
func broken(t *schema.Type, raw []byte) error {
	return fmt.Errorf("encode a value of type %s.%s: its %d bytes are not what such a value looks like", t.Schema, t.Name, len(raw))
}
