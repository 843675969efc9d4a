package validation

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// A rule is what one part of a CHECK constraint says of a column. One of its
// members is set.
type rule struct {
	bound     *bound
	enum      []any // strings or json.Number
	minLength int
	maxLength *int
	pattern   string
}

// A bound is a comparison with a number.
type bound struct {
	operator string // >=, >, <=, <
	with     *big.Rat
}

// rules returns what an expression says of its only column, as far as JSON
// Schema can say it too. What it returns are conditions each of which the
// check has: where a check is an AND of conditions some of which are not
// understood, the others still hold.
func rules(f *schema.Field, expression string) []rule {
	t, ok := parseExpression(expression)
	if !ok {
		return nil
	}
	return conditions(f, t)
}

func conditions(f *schema.Field, t term) []rule {
	if t.form != operation || t.casts != nil {
		return nil
	}
	if t.text == "AND" {
		var all []rule
		for _, part := range t.parts {
			all = append(all, conditions(f, part)...)
		}
		return all
	}
	left, right, operator := t.parts[0], t.parts[1], t.text
	if left.form == digits || left.form == text {
		left, right, operator = right, left, flipped[operator]
	}
	switch family(f.Type) {
	case wholes, exact:
		return numberRule(f, left, operator, right)
	case texts, padded:
		if left.form == call {
			return lengthRule(f, left, operator, right)
		}
		return textRule(f, left, operator, right)
	case labels:
		if isColumn(left, f, nil) && (operator == "=") {
			if values, ok := constants(right, text, func(string) bool { return true }); ok {
				return []rule{{enum: values}}
			}
		}
	}
	return nil
}

// flipped are the operators with their operands changed round.
var flipped = map[string]string{">=": "<=", ">": "<", "<=": ">=", "<": ">", "=": "=", "<>": "<>"}

// Families of types whose comparisons JSON Schema has too. Floating-point
// numbers are not among them: theirs are of the number that Postgres rounds to.
const (
	others = iota
	wholes
	exact  // numeric
	texts  // text, varchar
	padded // char: spaces at the end do not count
	labels
)

func family(t *schema.Type) int {
	loose, t := t.Loose, t.Base()
	switch {
	case t.Kind == schema.Enum:
		return labels
	case !t.BuiltIn() || loose:
		return others
	case t.Kind == schema.Int2 || t.Kind == schema.Int4 || t.Kind == schema.Int8:
		return wholes
	case t.Kind == schema.Numeric:
		return exact
	case t.Name == "text" || t.Name == "varchar":
		return texts
	case t.Name == "bpchar":
		return padded
	default:
		return others
	}
}

// isColumn reports whether a term is the column, cast at most to types of the list.
func isColumn(t term, f *schema.Field, casts []string) bool {
	return t.form == name && t.text == f.Column && onlyCasts(t, casts)
}

func onlyCasts(t term, casts []string) bool {
	return !slices.ContainsFunc(t.casts, func(c string) bool { return !slices.Contains(casts, c) })
}

var (
	numberTypes = []string{"smallint", "integer", "bigint", "numeric"}
	textTypes   = []string{"text", "character varying", "bpchar"}
	decimalText = regexp.MustCompile(`^-?[0-9]{1,40}(\.[0-9]{1,40})?$`)
	wholeNumber = regexp.MustCompile(`^-?[0-9]{1,40}$`)
)

func numberRule(f *schema.Field, left term, operator string, right term) []rule {
	casts := numberTypes
	if family(f.Type) == exact {
		casts = []string{"numeric"} // others round
	}
	if !isColumn(left, f, casts) {
		return nil
	}
	if operator == "=" && family(f.Type) == wholes && right.form == anyOf {
		if values, ok := constants(right, digits, isNumberType); ok {
			return []rule{{enum: values}}
		}
		return nil
	}
	n, ok := numberOf(right)
	if !ok {
		return nil
	}
	switch operator {
	case ">=", ">", "<=", "<":
		return []rule{{bound: &bound{operator, n}}}
	case "=":
		return []rule{{bound: &bound{">=", n}}, {bound: &bound{"<=", n}}}
	}
	return nil
}

// numberOf returns the value of a constant that no cast has rounded. Negative
// ones are printed as text with a cast.
func numberOf(t term) (*big.Rat, bool) {
	if t.form != digits && (t.form != text || len(t.casts) == 0) || !onlyCasts(t, numberTypes) || !decimalText.MatchString(t.text) {
		return nil, false
	}
	if !wholeNumber.MatchString(t.text) && slices.ContainsFunc(t.casts, func(c string) bool { return c != "numeric" }) {
		return nil, false
	}
	return new(big.Rat).SetString(t.text)
}

func isNumberType(typ string) bool { return slices.Contains(numberTypes, typ) }

func isTextType(typ string) bool { return slices.Contains(textTypes, strings.TrimSuffix(typ, "[]")) }

// lengths are the functions that count the characters of a text.
var lengths = []string{"length", "char_length", "character_length"}

func lengthRule(f *schema.Field, left term, operator string, right term) []rule {
	if !slices.Contains(lengths, left.text) || len(left.casts) > 0 || len(left.parts) != 1 || !isColumn(left.parts[0], f, textTypes) {
		return nil
	}
	r, ok := numberOf(right)
	if !ok || !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() < 0 || r.Num().Int64() > 1<<30 {
		return nil
	}
	n := int(r.Num().Int64())
	switch operator {
	case ">=":
		return []rule{{minLength: n}}
	case ">":
		return []rule{{minLength: n + 1}}
	case "<=":
		return []rule{{maxLength: &n}}
	case "<":
		if n--; n >= 0 {
			return []rule{{maxLength: &n}}
		}
	case "=":
		return []rule{{minLength: n}, {maxLength: &n}}
	}
	return nil
}

func textRule(f *schema.Field, left term, operator string, right term) []rule {
	if !isColumn(left, f, textTypes) {
		return nil
	}
	constant := right.form == text && !slices.ContainsFunc(right.casts, func(c string) bool { return !isTextType(c) })
	switch {
	case operator == "<>" && constant && right.text == "":
		return []rule{{minLength: 1}}
	case family(f.Type) == padded:
		return nil // equal texts may differ in spaces, and patterns see those cut off
	case operator == "=":
		if values, ok := constants(right, text, isTextType); ok {
			return []rule{{enum: values}}
		}
	case operator == "~" && constant && plainPattern(right.text):
		return []rule{{pattern: right.text}}
	}
	return nil
}

// constants returns the values of a constant, or of the array that an = ANY
// compares with.
func constants(t term, of form, allowed func(typ string) bool) ([]any, bool) {
	list := []term{t}
	if t.form == anyOf {
		elements := t.parts[0]
		if elements.form != array || slices.ContainsFunc(elements.casts, func(c string) bool { return !allowed(strings.TrimSuffix(c, "[]")) }) {
			return nil, false
		}
		list = elements.parts
	}
	var values []any
	for _, c := range list {
		if slices.ContainsFunc(c.casts, func(typ string) bool { return !allowed(typ) }) {
			return nil, false
		}
		if of == digits {
			n, ok := numberOf(c)
			if !ok {
				return nil, false
			}
			values = append(values, decimal(n))
		} else if c.form == text {
			values = append(values, c.text)
		} else {
			return nil, false
		}
	}
	return values, len(values) > 0
}

// apply adds the rule to the description of a field. Some hold for what
// Postgres makes of a value and not for the value itself: of a text that is too
// long for its column it cuts spaces off, and a number is rounded to the
// column's scale. Values that may become others pass.
func (r rule) apply(n *node, f *schema.Field) {
	own := &node{Pattern: r.pattern, MaxLength: r.maxLength}
	switch {
	case r.bound != nil && family(f.Type) == wholes:
		r.bound.tighten(n)
		return
	case r.bound != nil:
		own = r.bound.node()
		if f.Precision > 0 {
			own = &node{AnyOf: []*node{own, {Not: &node{MultipleOf: power(-f.Scale)}}}}
		}
		n.demand(own)
		return
	case r.enum == nil && r.maxLength == nil && r.pattern == "":
		n.MinLength = max(n.MinLength, r.minLength)
		return
	case r.enum != nil:
		own.Enum = r.enum
		if f.Nullable {
			own.Enum = append(own.Enum, nil)
		}
	}
	ways := []*node{own}
	if family(f.Type) == wholes {
		ways = append(ways, &node{Type: types{"string"}})
	} else if f.Length > 0 || family(f.Type) == padded {
		ways = append(ways, &node{Pattern: trailingSpace})
	}
	if len(ways) > 1 {
		own = &node{AnyOf: ways}
	}
	n.demand(own)
}

// tighten makes the limits of whole numbers narrower.
func (b *bound) tighten(n *node) {
	one := big.NewInt(1)
	floor := new(big.Int).Div(b.with.Num(), b.with.Denom())
	next := new(big.Int).Add(floor, one)
	lowest, _ := new(big.Int).SetString(string(n.Minimum), 10)
	highest, _ := new(big.Int).SetString(string(n.Maximum), 10)
	switch {
	case b.operator == ">" || b.operator == ">=" && !b.with.IsInt():
		lowest = larger(lowest, next)
	case b.operator == ">=":
		lowest = larger(lowest, floor)
	case b.operator == "<" && b.with.IsInt():
		highest = smaller(highest, new(big.Int).Sub(floor, one))
	default:
		highest = smaller(highest, floor)
	}
	n.Minimum, n.Maximum = json.Number(lowest.String()), json.Number(highest.String())
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return b
	}
	return a
}

// node says the same as a schema.
func (b *bound) node() *node {
	n := decimal(b.with)
	switch b.operator {
	case ">=":
		return &node{Minimum: n}
	case ">":
		return &node{ExclusiveMinimum: n}
	case "<=":
		return &node{Maximum: n}
	default:
		return &node{ExclusiveMaximum: n}
	}
}
