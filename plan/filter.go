package plan

import (
	"strings"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// idName is the name by which filters and sort keys call the resource's id.
const idName = "id"

// filters resolves the bracket filters, each to one condition, and the
// expression.
func (b *builder) filters(mv *schema.ModelView) []Cond {
	var conds []Cond
	for i := range b.request.Filters {
		f := &b.request.Filters[i]
		if b.full() || !b.count(place{f.Parameter, -1}, len(f.Path)) {
			return nil
		}
		if c := b.filter(mv, f, f.Path); c != nil {
			conds = append(conds, c)
		}
	}
	if where := b.request.Where; where != nil {
		if c := b.expression(mv, where); c != nil {
			conds = append(conds, c)
		}
	}
	return conds
}

// count counts conditions and the relationships on the way to them, as each is
// a join, and refuses what is past the limit.
func (b *builder) count(at place, n int) bool {
	b.conditions += n
	if b.conditions > b.options.Limits.Conditions {
		b.refuse(tooManyConditions(at, b.options.Limits.Conditions))
		return false
	}
	return true
}

// filter resolves what is left of a filter's path; nil after a refusal.
func (b *builder) filter(mv *schema.ModelView, f *parse.Filter, path []parse.Selector) Cond {
	sel, rest, at := path[0], path[1:], place{f.Parameter, -1}
	if rel, ok := mv.Relationship(sel.Name); ok {
		return b.relationshipFilter(rel, f, sel.Operators, rest)
	}
	field, isField := mv.Attribute(sel.Name)
	isID := sel.Name == idName
	switch {
	case isID && len(rest) == 0:
		return b.idFilter(mv.Model, f, sel.Operators)
	case isID:
		b.refuse(notARelationship(at, sel.Name, mv))
		return nil
	case !isField:
		b.refuse(unknownInFilter(at, sel.Name, mv))
		return nil
	case len(rest) == 0:
		return b.termFilter(f, sel.Operators, func(op *Operator) Term { return searchable(mv, field, op) })
	case len(sel.Operators) > 0:
		b.refuse(operatorInside(at, sel))
		return nil
	case !isDocument(field):
		b.refuse(notARelationship(at, sel.Name, mv))
		return nil
	default:
		return b.documentFilter(field, f, rest)
	}
}

// relationshipFilter resolves a selector that names a relationship: what stands
// behind it, or the ids that it leads to.
func (b *builder) relationshipFilter(rel *schema.Relationship, f *parse.Filter, ops []string, rest []parse.Selector) Cond {
	at := place{f.Parameter, -1}
	if len(f.Path)-len(rest) > b.options.Limits.FilterDepth {
		b.refuse(filterTooDeep(at, b.options.Limits.FilterDepth))
		return nil
	}
	quantifier := ""
	if len(ops) > 0 {
		switch ops[0] {
		case "count":
			return b.countFilter(rel, f, ops[1:], rest)
		case "none", "every":
			if !rel.Many {
				b.refuse(quantifiedToOne(at, ops[0], rel))
				return nil
			}
			quantifier, ops = ops[0], ops[1:]
		}
	}
	var inner Cond
	switch {
	case len(rest) > 0 && len(ops) > 0:
		b.refuse(operatorInside(at, parse.Selector{Name: rel.Name, Operators: ops}))
		return nil
	case len(rest) > 0:
		inner = b.filter(b.view.Of(rel.Target), f, rest)
	case quantifier != "":
		if len(ops) > 0 {
			b.refuse(operatorInside(at, parse.Selector{Name: rel.Name, Operators: ops}))
			return nil
		}
		inner = b.idIn(rel.Target, rel.Target.Key, values(f, Equal), at)
	default:
		op, ok := b.operator(ops, rel.Name, at)
		if !ok {
			return nil
		}
		return b.related(op, rel, values(f, op), at)
	}
	switch {
	case inner == nil:
		return nil
	case quantifier == "" && !rel.Many:
		return through([]*schema.Relationship{rel}, inner)
	default:
		return quantified(quantifier, rel, inner)
	}
}

// quantified asks the condition of some, none or every row of a relationship.
func quantified(quantifier string, rel *schema.Relationship, inner Cond) Cond {
	switch quantifier {
	case "none":
		return &None{Relationship: rel, Cond: inner}
	case "every":
		return &Every{Relationship: rel, Cond: inner}
	default:
		return &Some{Relationship: rel, Cond: inner}
	}
}

// countFilter compares how many rows a to-many relationship reaches.
func (b *builder) countFilter(rel *schema.Relationship, f *parse.Filter, ops []string, rest []parse.Selector) Cond {
	at := place{f.Parameter, -1}
	switch {
	case !rel.Many:
		b.refuse(quantifiedToOne(at, "count", rel))
		return nil
	case len(rest) > 0:
		b.refuse(operatorInside(at, parse.Selector{Name: rel.Name, Operators: []string{"count"}}))
		return nil
	}
	return b.termFilter(f, ops, func(*Operator) Term { return CountTerm{Relationship: rel} })
}

// termFilter compares a term, which may depend on the operator, with the
// filter's value.
func (b *builder) termFilter(f *parse.Filter, ops []string, left func(*Operator) Term) Cond {
	at := place{f.Parameter, -1}
	op, ok := b.operator(ops, f.Path[len(f.Path)-1].Name, at)
	if !ok {
		return nil
	}
	return b.apply(op, left(op), values(f, op), at)
}

// searchable is a field, and where the schema names a tsvector that serves its
// full text, and the role may read that, the tsvector in its place.
func searchable(mv *schema.ModelView, f *schema.Field, op *Operator) FieldTerm {
	if op == search && f.Search != nil && mv.Selectable(f.Search) {
		f = f.Search
	}
	return FieldTerm{Field: f}
}

// idFilter compares the resource's id. A compound one has no order.
func (b *builder) idFilter(m *schema.Model, f *parse.Filter, ops []string) Cond {
	at := place{f.Parameter, -1}
	op, ok := b.operator(ops, idName, at)
	if !ok {
		return nil
	}
	return b.id(m, op, values(f, op), at)
}

func (b *builder) id(m *schema.Model, op *Operator, texts []string, at place) Cond {
	switch {
	case op == Equal || op == in:
		return b.idIn(m, m.Key, texts, at)
	case op == notEqual || op == notIn:
		return negation(b.idIn(m, m.Key, texts, at))
	case len(m.Key) == 1:
		return b.apply(op, FieldTerm{Field: m.Key[0]}, texts, at)
	default:
		b.refuse(operatorNotOfID(at, op.Name, m))
		return nil
	}
}

// documentFilter compares a part of a JSON document (contract 4.5): as a number
// where it is ordered against a number, else as text.
func (b *builder) documentFilter(field *schema.Field, f *parse.Filter, path []parse.Selector) Cond {
	at := place{f.Parameter, -1}
	keys := make([]string, len(path))
	for i, sel := range path {
		if len(sel.Operators) > 0 && i < len(path)-1 {
			b.refuse(operatorInside(at, sel))
			return nil
		}
		keys[i] = sel.Name
	}
	op, ok := b.operator(path[len(path)-1].Operators, keys[len(keys)-1], at)
	if !ok {
		return nil
	}
	texts := values(f, op)
	number := (op.Takes == OneValue || op.Takes == TwoValues) && ordersBy(op) && allNumbers(texts)
	return b.apply(op, JSONTerm{Field: field, Keys: b.slot(keys, at.source()), Number: number}, texts, at)
}

// ordersBy reports whether the operator needs an order.
func ordersBy(op *Operator) bool {
	return len(op.Variants) > 0 && op.Variants[0].Family.Name == ordered.Name
}

// equates reports whether the operator is equality or its negation, under any
// name.
func equates(op *Operator) bool {
	return op == Equal || op == in || op == notEqual || op == notIn
}

func allNumbers(texts []string) bool {
	for _, s := range texts {
		if _, err := literal(numericType, s); err != nil || !isNumeral(s) {
			return false
		}
	}
	return true
}

// isNumeral reports whether the text is a number as JSON has them.
func isNumeral(s string) bool {
	last := s[len(s)-1]
	return last >= '0' && last <= '9' || last == '.'
}

func isDocument(f *schema.Field) bool {
	k := f.Type.Base().Kind
	return k == schema.JSON || k == schema.JSONB
}

// operator looks the operator of a selector up; without one it is equality.
func (b *builder) operator(ops []string, name string, at place) (*Operator, bool) {
	switch len(ops) {
	case 0:
		return Equal, true
	case 1:
		op, ok := operatorNamed(ops[0])
		if !ok {
			b.refuse(unknownOperator(at, ops[0]))
		}
		return op, ok
	default:
		b.refuse(operatorInside(at, parse.Selector{Name: name, Operators: ops}))
		return nil, false
	}
}

// values returns the filter's values: those of the repeated form as they are,
// else the value, split at commas where the operator takes a list.
func values(f *parse.Filter, op *Operator) []string {
	switch {
	case f.List != nil:
		return f.List
	case op.Takes == OneValue || op.Takes == Flag:
		return []string{f.Value}
	default:
		return splitList(f.Value)
	}
}

// splitList splits at commas. `\,` is a comma and `\\` a backslash; any other
// backslash stands for itself (contract 4.3).
func splitList(s string) []string {
	if !strings.ContainsAny(s, `,\`) {
		return []string{s}
	}
	var out []string
	var item strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && (s[i+1] == ',' || s[i+1] == '\\'):
			i++
			item.WriteByte(s[i])
		case c == ',':
			out = append(out, item.String())
			item.Reset()
		default:
			item.WriteByte(c)
		}
	}
	return append(out, item.String())
}
