package validation

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// The texts that requests may give instead of a number or for an id. They
// apply to strings alone, and limits to numbers alone: that a number given as
// text is in its limits shows later.
const (
	wholeText  = `^-?[0-9]+$`
	numberText = `^(-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|NaN|-?Infinity)$`
	uuidText   = `^[0-9A-Fa-f]{8}-?([0-9A-Fa-f]{4}-?){3}[0-9A-Fa-f]{12}$`
)

// attribute describes the values of a field (contract 5.4 and section 6), and
// what the table's checks say of it alone.
func attribute(m *schema.Model, f *schema.Field) *node {
	n := value(f.Type)
	if mayBeNull(m, f) {
		n.nullable()
	} else if len(n.Type)+len(n.Enum) == 0 {
		n.Type = types{"object", "array", "string", "number", "boolean"}
	}
	limit(n, f)
	for _, c := range enforced(m) {
		if len(c.Fields) == 1 && c.Fields[0] == f {
			for _, r := range rules(f, c.Expression) {
				r.apply(n, f)
			}
		}
	}
	return n
}

// mayBeNull reports whether a row may have NULL in the field. What the
// definition of a foreign table says of it nobody enforces on this side.
func mayBeNull(m *schema.Model, f *schema.Field) bool {
	return f.Nullable || m.Relation == schema.ForeignTable
}

// enforced returns the checks that hold for what is written.
func enforced(m *schema.Model) []schema.Check {
	if m.Relation == schema.ForeignTable {
		return nil
	}
	return m.Checks
}

// value describes the values of a type, null not among them. What has a form
// of its own, such as times, is for others to read.
func value(t *schema.Type) *node {
	t = t.Base()
	switch t.Kind {
	case schema.Bool:
		return &node{Type: types{"boolean"}}
	case schema.Int2:
		return whole(math.MinInt16, math.MaxInt16)
	case schema.Int4:
		return whole(math.MinInt32, math.MaxInt32)
	case schema.Int8:
		return whole(math.MinInt64, math.MaxInt64)
	case schema.Float4, schema.Float8, schema.Numeric:
		return &node{Type: types{"number", "string"}, Pattern: numberText}
	case schema.UUID:
		return &node{Type: types{"string"}, Pattern: uuidText}
	case schema.Enum:
		labels := make([]any, len(t.Labels))
		for i, l := range t.Labels {
			labels[i] = l
		}
		return &node{Enum: labels}
	case schema.Bytea:
		return &node{Type: types{"string"}, ContentEncoding: "base64"}
	case schema.JSON, schema.JSONB:
		return &node{}
	case schema.Array:
		items := value(t.Elem)
		items.nullable()
		return &node{Type: types{"array"}, Items: items.nested()}
	case schema.Composite:
		n := &node{Type: types{"object"}, Properties: map[string]*node{}}
		for _, m := range t.Members {
			n.Properties[m.Name] = value(m.Type)
			n.Properties[m.Name].nullable()
		}
		return n
	case schema.Text, schema.Timestamptz, schema.Timestamp, schema.Date, schema.Time, schema.Timetz, schema.Interval, schema.Range:
		return &node{Type: types{"string"}}
	default:
		panic(fmt.Sprintf("validation: no values of kind %d", t.Kind))
	}
}

func whole(lowest, highest int64) *node {
	return &node{
		Type: types{"integer", "string"}, Pattern: wholeText,
		Minimum: json.Number(strconv.FormatInt(lowest, 10)), Maximum: json.Number(strconv.FormatInt(highest, 10)),
	}
}

// limit adds what the modifier of the column's type says. Of a text that is too
// long Postgres cuts spaces off; a number it rounds to the scale first, which
// leads no number from outside the range into it.
func limit(n *node, f *schema.Field) {
	if f.Length > 0 {
		n.AnyOf = []*node{{MaxLength: new(f.Length)}, {Pattern: trailingSpace}}
	}
	if f.Precision > 0 {
		bound := power(f.Precision - f.Scale)
		n.ExclusiveMinimum, n.ExclusiveMaximum = "-"+bound, bound
	}
}

const trailingSpace = " $"

// power writes a power of ten.
func power(exponent int) json.Number {
	if exponent >= 0 && exponent <= 15 {
		return json.Number("1" + strings.Repeat("0", exponent))
	}
	return json.Number("1e" + strconv.Itoa(exponent))
}

// described reports whether requests may give the field.
func described(m *schema.Model, f *schema.Field) bool {
	return !f.ReadOnly && slices.Contains(m.Attributes, f)
}
