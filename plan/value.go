package plan

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// maxProblems is the most that is said about one value; what is wrong in more
// places is not read on.
const maxProblems = jsonapi.MaxErrors

// jsonValue converts an attribute's value to what goes to Postgres (contract
// 5.4, section 6): bool, int64, float64, []byte for bytea, and else a string in
// Postgres's text form; nil for null. Numbers are read from their text. Of types
// that have a text form of their own, such as inet and ranges, the text is left
// for Postgres to check, as are the constraints of domains.
//
// v is one valid value without blanks around it, and no object in it has a
// member twice. notes are those of the attribute. All problems come together,
// at most maxProblems; there is no value then.
func jsonValue(f *schema.Field, v jsontext.Value, notes []parse.Note) (any, []valueProblem) {
	if v.Kind() == jsontext.KindNull {
		return nil, nil
	}
	c := conversion{field: f}
	notes = byPath(notes)
	var value any
	switch t := f.Type.Base(); t.Kind {
	case schema.Array, schema.Composite:
		value = string(c.append(nil, t, v, notes))
	default:
		value = c.scalar(t, v, notes)
	}
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return value, nil
}

// A conversion is one call of jsonValue under way.
type conversion struct {
	field    *schema.Field
	steps    []step // to the part that is being converted
	problems []valueProblem
}

// A step leads to an element of an array or, where the index is inMember, to a
// member of an object.
type step struct {
	index  int
	member string
}

const inMember = -1

func (c *conversion) enterIndex(i int)        { c.steps = append(c.steps, step{index: i}) }
func (c *conversion) enterMember(name string) { c.steps = append(c.steps, step{inMember, name}) }
func (c *conversion) leave()                  { c.steps = c.steps[:len(c.steps)-1] }

// full reports that nothing more is said, so that nothing more need be read.
func (c *conversion) full() bool { return len(c.problems) >= maxProblems }

// append appends the text form of a value that is not null. t is no domain.
func (c *conversion) append(dst []byte, t *schema.Type, v jsontext.Value, notes []parse.Note) []byte {
	switch t.Kind {
	case schema.Array:
		return c.appendArray(dst, t, v, notes)
	case schema.Composite:
		return c.appendComposite(dst, t, v, notes)
	case schema.Text, schema.Range:
		if len(notes) == 0 && isPlain(v) && utf8.Valid(v) {
			return append(dst, v[1:len(v)-1]...)
		}
	}
	return appendScalar(dst, c.scalar(t, v, notes))
}

// scalar converts a value that is not null, to a type that is neither array nor
// composite.
func (c *conversion) scalar(t *schema.Type, v jsontext.Value, notes []parse.Note) any {
	if t.Kind == schema.JSON || t.Kind == schema.JSONB {
		c.checkJSON(t, v, notes)
		return string(v)
	}
	c.checkNotes(t, v, notes)
	if !takes(t, v.Kind()) {
		c.refuseKind(t, v)
		return nil
	}
	if t.Kind == schema.Bool {
		return v.Kind() == jsontext.KindTrue
	}
	text := string(v)
	if v.Kind() == jsontext.KindString {
		text = string(unquoted(v))
	}
	value, err := c.check(t, text)
	if err != nil {
		c.refuseValue(t, v, text, err)
	}
	return value
}

// check is literal, but that there are empty bytes, and that the column's own
// limits hold.
func (c *conversion) check(t *schema.Type, text string) (any, error) {
	if t.Kind == schema.Bytea && text == "" {
		return []byte{}, nil
	}
	value, err := literal(t, text)
	if err == nil && t.Kind == schema.Numeric {
		err = withinReason(text)
	}
	if err != nil || len(c.steps) > 0 {
		return value, err
	}
	switch {
	case t.Kind == schema.Text && c.field.Length > 0:
		err = withinLength(text, c.field.Length)
	case t.Kind == schema.Numeric && c.field.Precision > 0:
		err = withinPrecision(text, c.field.Precision, c.field.Scale)
	}
	return value, err
}

// takes reports whether a value of the type can be of that JSON kind.
func takes(t *schema.Type, k jsontext.Kind) bool {
	switch t.Kind {
	case schema.Bool:
		return k == jsontext.KindTrue || k == jsontext.KindFalse
	case schema.Int2, schema.Int4, schema.Int8, schema.Float4, schema.Float8, schema.Numeric:
		return k == jsontext.KindNumber || k == jsontext.KindString
	case schema.Array:
		return k == jsontext.KindBeginArray
	case schema.Composite:
		return k == jsontext.KindBeginObject
	default:
		return k == jsontext.KindString
	}
}

// unquoted returns the text of a JSON string, which may share the memory of v.
// What is no UTF-8 stays that, for literal to refuse.
func unquoted(v jsontext.Value) []byte {
	if isPlain(v) {
		return v[1 : len(v)-1]
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		// Replacement characters are in the text, which nobody sent.
		text = append(text, 0xff)
	}
	return text
}

// isPlain reports whether a JSON string is its text in quotes. There is no NUL
// in it then.
func isPlain(v jsontext.Value) bool {
	return v.Kind() == jsontext.KindString && bytes.IndexByte(v, '\\') < 0
}

// appendScalar appends the text form of what scalar returns.
func appendScalar(dst []byte, value any) []byte {
	switch v := value.(type) {
	case nil: // it was refused
		return dst
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return appendFloat(dst, v)
	case string:
		return append(dst, v...)
	case []byte:
		return hex.AppendEncode(append(dst, `\x`...), v)
	default:
		panic("plan: a scalar of no known type")
	}
}

// appendFloat appends a float; Go's own name of infinity has a plus sign.
func appendFloat(dst []byte, v float64) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
