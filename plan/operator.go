package plan

import (
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// An Operator is one row of the operator table: what requests call it, what it
// takes, and how it reads in SQL for each family of types. In brackets its name
// has a leading `$`; in expressions it is a call.
type Operator struct {
	Name     string
	Doc      string // one sentence for the query reference
	Takes    Arity
	Negates  *Operator // the operator is the negation of this one, and has no variants of its own
	Variants []Variant // the first that applies is used
}

// A Variant is how an operator reads in SQL for one family of types. Its
// fragments have holes: $field for the term, $value, $low and $high for the
// operand, $config for the search language. An operator stands in braces, as
// sqlgen names it with its schema: {=} is one of the type's own, which an
// extension brings, {pg ^@} is always Postgres's. Functions stand with theirs.
type Variant struct {
	Family  Family
	Operand func(t *schema.Type) *schema.Type // the operand's type; nil: the term's own
	Literal func(string) string               // what becomes of the client's text; nil: nothing
	SQL     string                            // for one value, two, or none
	Not     string                            // the negation, where that has a form of its own
	List    string                            // for a list of which any may match, or all as one array
}

// An Arity is what an operator takes from the request.
type Arity uint8

const (
	OneValue  Arity = iota + 1 // a value, or another field
	AnyValue                   // a value, or a list of which any may match
	AllValues                  // a list that is one array to Postgres
	TwoValues                  // a lower and an upper value
	Flag                       // true or false: that the condition holds, or that it does not
)

// A Family is a set of types that an operator treats alike.
type Family struct {
	Name string // for the query reference
	Has  func(t *schema.Type) bool
}

// The families of types.
var (
	equatable  = Family{"all that can be told equal", isEquatable}
	ordered    = Family{"numbers, text, enums, dates and times, and others with an order", isOrdered}
	texts      = Family{"text", isString}
	plainTexts = Family{"text", isPlainString}
	vectors    = Family{"tsvector", isVector}
	arrays     = Family{"arrays", isComparableArray}
	anyArray   = Family{"arrays", isArray}
	ranges     = Family{"ranges", isRange}
	composites = Family{"composites", func(t *schema.Type) bool { return t.Base().Kind == schema.Composite }}
	anything   = Family{"everything", func(*schema.Type) bool { return true }}
)

// Equal is the operator of plain filters.
var Equal = &Operator{
	Name: "eq", Doc: "equal to the value, or to any of a comma-separated list", Takes: AnyValue,
	Variants: []Variant{{Family: equatable, SQL: "$field {=} $value", List: "$field {=} ANY($value)"}},
}

// in is equality under its own name.
var in = &Operator{
	Name: "in", Doc: "equal to any value of a comma-separated list", Takes: AnyValue, Variants: Equal.Variants,
}

// notIn is the negation of in.
var notIn = &Operator{
	Name: "nin", Doc: "equal to no value of a comma-separated list; holds for NULL", Takes: AnyValue, Negates: in,
}

// notEqual is the negation of equality.
var notEqual = &Operator{
	Name: "ne", Doc: "not equal to the value, nor to any of a comma-separated list; holds for NULL", Takes: AnyValue, Negates: Equal,
}

// isNull asks for the absence of a value. It is written as the negation of
// present, so that it holds where to-one steps lead nowhere, as every negation.
var isNull = &Operator{
	Name: "isNull", Doc: "NULL (`true`) or not (`false`)", Takes: Flag, Negates: present,
}

// present is not in the table: requests ask for it as isNull with false.
var present = &Operator{
	Name: "present", Takes: Flag,
	Variants: []Variant{
		// A composite of NULLs alone IS NULL, but is a value.
		{Family: composites, SQL: "$field IS DISTINCT FROM NULL", Not: "$field IS NOT DISTINCT FROM NULL"},
		{Family: anything, SQL: "$field IS NOT NULL", Not: "$field IS NULL"},
	},
}

// operators is the table, in the order in which refusals and the query
// reference list it.
var operators = []*Operator{
	Equal,
	notEqual,
	in,
	notIn,
	{Name: "lt", Doc: "less than the value", Takes: OneValue,
		Variants: []Variant{{Family: ordered, SQL: "$field {<} $value"}}},
	{Name: "lte", Doc: "less than the value or equal to it", Takes: OneValue,
		Variants: []Variant{{Family: ordered, SQL: "$field {<=} $value"}}},
	{Name: "gt", Doc: "greater than the value", Takes: OneValue,
		Variants: []Variant{{Family: ordered, SQL: "$field {>} $value"}}},
	{Name: "gte", Doc: "greater than the value or equal to it", Takes: OneValue,
		Variants: []Variant{{Family: ordered, SQL: "$field {>=} $value"}}},
	{Name: "between", Doc: "from the first value to the second, both included", Takes: TwoValues,
		Variants: []Variant{{Family: ordered, SQL: "$field {>=} $low AND $field {<=} $high"}}},
	isNull,
	{Name: "contains", Doc: "text that contains the value", Takes: OneValue,
		Variants: []Variant{like("~~", "%", "%")}},
	{Name: "icontains", Doc: "text that contains the value, whatever the case", Takes: OneValue,
		Variants: []Variant{like("~~*", "%", "%")}},
	{Name: "startsWith", Doc: "text that starts with the value", Takes: OneValue,
		Variants: []Variant{
			{Family: plainTexts, Operand: asText, SQL: "$field {pg ^@} $value"},
			like("~~", "", "%"), // citext has no ^@ of its own
		}},
	{Name: "istartsWith", Doc: "text that starts with the value, whatever the case", Takes: OneValue,
		Variants: []Variant{like("~~*", "", "%")}},
	{Name: "endsWith", Doc: "text that ends with the value", Takes: OneValue,
		Variants: []Variant{like("~~", "%", "")}},
	{Name: "iendsWith", Doc: "text that ends with the value, whatever the case", Takes: OneValue,
		Variants: []Variant{like("~~*", "%", "")}},
	search,
	matches,
	{Name: "has", Doc: "an array with the value among its elements, or a range that contains it", Takes: OneValue,
		Variants: []Variant{
			{Family: arrays, Operand: element, SQL: "$field {pg @>} ARRAY[$value]"},
			{Family: ranges, Operand: element, SQL: "$field {pg @>} $value"},
		}},
	{Name: "hasEvery", Doc: "an array with all values of a comma-separated list", Takes: AllValues,
		Variants: []Variant{{Family: arrays, Operand: element, List: "$field {pg @>} $value"}}},
	{Name: "hasSome", Doc: "an array with some value of a comma-separated list", Takes: AllValues,
		Variants: []Variant{{Family: arrays, Operand: element, List: "$field {pg &&} $value"}}},
	{Name: "isEmpty", Doc: "an array without elements, or an empty range (`true`), or not (`false`)", Takes: Flag,
		Variants: []Variant{
			{Family: anyArray, SQL: "pg_catalog.cardinality($field) {pg =} 0"},
			{Family: ranges, SQL: "pg_catalog.isempty($field)"},
		}},
}

// search is full text. The value is what people type into a search box: it is
// never malformed.
var search = &Operator{
	Name: "search", Doc: "full text search in the form of search engines: words, \"phrases\", or, -not", Takes: OneValue,
	Variants: []Variant{
		{Family: vectors, Operand: asText, SQL: "$field {pg @@} pg_catalog.websearch_to_tsquery($config$value)"},
		{Family: texts, Operand: asText, SQL: "pg_catalog.to_tsvector($config$field) {pg @@} pg_catalog.websearch_to_tsquery($config$value)"},
	},
}

// matches is for hosts that allow it: a regular expression can be made to cost much.
var matches = &Operator{
	Name: "matches", Doc: "text that matches the POSIX regular expression; only where the server allows it", Takes: OneValue,
	Variants: []Variant{{Family: texts, Operand: asText, SQL: "$field {~} $value"}},
}

// like is a pattern match (~~ is LIKE, ~~* is ILIKE) with the value as itself between the wildcards.
func like(operator, before, after string) Variant {
	return Variant{
		Family: texts, Operand: asText, SQL: "$field {" + operator + "} $value",
		Literal: func(s string) string { return before + wildcards.Replace(s) + after },
	}
}

var wildcards = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func asText(*schema.Type) *schema.Type    { return textType }
func element(t *schema.Type) *schema.Type { return t.Base().Elem }
func operatorNamed(name string) (*Operator, bool) {
	for _, op := range operators {
		if op.Name == name {
			return op, true
		}
	}
	return nil, false
}

// variant returns how the operator reads for the type.
func (op *Operator) variant(t *schema.Type) (*Variant, bool) {
	if op.Negates != nil {
		return op.Negates.variant(t)
	}
	for i := range op.Variants {
		if v := &op.Variants[i]; v.Family.Has(t) {
			return v, true
		}
	}
	return nil, false
}

// operand is the type of the operator's values for a term of type t.
func (v *Variant) operand(t *schema.Type) *schema.Type {
	if v.Operand == nil {
		return t
	}
	return v.Operand(t)
}

// Fragment returns how the operator reads in SQL for a term of the type and an
// operand of that form.
func (op *Operator) Fragment(t *schema.Type, o Operand) string {
	v, ok := op.variant(t)
	if !ok {
		panic("plan: the operator " + op.Name + " does not apply to " + t.Name)
	}
	if _, list := o.(Any); list {
		return v.List
	}
	return v.SQL
}

// Negation returns how the operator's negation reads in SQL for the type, where
// that has a form of its own; else the condition as a whole is negated.
func (op *Operator) Negation(t *schema.Type) (string, bool) {
	v, ok := op.variant(t)
	return v.Not, ok && v.Not != ""
}

// operatorsOf returns the names of the operators that apply to the type.
func operatorsOf(t *schema.Type) []string {
	var names []string
	for _, op := range operators {
		if _, ok := op.variant(t); ok {
			names = append(names, op.Name)
		}
	}
	return names
}

// isEquatable reports whether values of the type can be told equal, and whether
// a literal of the request can be one.
func isEquatable(t *schema.Type) bool {
	switch t.Base().Kind {
	case schema.JSON, schema.JSONB, schema.Array, schema.Composite:
		return false
	default:
		return t.Equal
	}
}

func isOrdered(t *schema.Type) bool {
	return t.Ordered && isEquatable(t) && t.Base().Kind != schema.Bool && !isVector(t)
}

// isString reports whether the type is text proper; other types of kind Text
// only travel as text.
func isString(t *schema.Type) bool {
	switch b := t.Base(); {
	case b.Kind != schema.Text || t.Loose: // Postgres has no patterns under nondeterministic collations
		return false
	case b.BuiltIn():
		return b.Name == "text" || b.Name == "varchar" || b.Name == "bpchar" || b.Name == "name"
	default:
		return b.Name == "citext"
	}
}

// isPlainString reports whether the type is text of Postgres's own.
func isPlainString(t *schema.Type) bool { return isString(t) && t.Base().BuiltIn() }

func isVector(t *schema.Type) bool {
	b := t.Base()
	return b.Kind == schema.Text && b.BuiltIn() && b.Name == "tsvector"
}

func isArray(t *schema.Type) bool { return t.Base().Kind == schema.Array }

func isComparableArray(t *schema.Type) bool { return isArray(t) && isEquatable(t.Base().Elem) }

func isRange(t *schema.Type) bool { return t.Base().Kind == schema.Range }
