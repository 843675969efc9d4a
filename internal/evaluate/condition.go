package evaluate

import (
	"fmt"
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// all reports whether a row fulfils every condition.
func (r *reader) all(row Row, conds []plan.Cond) bool {
	for _, c := range conds {
		if !r.holds(row, c) {
			return false
		}
	}
	return true
}

// holds reports whether a row fulfils a condition. There are two truth values: a
// comparison with NULL does not hold, and so its negation does (contract 4.4).
func (r *reader) holds(row Row, c plan.Cond) bool {
	switch c := c.(type) {
	case *plan.And:
		return r.all(row, c.Conds)
	case *plan.Or:
		for _, one := range c.Conds {
			if r.holds(row, one) {
				return true
			}
		}
		return false
	case *plan.Not:
		return !r.holds(row, c.Cond)
	case *plan.Compare:
		left := r.term(row, c.Left)
		return left != nil && r.compares(row, c, left)
	case *plan.Keys:
		return r.keys(row, c)
	case *plan.Some:
		return r.count(row, c.Relationship, c.Cond) > 0
	case *plan.None:
		return r.count(row, c.Relationship, c.Cond) == 0
	case *plan.Every:
		return r.count(row, c.Relationship, c.Cond) == len(r.reach(row, c.Relationship))
	case *plan.WrittenRow:
		key := columns(c.Model.Key)
		return pairs(row, key, r.written[c.Number], key)
	default:
		panic("evaluate: a condition of no known type")
	}
}

// count counts the rows of a relationship that fulfil the condition.
func (r *reader) count(row Row, rel *schema.Relationship, c plan.Cond) int {
	n := 0
	for _, target := range r.reach(row, rel) {
		if c == nil || r.holds(target, c) {
			n++
		}
	}
	return n
}

// keys reports whether the row's fields are one of the tuples.
func (r *reader) keys(row Row, c *plan.Keys) bool {
	lists := make([][]any, len(c.Fields))
	for i, f := range c.Fields {
		lists[i] = literals(f.Type, r.values[c.Slots[i]])
	}
next:
	for n := range lists[0] {
		for i, f := range c.Fields {
			v := row[f.Column]
			if v == nil || compare(f.Type, v, f.Type, lists[i][n]) != 0 {
				continue next
			}
		}
		return true
	}
	return false
}

// compares applies an operator to a value that is not NULL.
func (r *reader) compares(row Row, c *plan.Compare, left any) bool {
	t := c.Left.Type()
	switch c.Operator.Name {
	case "present":
		return true
	case "eq", "in":
		return r.ordered(row, t, left, c.Operand, func(order int) bool { return order == 0 })
	case "lt":
		return r.ordered(row, t, left, c.Operand, func(order int) bool { return order < 0 })
	case "lte":
		return r.ordered(row, t, left, c.Operand, func(order int) bool { return order <= 0 })
	case "gt":
		return r.ordered(row, t, left, c.Operand, func(order int) bool { return order > 0 })
	case "gte":
		return r.ordered(row, t, left, c.Operand, func(order int) bool { return order >= 0 })
	case "between":
		o := c.Operand.(plan.Two)
		return compare(t, left, o.Type, r.value(o.Low, o.Type)) >= 0 && compare(t, left, o.Type, r.value(o.High, o.Type)) <= 0
	case "contains":
		return strings.Contains(left.(string), r.between(c, "%", "%"))
	case "icontains":
		return strings.Contains(fold(left), fold(r.between(c, "%", "%")))
	case "startsWith":
		return strings.HasPrefix(left.(string), r.values[c.Operand.(plan.One).Slot].(string))
	case "istartsWith":
		return strings.HasPrefix(fold(left), fold(r.between(c, "", "%")))
	case "endsWith":
		return strings.HasSuffix(left.(string), r.between(c, "%", ""))
	case "iendsWith":
		return strings.HasSuffix(fold(left), fold(r.between(c, "%", "")))
	case "has", "hasSome", "hasEvery":
		return r.contains(t, left, c)
	case "isEmpty":
		if array, ok := left.([]any); ok {
			return len(array) == 0
		}
		return left == Range{}
	default:
		panic("evaluate: the operator " + c.Operator.Name + " is not evaluated")
	}
}

func (r *reader) value(slot plan.Slot, t *schema.Type) any { return literal(t, r.values[slot]) }

// ordered compares a value with an operand; of a list any may do.
func (r *reader) ordered(row Row, t *schema.Type, left any, operand plan.Operand, fits func(order int) bool) bool {
	switch o := operand.(type) {
	case plan.One:
		return fits(compare(t, left, o.Type, r.value(o.Slot, o.Type)))
	case plan.Any:
		for _, v := range literals(o.Type, r.values[o.Slot]) {
			if fits(compare(t, left, o.Type, v)) {
				return true
			}
		}
		return false
	case plan.Truth:
		return fits(compareBools(left.(bool), bool(o)))
	case plan.Other:
		right := r.term(row, o.Term)
		return right != nil && fits(compare(t, left, o.Term.Type(), right))
	default:
		panic(fmt.Sprintf("evaluate: %T is no operand of a comparison", operand))
	}
}

// between takes the text of a pattern out of its wildcards, and the backslashes
// off the characters that would be wildcards else.
func (r *reader) between(c *plan.Compare, before, after string) string {
	pattern := r.values[c.Operand.(plan.One).Slot].(string)
	text, ok := strings.CutPrefix(pattern, before)
	text, closed := strings.CutSuffix(text, after)
	if !ok || !closed {
		panic(fmt.Sprintf("evaluate: the pattern %q is not between %q and %q", pattern, before, after))
	}
	return strings.NewReplacer(`\\`, `\`, `\%`, `%`, `\_`, `_`).Replace(text)
}

// fold makes texts alike that differ by the case of ASCII letters.
func fold(v any) string { return strings.ToLower(v.(string)) }

// contains reports whether an array, or a range, has the values asked for. NULL
// among its elements is none of them.
func (r *reader) contains(t *schema.Type, left any, c *plan.Compare) bool {
	if rng, ok := left.(Range); ok {
		v := r.values[c.Operand.(plan.One).Slot].(int64)
		return rng.Low <= v && v < rng.High
	}
	elem := t.Base().Elem
	has := func(v any) bool {
		for _, item := range left.([]any) {
			if item != nil && compare(elem, item, elem, v) == 0 {
				return true
			}
		}
		return false
	}
	if one, ok := c.Operand.(plan.One); ok {
		return has(r.value(one.Slot, one.Type))
	}
	list := c.Operand.(plan.Any)
	every := c.Operator.Name == "hasEvery"
	for _, v := range literals(list.Type, r.values[list.Slot]) {
		if has(v) != every {
			return !every
		}
	}
	return every
}
