package evaluate_test

import (
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A step is one relationship of a filter's path.
type step struct {
	rel        *schema.Relationship
	quantifier string // none or every, of a to-many
}

// behind is what a test means behind steps. What it says of a value it says of
// no value too, so a negation goes in front of to-one steps.
func behind(steps []step, t test) meaning {
	for i := len(steps) - 1; i >= 0; i-- {
		if s := steps[i]; s.rel.Many {
			t = test{means: quantified(s.quantifier, s.rel, t.meaning())}
		} else {
			t.means = some(s.rel, t.means)
		}
	}
	return t.meaning()
}

// steps goes from a model over relationships.
func (c client) steps(mv *schema.ModelView) ([]step, *schema.ModelView) {
	var steps []step
	for len(mv.Relationships) > 0 && len(steps) < 3 && c.one(3) {
		s := step{rel: pick(c, mv.Relationships)}
		if s.rel.Many {
			s.quantifier = pick(c, []string{"", "", "none", "every"})
		}
		steps, mv = append(steps, s), c.view.Of(s.rel.Target)
	}
	return steps, mv
}

// bracket makes a bracket filter, a wrong one now and then.
func (c client) bracket(mv *schema.ModelView) parameter {
	steps, mv := c.steps(mv)
	name := "filter"
	for _, s := range steps {
		name += "[" + s.rel.Name
		if s.quantifier != "" {
			name += "$" + s.quantifier
		}
		name += "]"
	}
	if c.one(15) {
		selector, value, code := c.wrongFilter(mv)
		return parameter{name: name + selector, values: []string{value}, wrong: code}
	}
	names, t := c.asked(mv)
	for _, n := range names {
		name += "[" + n + "]"
	}
	if t.operator != "" {
		name = strings.TrimSuffix(name, "]") + "$" + t.operator + "]"
	}
	p := parameter{name: name, means: behind(steps, t)}
	if lists(t.operator) || t.operator == "" {
		if c.one(6) && !strings.Contains(t.operator, "count") {
			p.name, p.values = name+"[]", t.texts
			return p
		}
	}
	p.values = []string{joined(t)}
	return p
}

// joined is the value of a filter: split where the operator takes several.
func joined(t test) string {
	operator := t.operator[strings.LastIndex(t.operator, "$")+1:]
	several := lists(operator) || operator == "" || operator == "between" || operator == "none" || operator == "every" || operator == "count"
	if !several {
		return t.texts[0]
	}
	parts := make([]string, len(t.texts))
	for i, text := range t.texts {
		parts[i] = strings.NewReplacer(`\`, `\\`, `,`, `\,`).Replace(text)
	}
	return strings.Join(parts, ",")
}

// asked is what stands at the end of a filter: names, and the test. Operators
// that only brackets have are among those of the test: `count$gt`.
func (c client) asked(mv *schema.ModelView) ([]string, test) {
	switch {
	case len(mv.Relationships) > 0 && c.one(4):
		return c.askedOfRelationship(pick(c, mv.Relationships))
	case len(mv.Attributes) == 0 || c.one(6):
		if len(mv.Model.Key) == 1 && c.one(2) {
			return []string{"id"}, c.test(c.kindOf(mv.Model, mv.Model.Key[0]), plan.FieldTerm{Field: mv.Model.Key[0]})
		}
		texts, means := c.idIn(mv.Model, mv.Model.Key)
		return []string{"id"}, c.equality(texts, means)
	}
	f := pick(c, mv.Attributes)
	k := c.kindOf(mv.Model, f)
	if k.family == document && !c.one(4) {
		t, keys := c.testDocument(f)
		return append([]string{f.Name}, keys...), t
	}
	return []string{f.Name}, c.test(k, plan.FieldTerm{Field: f})
}

// equality spells what means being one of some ids.
func (c client) equality(texts []string, means meaning) test {
	operator := pick(c, []string{"", "", "eq", "in", "ne", "nin"})
	return test{operator: operator, texts: texts, means: means, negated: operator == "ne" || operator == "nin"}
}

func (c client) askedOfRelationship(rel *schema.Relationship) ([]string, test) {
	names := []string{rel.Name}
	switch {
	case !rel.Many && c.one(3):
		return names, c.leads(rel)
	case rel.Many && c.one(3):
		t := c.testOf(countKind, plan.CountTerm{Relationship: rel}, pick(c, []string{"eq", "ne", "in", "gt", "lte", "between"}))
		t.operator = strings.TrimSuffix("count$"+t.operator, "$")
		return names, t
	case rel.Many && c.one(3):
		quantifier := pick(c, []string{"none", "every"})
		texts, means := c.idIn(rel.Target, rel.Target.Key)
		return names, test{operator: quantifier, texts: texts, means: quantified(quantifier, rel, means)}
	default:
		texts, means := c.linked(rel)
		return names, c.equality(texts, means)
	}
}

// countKind is how many rows there are.
var countKind = &kind{name: "count", values: []any{int64(0), int64(1), int64(2)}, family: ordered}

// leads asks whether a to-one relationship leads somewhere: where the row has
// its foreign key, or where there is a row to see.
func (c client) leads(rel *schema.Relationship) test {
	truth := pick(c, []string{"true", "false"})
	t := test{operator: "isNull", texts: []string{truth}, negated: truth == "true"}
	if !rel.Own {
		t.means = some(rel, allOf(nil))
		return t
	}
	var parts []meaning
	for _, f := range rel.From {
		parts = append(parts, present(plan.FieldTerm{Field: f}))
	}
	t.means = allOf(parts)
	return t
}

// wrongFilter is the end of a filter that is refused, and the code.
func (c client) wrongFilter(mv *schema.ModelView) (selector, value, code string) {
	if len(mv.Attributes) > 0 && !c.one(4) {
		f := pick(c, mv.Attributes)
		k := c.kindOf(mv.Model, f)
		switch {
		case len(k.wrong) > 0 && c.one(2):
			return "[" + f.Name + pick(c, []string{"", "$ne", "$in"}) + "]", pick(c, k.wrong), "invalid-value"
		case k.family != textual && c.one(2):
			return "[" + f.Name + "$icontains]", "1", "invalid-filter"
		case k.family == array || k.family == composite:
			return "[" + f.Name + "]", "1", "invalid-filter"
		case k.family == unordered:
			return "[" + f.Name + "$lt]", k.text(k.values[0]), "invalid-filter"
		}
		return "[" + f.Name + "$isNull]", "1", "invalid-value"
	}
	if len(mv.Relationships) > 0 && c.one(2) {
		rel := pick(c, mv.Relationships)
		switch {
		case !rel.Many:
			return "[" + rel.Name + pick(c, []string{"$every", "$none", "$count"}) + "]", "1", "invalid-filter"
		case len(rel.Target.Key) > 1:
			return "[" + rel.Name + "]", "1", "invalid-value"
		}
		return "[" + rel.Name + "$contains]", "1", "invalid-filter"
	}
	return pick(c, []string{"[nothing]", "[id][nothing]", "[id$nothing]", "[nothing$gt]"}), "1", "invalid-filter"
}
