package evaluate_test

import (
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A meaning is a condition as the contract has it, made by who wrote the filter
// and not by the product's plan, so that the plan's can be held against it.
type meaning func(*literals) plan.Cond

// literals are the values of meanings, behind those of a plan.
type literals struct{ values []any }

func (l *literals) slot(v any) plan.Slot {
	l.values = append(l.values, v)
	return plan.Slot(len(l.values) - 1)
}

// A test is an operator with its values, and what it asks of a term. A negated
// one says the opposite of what its meaning does: it holds for NULL too, also
// where steps to the term lead nowhere (contract 4.4).
type test struct {
	operator string // without `$`, "" for none
	texts    []string
	means    meaning
	negated  bool
}

// meaning is that of the test as a whole.
func (t test) meaning() meaning {
	if t.negated {
		return not(t.means)
	}
	return t.means
}

func not(m meaning) meaning {
	return func(l *literals) plan.Cond { return &plan.Not{Cond: m(l)} }
}

func anyOf(all []meaning) meaning {
	return func(l *literals) plan.Cond {
		or := &plan.Or{}
		for _, m := range all {
			or.Conds = append(or.Conds, m(l))
		}
		return or
	}
}

func allOf(all []meaning) meaning {
	return func(l *literals) plan.Cond {
		and := &plan.And{}
		for _, m := range all {
			and.Conds = append(and.Conds, m(l))
		}
		return and
	}
}

func some(rel *schema.Relationship, m meaning) meaning {
	return func(l *literals) plan.Cond { return &plan.Some{Relationship: rel, Cond: m(l)} }
}

func quantified(quantifier string, rel *schema.Relationship, m meaning) meaning {
	switch quantifier {
	case "none":
		return not(some(rel, m))
	case "every":
		return not(some(rel, not(m)))
	default:
		return some(rel, m)
	}
}

// compares is a comparison of a term with one value. The names of operators are
// those by which the evaluator knows them.
func compares(operator string, left plan.Term, t *schema.Type, v any) meaning {
	return func(l *literals) plan.Cond {
		return &plan.Compare{Left: left, Operator: &plan.Operator{Name: operator}, Operand: plan.One{Slot: l.slot(v), Type: t}}
	}
}

func present(left plan.Term) meaning {
	return func(*literals) plan.Cond {
		return &plan.Compare{Left: left, Operator: &plan.Operator{Name: "present"}, Operand: plan.Nothing{}}
	}
}

// isNull asks for NULL, or for anything else.
func (c client) isNull(left plan.Term) test {
	truth := pick(c, []string{"true", "false"})
	return test{operator: "isNull", texts: []string{truth}, means: present(left), negated: truth == "true"}
}

// test asks something of a term of the kind.
func (c client) test(k *kind, left plan.Term) test {
	operator := pick(c, append(k.family.operators(), "isNull"))
	switch operator {
	case "isNull":
		return c.isNull(left)
	case "isEmpty":
		truth := pick(c, []string{"true", "false"})
		means := func(*literals) plan.Cond {
			return &plan.Compare{Left: left, Operator: &plan.Operator{Name: "isEmpty"}, Operand: plan.Nothing{}}
		}
		return test{operator: operator, texts: []string{truth}, means: means, negated: truth == "false"}
	}
	return c.testOf(k, left, operator)
}

// testOf asks something by an operator that takes values.
func (c client) testOf(k *kind, left plan.Term, operator string) test {
	of, typ := k, left.Type()
	if strings.HasPrefix(operator, "has") {
		of, typ = k.elem, typ.Base().Elem
	}
	n := 1
	if lists(operator) {
		n = pick(c, []int{1, 1, 2, 3})
	} else if operator == "between" {
		n = 2
	}
	t := test{operator: operator}
	values := make([]any, n)
	for i := range values {
		values[i] = c.value(of)
		t.texts = append(t.texts, of.text(values[i]))
	}
	each := func(operator string) []meaning {
		all := make([]meaning, n)
		for i, v := range values {
			all[i] = compares(operator, left, typ, pattern(operator, v))
		}
		return all
	}
	switch operator {
	case "eq", "in":
		t.means = anyOf(each("eq"))
	case "ne", "nin":
		t.means, t.negated = anyOf(each("eq")), true
	case "between":
		t.means = allOf([]meaning{each("gte")[0], each("lte")[1]})
	case "hasSome":
		t.means = anyOf(each("has"))
	case "hasEvery":
		t.means = allOf(each("has"))
	default:
		t.means = each(operator)[0]
	}
	if operator == "eq" && c.one(2) {
		t.operator = ""
	}
	return t
}

// pattern is a value as the operators of patterns have it.
func pattern(operator string, v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
	switch operator {
	case "contains", "icontains":
		return "%" + escaped + "%"
	case "istartsWith":
		return escaped + "%"
	case "endsWith", "iendsWith":
		return "%" + escaped
	default:
		return v
	}
}

// The parts of documents, as texts and as numbers.
var (
	partKind   = &kind{name: "part", family: textual, values: []any{"x", "1", "1.50", "1.5", "true", "y,z", "7", `{"c": "x"}`, "[1, null]", "null", "", "tru"}}
	numberKind = &kind{name: "number", family: ordered, values: []any{"1", "1.5", "2", "0"}}
)

// testDocument asks something of a part of a JSON document: as a number where it
// is ordered, as text otherwise (contract 4.5).
func (c client) testDocument(f *schema.Field) (test, []string) {
	keys := make([]string, 1+c.Intn(3))
	for i := range keys {
		keys[i] = pick(c, []string{"a", "a", "b", "b", "c", "dd", "0", "1", "-1"})
	}
	text, number := plan.JSONTerm{Field: f}, plan.JSONTerm{Field: f, Number: true}
	var t test
	switch c.Intn(4) {
	case 0:
		t = c.isNull(text)
	case 1:
		t = c.testOf(numberKind, number, pick(c, []string{"lt", "lte", "gt", "gte", "between"}))
	case 2:
		t = c.testOf(partKind, text, pick(c, []string{"contains", "startsWith", "iendsWith"}))
	default:
		t = c.testOf(partKind, text, pick(c, []string{"eq", "ne", "in", "nin"}))
	}
	anywhere := t.means
	t.means = func(l *literals) plan.Cond { return located(anywhere(l), l.slot(keys)) }
	return t, keys
}

// located puts the keys into the terms of a condition on a document.
func located(c plan.Cond, keys plan.Slot) plan.Cond {
	switch c := c.(type) {
	case *plan.And:
		for i := range c.Conds {
			c.Conds[i] = located(c.Conds[i], keys)
		}
	case *plan.Or:
		for i := range c.Conds {
			c.Conds[i] = located(c.Conds[i], keys)
		}
	case *plan.Compare:
		term := c.Left.(plan.JSONTerm)
		term.Keys = keys
		c.Left = term
	}
	return c
}

// linked asks whether a relationship leads to one of the ids. A foreign key of
// the row itself is compared as it is (contract 4.2).
func (c client) linked(rel *schema.Relationship) (texts []string, means meaning) {
	columns := rel.Target.Key
	own := rel.Own && rel.ByID
	if own {
		columns = rel.From
	}
	texts, means = c.idIn(rel.Target, columns)
	if !own {
		means = some(rel, means)
	}
	return texts, means
}

// idIn asks whether columns spell one of some ids of the model.
func (c client) idIn(m *schema.Model, columns []*schema.Field) (texts []string, means meaning) {
	var all []meaning
	for range pick(c, []int{1, 1, 2, 3}) {
		text, values := c.idOf(m)
		texts = append(texts, text)
		var parts []meaning
		for i, f := range columns {
			parts = append(parts, compares("eq", plan.FieldTerm{Field: f}, f.Type, values[i]))
		}
		all = append(all, allOf(parts))
	}
	return texts, anyOf(all)
}
