package evaluate

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/resourcery/resourcery/schema"
)

// Values by the kind of their type:
//
//	Bool                           bool
//	Int2, Int4, Int8               int64
//	Float4, Float8                 float64
//	Numeric                        string, with its scale
//	Text, UUID, Enum               string
//	JSON, JSONB                    string, the document
//	Timestamptz, Timestamp, Date   time.Time in UTC, or Infinity, MinusInfinity
//	Bytea                          []byte
//	Array                          []any, of one dimension
//	Range                          Range, over integers
//	Composite                      Tuple

// The infinities of dates and times.
var (
	Infinity      = time.Date(900_000, 1, 1, 0, 0, 0, 0, time.UTC)
	MinusInfinity = time.Date(-900_000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// A Range is one of integers: Low is in it, High is not. The zero Range is empty.
type Range struct{ Low, High int64 }

// A Tuple is the members of a composite.
type Tuple []any

// compare orders two values that are not NULL as Postgres does.
func compare(at *schema.Type, a any, bt *schema.Type, b any) int {
	at, bt = at.Base(), bt.Base()
	if number(at) && number(bt) {
		return compareNumbers(a, b)
	}
	switch a := a.(type) {
	case bool:
		return compareBools(a, b.(bool))
	case string:
		if at.Kind == schema.Enum {
			return cmp.Compare(slices.Index(at.Labels, a), slices.Index(at.Labels, b.(string)))
		}
		return strings.Compare(a, b.(string))
	case time.Time:
		return a.Compare(b.(time.Time))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case []any:
		return compareArrays(at.Elem, a, b.([]any))
	case Tuple:
		return compareTuples(at, a, b.(Tuple))
	case Range:
		return compareRanges(a, b.(Range))
	default:
		panic(fmt.Sprintf("evaluate: values of kind %s are not compared", at.Kind))
	}
}

func number(t *schema.Type) bool {
	switch t.Kind {
	case schema.Int2, schema.Int4, schema.Int8, schema.Float4, schema.Float8, schema.Numeric:
		return true
	default:
		return false
	}
}

// compareNumbers compares as double precision where one of them is that, else
// exactly. NaN equals itself and is more than all others.
func compareNumbers(a, b any) int {
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y)
		}
	}
	_, aFloat := a.(float64)
	_, bFloat := b.(float64)
	if aFloat || bFloat {
		x, y := float(a), float(b)
		if math.IsNaN(x) || math.IsNaN(y) {
			return compareBools(math.IsNaN(x), math.IsNaN(y))
		}
		return cmp.Compare(x, y)
	}
	if isNaN(a) || isNaN(b) {
		return compareBools(isNaN(a), isNaN(b))
	}
	return rational(a).Cmp(rational(b))
}

func float(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	default:
		if isNaN(v) {
			return math.NaN()
		}
		f, _ := rational(v).Float64()
		return f
	}
}

func isNaN(v any) bool { return v == "NaN" }

func rational(v any) *big.Rat {
	r, ok := new(big.Rat).SetString(fmt.Sprint(v))
	if !ok {
		panic(fmt.Sprintf("evaluate: %v is no number", v))
	}
	return r
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// compareArrays compares element by element; NULL equals NULL there, and is
// more than all others.
func compareArrays(elem *schema.Type, a, b []any) int {
	for i := range min(len(a), len(b)) {
		if c := compareNullable(elem, a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// compareTuples compares member by member, NULLs as in arrays.
func compareTuples(t *schema.Type, a, b Tuple) int {
	for i, m := range t.Members {
		if c := compareNullable(m.Type, a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// compareNullable has NULL after all values.
func compareNullable(t *schema.Type, a, b any) int {
	if a == nil || b == nil {
		return compareBools(a == nil, b == nil)
	}
	return compare(t, a, t, b)
}

// compareRanges has the empty range before all others.
func compareRanges(a, b Range) int {
	if a == (Range{}) || b == (Range{}) {
		return compareBools(a != Range{}, b != Range{})
	}
	return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(a.High, b.High))
}

// literal turns a value of a plan, which is in the form that Postgres reads,
// into a value of the type.
func literal(t *schema.Type, v any) any {
	text, isText := v.(string)
	if !isText {
		return v
	}
	layout := ""
	switch t.Base().Kind {
	case schema.Timestamptz:
		layout = "2006-01-02 15:04:05.999999-07"
	case schema.Timestamp:
		layout = "2006-01-02 15:04:05.999999"
	case schema.Date:
		layout = "2006-01-02"
	case schema.Range:
		return rangeOf(text)
	case schema.Array:
		return arrayOf(t.Base().Elem, text)
	case schema.Composite:
		return tupleOf(t.Base(), text)
	default:
		return text
	}
	switch text {
	case "infinity":
		return Infinity
	case "-infinity":
		return MinusInfinity
	}
	at, err := time.Parse(layout, text)
	if err != nil {
		at, err = time.Parse(layout+":00", text) // of an offset with minutes
	}
	if err != nil {
		panic(fmt.Sprintf("evaluate: the plan's %q: %v", text, err))
	}
	return at.UTC()
}

// literals turns a list of a plan's into values of the type.
func literals(t *schema.Type, list any) []any {
	switch list := list.(type) {
	case []any:
		return each(t, list)
	case []bool:
		return each(t, list)
	case []int64:
		return each(t, list)
	case []float64:
		return each(t, list)
	case []string:
		return each(t, list)
	case [][]byte:
		return each(t, list)
	default:
		panic(fmt.Sprintf("evaluate: %T is no list of a plan", list))
	}
}

func each[T any](t *schema.Type, list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = literal(t, v)
	}
	return out
}

// rangeOf reads a range of integers, with all its ways to say one.
func rangeOf(text string) Range {
	if text == "empty" {
		return Range{}
	}
	var r Range
	if _, err := fmt.Sscanf(text[1:len(text)-1], "%d,%d", &r.Low, &r.High); err != nil {
		panic(fmt.Sprintf("evaluate: the range %q: %v", text, err))
	}
	if text[0] == '(' {
		r.Low++
	}
	if text[len(text)-1] == ']' {
		r.High++
	}
	if r.Low >= r.High {
		return Range{}
	}
	return r
}
