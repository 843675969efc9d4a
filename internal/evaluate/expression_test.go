package evaluate_test

import (
	"regexp"
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// expression makes the one bare filter of a request.
func (c client) expression(mv *schema.ModelView) parameter {
	if c.one(20) {
		text := pick(c, []string{"eq(nothing,'1')", "nothing(id)", "and()", "eq(id", "id", "some(nothing,isNull(id))", "gt(id)", "not(isNull(id),isNull(id))", ""})
		return parameter{name: "filter", values: []string{text}, wrong: "invalid-filter"}
	}
	text, means := c.call(mv, 0)
	if c.one(4) {
		text = strings.NewReplacer("(", " ( ", ",", " ,").Replace(text)
		if strings.Contains(text, "'") { // the blanks would be in the values
			text = strings.NewReplacer(" ( ", "(", " ,", ",").Replace(text)
		}
	}
	return parameter{name: "filter", values: []string{text}, means: means}
}

// call makes a condition.
func (c client) call(mv *schema.ModelView, depth int) (string, meaning) {
	if depth < 3 && c.one(2) {
		switch n := c.Intn(4); {
		case n == 0:
			text, means := c.call(mv, depth+1)
			return "not(" + text + ")", not(means)
		case n == 1 && len(mv.Relationships) > 0:
			if text, means, ok := c.quantifiedCall(mv, depth); ok {
				return text, means
			}
		default:
			return c.junction(mv, depth)
		}
	}
	return c.comparison(mv)
}

// junction is and, or.
func (c client) junction(mv *schema.ModelView, depth int) (string, meaning) {
	var texts []string
	var all []meaning
	for range 1 + c.Intn(3) {
		text, means := c.call(mv, depth+1)
		texts, all = append(texts, text), append(all, means)
	}
	if c.one(2) {
		return "and(" + strings.Join(texts, ",") + ")", allOf(all)
	}
	return "or(" + strings.Join(texts, ",") + ")", anyOf(all)
}

// quantifiedCall is some, none, every over a relationship behind to-one steps.
func (c client) quantifiedCall(mv *schema.ModelView, depth int) (string, meaning, bool) {
	path, steps, mv := c.toOne(mv)
	if len(mv.Relationships) == 0 {
		return "", nil, false
	}
	rel := pick(c, mv.Relationships)
	if !sayable(rel.Name) {
		return "", nil, false
	}
	quantifier := pick(c, []string{"some", "none", "every"})
	if quantifier != "every" && c.one(4) {
		return quantifier + "(" + path + rel.Name + ")", behind(steps, test{means: quantified(quantifier, rel, allOf(nil))}), true
	}
	text, inner := c.call(c.view.Of(rel.Target), depth+1)
	return quantifier + "(" + path + rel.Name + "," + text + ")", behind(steps, test{means: quantified(quantifier, rel, inner)}), true
}

// sayable reports whether expressions can spell the name.
var sayable = regexp.MustCompile(`^[\pL_][\pL\d_-]*$`).MatchString

// toOne goes over to-one relationships.
func (c client) toOne(mv *schema.ModelView) (string, []step, *schema.ModelView) {
	path, steps := "", []step(nil)
	for len(mv.Relationships) > 0 && len(steps) < 2 && c.one(3) {
		rel := pick(c, mv.Relationships)
		if rel.Many || !sayable(rel.Name) {
			break
		}
		path, steps, mv = path+rel.Name+".", append(steps, step{rel: rel}), c.view.Of(rel.Target)
	}
	return path, steps, mv
}

// comparison is a call of an operator.
func (c client) comparison(mv *schema.ModelView) (string, meaning) {
	for range c.Intn(3) {
		if text, means, ok := c.termComparison(mv); ok {
			return text, means
		}
	}
	path, steps, mv := c.toOne(mv)
	for {
		names, t := c.asked(mv)
		text, ok := spelt(path+strings.Join(names, "."), t)
		for _, name := range names[:1] {
			ok = ok && sayable(name)
		}
		if len(names) > 1 {
			ok = ok && !strings.ContainsAny(strings.Join(names, ""), "-") // -1 is no name
			for _, name := range names {
				ok = ok && sayable(name)
			}
		}
		if ok {
			return text, behind(steps, t)
		}
	}
}

// spelt is a test as a call; ok is false where only brackets have it.
func spelt(path string, t test) (text string, ok bool) {
	operator := t.operator
	if counted, isCount := strings.CutPrefix(operator, "count"); isCount {
		operator, path = strings.TrimPrefix(counted, "$"), "count("+path+")"
	}
	switch operator {
	case "none", "every":
		return "", false
	case "":
		operator = "eq"
	case "isNull", "isEmpty":
		if t.texts[0] == "true" && len(path)%2 == 0 {
			return operator + "(" + path + ")", true
		}
		return operator + "(" + path + "," + t.texts[0] + ")", true
	}
	args := []string{path}
	for _, text := range t.texts {
		args = append(args, literalOf(text, operator))
	}
	return operator + "(" + strings.Join(args, ",") + ")", true
}

var plainNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// literalOf writes numbers as such where they are compared by their order, as
// parts of documents need it, and everything else in quotes.
func literalOf(text, operator string) string {
	switch operator {
	case "lt", "lte", "gt", "gte", "between":
		if plainNumber.MatchString(text) {
			return text
		}
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// termComparison compares two terms of one row: fields of a like kind, counts.
func (c client) termComparison(mv *schema.ModelView) (string, meaning, bool) {
	left, leftText, leftKind := c.operand(mv)
	right, rightText, rightKind := c.operand(mv)
	if left == nil || right == nil || !alike(leftKind, rightKind) {
		return "", nil, false
	}
	operator := pick(c, []string{"eq", "ne", "lt", "lte", "gt", "gte"})
	if leftKind == boolKind {
		operator = pick(c, []string{"eq", "ne"})
	}
	base := operator
	if operator == "ne" {
		base = "eq"
	}
	var means meaning = func(*literals) plan.Cond {
		return &plan.Compare{Left: left, Operator: &plan.Operator{Name: base}, Operand: plan.Other{Term: right}}
	}
	if operator == "ne" {
		means = not(means)
	}
	return operator + "(" + leftText + "," + rightText + ")", means, true
}

// alike reports whether two kinds are compared with each other.
func alike(a, b *kind) bool {
	class := func(k *kind) string {
		switch k {
		case int2Kind, int4Kind, int8Kind, floatKind, float4Kind, numKind, domainKind, countKind:
			return "number"
		case textKind, charKind, labelKind:
			return "text"
		case tsKind, dateKind:
			return "instant"
		default:
			return k.name
		}
	}
	return class(a) == class(b) && a.family != array && a.family != document && a.family != composite
}

// operand is a field or a count, behind to-one steps; nil where there is none.
func (c client) operand(mv *schema.ModelView) (plan.Term, string, *kind) {
	path, steps, mv := c.toOne(mv)
	var rels []*schema.Relationship
	for _, s := range steps {
		rels = append(rels, s.rel)
	}
	if len(mv.Relationships) > 0 && c.one(4) {
		if rel := pick(c, mv.Relationships); rel.Many && sayable(rel.Name) {
			return plan.CountTerm{Path: rels, Relationship: rel}, "count(" + path + rel.Name + ")", countKind
		}
	}
	if len(mv.Model.Key) == 1 && c.one(6) {
		return plan.FieldTerm{Path: rels, Field: mv.Model.Key[0]}, path + "id", c.kindOf(mv.Model, mv.Model.Key[0])
	}
	if len(mv.Attributes) == 0 {
		return nil, "", nil
	}
	f := pick(c, mv.Attributes)
	if !sayable(f.Name) {
		return nil, "", nil
	}
	return plan.FieldTerm{Path: rels, Field: f}, path + f.Name, c.kindOf(mv.Model, f)
}
