package evaluate_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/resourcery/resourcery/internal/evaluate"
)

// A kind is a column's type with the few values that its rows have.
type kind struct {
	name   string
	sql    string // the type, with a hole for the namespace where it is made there
	values []any
	others []any // fit to be asked for, but in no row
	wrong  []string
	family family
	elem   *kind // of arrays
}

// A family says which operators a kind has, told apart from the product's table.
type family int

const (
	unordered family = iota // equality alone
	ordered
	textual
	array
	integers // ranges
	document
	composite
)

// operators are those of a family beside isNull, which all have.
func (f family) operators() []string {
	equality := []string{"eq", "ne", "in", "nin"}
	order := []string{"lt", "lte", "gt", "gte", "between"}
	switch f {
	case unordered:
		return equality
	case ordered:
		return append(equality, order...)
	case textual:
		return append(append(equality, order...), "contains", "icontains", "startsWith", "istartsWith", "endsWith", "iendsWith")
	case array:
		return []string{"has", "hasEvery", "hasSome", "isEmpty"}
	case integers:
		return append(append(equality, order...), "has", "isEmpty")
	case document, composite:
		return nil
	default:
		panic("a family without operators")
	}
}

// lists reports whether an operator splits its value at commas.
func lists(operator string) bool {
	switch operator {
	case "eq", "ne", "in", "nin", "hasEvery", "hasSome":
		return true
	default:
		return false
	}
}

var (
	boolKind  = &kind{name: "bool", sql: "bool", values: []any{true, false}, wrong: []string{"TRUE", "1", ""}, family: unordered}
	int2Kind  = &kind{name: "int2", sql: "int2", values: []any{int64(-1), int64(0), int64(1), int64(2)}, others: []any{int64(32767)}, wrong: []string{"32768", "x"}, family: ordered}
	int4Kind  = &kind{name: "int4", sql: "int4", values: []any{int64(-5), int64(0), int64(1), int64(2), int64(3)}, others: []any{int64(2147483647), int64(-6)}, wrong: []string{"2147483648", "1.5", "", "abc"}, family: ordered}
	int8Kind  = &kind{name: "int8", sql: "int8", values: []any{int64(0), int64(1), int64(2), int64(9007199254740993)}, others: []any{int64(math.MaxInt64)}, wrong: []string{"9223372036854775808", "one"}, family: ordered}
	textKind  = &kind{name: "text", sql: `text COLLATE "C"`, values: textValues, others: []any{"zz", "a b"}, family: textual}
	charKind  = &kind{name: "varchar", sql: `varchar(20) COLLATE "C"`, values: textValues, others: []any{"%"}, family: textual}
	floatKind = &kind{name: "float8", sql: "float8", values: []any{0.0, 1.5, -2.0, 1e100, math.NaN(), math.Inf(1)}, others: []any{math.Inf(-1), 0.1}, wrong: []string{"1e999", "x"}, family: ordered}
	numKind   = &kind{name: "numeric", sql: "numeric", values: []any{"1", "1.0", "1.50", "-2", "0", "NaN"}, others: []any{"1.5", "99"}, wrong: []string{"1,5x", "--1"}, family: ordered}
	uuidKind  = &kind{name: "uuid", sql: "uuid", values: []any{"0b0e7c1e-0000-4000-8000-000000000001", "0b0e7c1e-0000-4000-8000-00000000000a", "f0000000-0000-4000-8000-000000000002"},
		others: []any{"ffffffff-0000-4000-8000-000000000002"}, wrong: []string{"0b0e7c1e", "x"}, family: ordered}
	enumKind = &kind{name: "enum", sql: "%s.mood", values: []any{"sad", "ok", "happy"}, others: []any{"a,b"}, wrong: []string{"angry", "SAD"}, family: ordered}
	tstzKind = &kind{name: "timestamptz", sql: "timestamptz", values: []any{instant("2024-01-31T10:00:00Z"), instant("2024-01-31T10:00:00.123456Z"), instant("1999-12-31T23:59:59.5Z"), evaluate.Infinity},
		others: []any{instant("2024-02-01T00:00:00Z"), evaluate.MinusInfinity}, wrong: []string{"2024-02-30T00:00:00Z", "now"}, family: ordered}
	tsKind = &kind{name: "timestamp", sql: "timestamp", values: []any{instant("2024-01-31T10:00:00Z"), instant("2024-01-31T00:00:00Z"), evaluate.MinusInfinity},
		others: []any{instant("2024-02-01T00:00:00Z")}, wrong: []string{"yesterday"}, family: ordered}
	dateKind = &kind{name: "date", sql: "date", values: []any{instant("2024-01-31T00:00:00Z"), instant("2024-02-29T00:00:00Z"), instant("1970-01-01T00:00:00Z")},
		others: []any{instant("2023-12-31T00:00:00Z"), evaluate.Infinity}, wrong: []string{"2023-02-29", "2024-1-1"}, family: ordered}
	byteaKind  = &kind{name: "bytea", sql: "bytea", values: []any{[]byte{0, 255}, []byte{0}, []byte("a")}, others: []any{[]byte("zz")}, wrong: []string{"AA", "*"}, family: ordered}
	rangeKind  = &kind{name: "int4range", sql: "int4range", values: []any{evaluate.Range{}, evaluate.Range{Low: 1, High: 3}, evaluate.Range{Low: 1, High: 5}, evaluate.Range{Low: 4, High: 9}}, others: []any{evaluate.Range{Low: 7, High: 8}}, family: integers, elem: int4Kind}
	domainKind = &kind{name: "domain", sql: "%s.positive", values: []any{int64(1), int64(2), int64(10)}, others: []any{int64(-3)}, wrong: []string{"x"}, family: ordered}

	float4Kind = &kind{name: "float4", sql: "float4", values: []any{0.5, float64(float32(0.1)), -3.0, math.Inf(-1)}, others: []any{float64(float32(1e10))}, wrong: []string{"1e50", "x"}, family: ordered}
	timeKind   = &kind{name: "time", sql: "time", values: []any{"10:00:00", "10:00:00.5", "23:59:59", "24:00:00"}, others: []any{"00:00:00"}, wrong: []string{"25:00:00", "10"}, family: ordered}
	labelKind  = &kind{name: "label", sql: "%s.label", values: textValues, others: []any{"zz"}, family: textual}

	intsKind    = &kind{name: "int4[]", sql: "int4[]", values: []any{[]any{}, []any{int64(1)}, []any{int64(1), int64(2)}, []any{nil, int64(3)}, []any{nil}}, family: array, elem: int4Kind}
	textsKind   = &kind{name: "text[]", sql: `text[] COLLATE "C"`, values: []any{[]any{}, []any{"a"}, []any{"a", "b,c"}, []any{"", nil, `q"\`}}, family: array, elem: textKind}
	numsKind    = &kind{name: "numeric[]", sql: "numeric[]", values: []any{[]any{}, []any{"1.0"}, []any{"2", nil}}, family: array, elem: numKind}
	enumsKind   = &kind{name: "enum[]", sql: "%s.mood[]", values: []any{[]any{}, []any{"sad"}, []any{"happy", "ok"}, []any{nil}}, family: array, elem: enumKind}
	stampsKind  = &kind{name: "timestamptz[]", sql: "timestamptz[]", values: []any{[]any{}, []any{instant("2024-01-31T10:00:00Z")}, []any{instant("2024-01-31T10:00:00.123456Z"), nil, evaluate.Infinity}}, family: array, elem: tstzKind}
	bigsKind    = &kind{name: "int8[]", sql: "int8[]", values: []any{[]any{int64(9007199254740993)}, []any{int64(1), nil}, []any{int64(1)}}, family: array, elem: int8Kind}
	domainsKind = &kind{name: "domain[]", sql: "%s.positive[]", values: []any{[]any{}, []any{int64(1)}, []any{int64(2), int64(10), nil}}, family: array, elem: domainKind}
	pairKind    = &kind{name: "pair", sql: "%s.pair", values: []any{evaluate.Tuple{int64(1), "x"}, evaluate.Tuple{int64(1), nil}, evaluate.Tuple{nil, nil}, evaluate.Tuple{int64(9007199254740993), "a,\"b\""}, evaluate.Tuple{nil, ""}}, family: composite}
	jsonbKind   = &kind{name: "jsonb", sql: "jsonb", values: documents, family: document}
	jsonKind    = &kind{name: "json", sql: "json", values: documents, family: document}
)

var textValues = []any{"", "a", "A", "b", "ab", "a%b", "a_b", `a\b`, "é", "a,b", "it's", "null", "10", "9"}

var documents = []any{
	`null`, `{}`, `{"a": 1, "b": "x"}`, `{"a": 1.50, "b": {"c": "x", "dd": [1, null]}}`, `{"a": "1", "b": null}`,
	`{"a": true, "b": [{"c": "x"}, "y,z", 7]}`, `[1, {"c": 2}, "x"]`, `"text"`, `3`,
}

// keyKinds are those of keys, the common ones more often.
var keyKinds = []*kind{
	int4Kind, int4Kind, int4Kind, int8Kind, int8Kind, uuidKind, textKind, textKind, charKind, numKind, int2Kind,
	enumKind, dateKind, tstzKind, byteaKind, floatKind, boolKind, domainKind, rangeKind, timeKind, labelKind, tsKind,
}

// wider are the kinds of columns that may reference one of the kind.
var wider = map[*kind][]*kind{int2Kind: {int4Kind, int8Kind}, int4Kind: {int8Kind}, textKind: {charKind, labelKind}, charKind: {textKind}}

var kinds = []*kind{
	boolKind, int2Kind, int4Kind, int8Kind, textKind, textKind, charKind, floatKind, numKind, uuidKind, enumKind, tstzKind, tsKind,
	dateKind, byteaKind, rangeKind, domainKind, intsKind, textsKind, numsKind, enumsKind, jsonbKind, jsonKind,
	float4Kind, timeKind, labelKind, stampsKind, bigsKind, domainsKind, pairKind,
}

func instant(s string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return at.UTC()
}

// text is a value as requests write it.
func (k *kind) text(v any) string {
	switch v := v.(type) {
	case time.Time:
		switch {
		case v.Equal(evaluate.Infinity):
			return "infinity"
		case v.Equal(evaluate.MinusInfinity):
			return "-infinity"
		case k == dateKind:
			return v.Format("2006-01-02")
		default:
			return v.Format("2006-01-02T15:04:05.999999Z07:00")
		}
	case []byte:
		return map[string]string{"\x00\xff": "AP8=", "\x00": "AA==", "a": "YQ==", "zz": "eno="}[string(v)]
	case evaluate.Range:
		if v == (evaluate.Range{}) {
			return "empty"
		}
		return fmt.Sprintf("[%d,%d]", v.Low, v.High-1)
	case float64:
		switch {
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
		if k == float4Kind {
			return strconv.FormatFloat(v, 'g', -1, 32)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// literal is a value as SQL writes it: text in quotes, whose column says what it is.
func (k *kind) literal(v any) string {
	if v == nil {
		return "NULL"
	}
	return "'" + strings.ReplaceAll(k.input(v), "'", "''") + "'"
}

func (k *kind) input(v any) string {
	switch v := v.(type) {
	case []byte:
		return `\x` + hex.EncodeToString(v)
	case evaluate.Tuple:
		number, text := "", ""
		if v[0] != nil {
			number = fmt.Sprint(v[0])
		}
		if v[1] != nil {
			text = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v[1].(string)) + `"`
		}
		return "(" + number + "," + text + ")"
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = "NULL"
			if item != nil {
				items[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(k.elem.input(item)) + `"`
			}
		}
		return "{" + strings.Join(items, ",") + "}"
	default:
		return k.text(v)
	}
}
