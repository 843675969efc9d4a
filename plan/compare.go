package plan

import (
	"slices"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// A place is where in the request something stands: the parameter, and, in an
// expression, the character.
type place struct {
	parameter string
	offset    int // in the decoded value; -1 for bracket filters
}

func (p place) source() jsonapi.Source { return jsonapi.Parameter(p.parameter) }

// apply compares a term with the texts of the request, as the operator's row
// of the table says; nil after a refusal.
func (b *builder) apply(op *Operator, left Term, texts []string, at place) Cond {
	if op.Negates != nil {
		return negation(b.apply(op.Negates, left, texts, at))
	}
	v, ok := op.variant(left.Type())
	switch {
	case !ok:
		b.refuse(operatorNotOfTerm(at, op.Name, left))
		return nil
	case op == matches && !b.options.AllowRegexp:
		b.refuse(regexpNotAllowed(at))
		return nil
	case len(texts) > b.options.Limits.Values:
		b.refuse(tooManyValues(at, len(texts), b.options.Limits.Values))
		return nil
	case op.Takes == Flag:
		return b.flagged(&Compare{Left: left, Operator: op, Operand: Nothing{}}, texts, at)
	}
	typ := v.operand(left.Type())
	values, ok := b.literals(v, typ, texts, at)
	if !ok {
		return nil
	}
	return b.compare(op, left, typ, values, at)
}

// negation is the condition that holds where c does not; nil stays nil.
func negation(c Cond) Cond {
	switch c := c.(type) {
	case nil:
		return nil
	case *Not:
		return c.Cond
	default:
		return &Not{Cond: c}
	}
}

// literals converts the texts to values of the type.
func (b *builder) literals(v *Variant, t *schema.Type, texts []string, at place) ([]any, bool) {
	values := make([]any, len(texts))
	for i, text := range texts {
		value, err := literal(t, text)
		if err != nil {
			b.refuse(invalidValue(at, text, err))
			return nil, false
		}
		if s, isText := value.(string); isText && v.Literal != nil {
			value = v.Literal(s)
		}
		values[i] = value
	}
	return values, true
}

// compare builds the comparison of a term with values of the type.
func (b *builder) compare(op *Operator, left Term, t *schema.Type, values []any, at place) Cond {
	switch op.Takes {
	case AnyValue:
		if _, isBool := values[0].(bool); isBool {
			return truths(left, values)
		}
		if len(values) > 1 {
			return &Compare{Left: left, Operator: op, Operand: Any{b.slot(sliceOf(values), at.source()), t}}
		}
		return &Compare{Left: left, Operator: op, Operand: One{b.slot(values[0], at.source()), t}}
	case AllValues:
		return &Compare{Left: left, Operator: op, Operand: Any{b.slot(sliceOf(values), at.source()), t}}
	case OneValue:
		if len(values) != 1 {
			b.refuse(notOneValue(at, op.Name, len(values)))
			return nil
		}
		c := &Compare{Left: left, Operator: op, Operand: One{b.slot(values[0], at.source()), t}}
		if op == search {
			c.Config = b.options.SearchLanguage
		}
		return c
	case TwoValues:
		if len(values) != 2 {
			b.refuse(notTwoValues(at, op.Name, len(values)))
			return nil
		}
		return &Compare{Left: left, Operator: op, Operand: Two{b.slot(values[0], at.source()), b.slot(values[1], at.source()), t}}
	default:
		panic("plan: an operator of no known arity")
	}
}

// flagged is the condition itself for true, and its negation for false.
func (b *builder) flagged(c Cond, texts []string, at place) Cond {
	switch {
	case slices.Equal(texts, []string{"true"}):
		return c
	case slices.Equal(texts, []string{"false"}):
		return negation(c)
	default:
		b.refuse(notAFlag(at, strings.Join(texts, ",")))
		return nil
	}
}

// truths compares a boolean term with true, false or either.
func truths(left Term, values []any) Cond {
	var conds []Cond
	for _, truth := range []bool{false, true} {
		if slices.Contains(values, any(truth)) {
			conds = append(conds, &Compare{Left: left, Operator: Equal, Operand: Truth(truth)})
		}
	}
	if len(conds) == 1 {
		return conds[0]
	}
	return &Or{Conds: conds}
}

// related resolves a condition on where a relationship leads: to one of the
// ids, to none of them, or, for a to-one, nowhere.
func (b *builder) related(op *Operator, rel *schema.Relationship, texts []string, at place) Cond {
	switch {
	case op == Equal || op == in:
		return b.linkedTo(rel, texts, at)
	case op == present && !rel.Many:
		return b.leadsSomewhere(rel, texts, at)
	case op.Negates != nil && (op != isNull || !rel.Many):
		return negation(b.related(op.Negates, rel, texts, at))
	default:
		b.refuse(operatorNotOfRelationship(at, op.Name, rel))
		return nil
	}
}

// leadsSomewhere holds where a to-one relationship has a target: where the
// row's own foreign key has a value, else where there is a row that the caller
// may see.
func (b *builder) leadsSomewhere(rel *schema.Relationship, texts []string, at place) Cond {
	if !rel.Own {
		return b.flagged(&Some{Relationship: rel}, texts, at)
	}
	all := make([]Cond, len(rel.From))
	for i, f := range rel.From {
		all[i] = &Compare{Left: FieldTerm{Field: f}, Operator: present, Operand: Nothing{}}
	}
	if len(all) == 1 {
		return b.flagged(all[0], texts, at)
	}
	return b.flagged(&And{Conds: all}, texts, at)
}

// linkedTo holds where the relationship leads to a resource with one of the
// ids. A foreign key of the row itself is an attribute and is compared as it
// is; other rows count only where the caller sees them (contract 4.2).
func (b *builder) linkedTo(rel *schema.Relationship, ids []string, at place) Cond {
	if rel.Own && rel.ByID {
		return b.idIn(rel.Target, rel.From, ids, at)
	}
	inner := b.idIn(rel.Target, rel.Target.Key, ids, at)
	if inner == nil {
		return nil
	}
	return &Some{Relationship: rel, Cond: inner}
}

// idIn holds where the columns spell one of the ids of the model. The values
// have the key's types: a foreign key may be narrower than the key.
func (b *builder) idIn(m *schema.Model, columns []*schema.Field, ids []string, at place) Cond {
	if len(ids) > b.options.Limits.Values {
		b.refuse(tooManyValues(at, len(ids), b.options.Limits.Values))
		return nil
	}
	parts := make([][]any, len(columns))
	for _, id := range ids {
		values, err := b.parseID(m, id)
		if err != nil {
			b.refuse(invalidFilterID(at, m, id, err))
			return nil
		}
		for i, v := range values {
			parts[i] = append(parts[i], v)
		}
	}
	if len(columns) == 1 {
		return b.compare(Equal, FieldTerm{Field: columns[0]}, m.Key[0].Type, parts[0], at)
	}
	if len(ids) == 1 {
		all := make([]Cond, len(columns))
		for i, column := range columns {
			all[i] = b.compare(Equal, FieldTerm{Field: column}, m.Key[i].Type, parts[i], at)
		}
		return &And{Conds: all}
	}
	keys := &Keys{Fields: columns, Types: make([]*schema.Type, len(columns)), Slots: make([]Slot, len(columns))}
	for i := range columns {
		keys.Types[i], keys.Slots[i] = m.Key[i].Type, b.slot(sliceOf(parts[i]), at.source())
	}
	return keys
}

// sliceOf gives values of one kind their common slice type.
func sliceOf(values []any) any {
	if len(values) == 0 {
		return []string{} // an empty array is written alike for every kind
	}
	switch values[0].(type) {
	case bool:
		return typed[bool](values)
	case int64:
		return typed[int64](values)
	case float64:
		return typed[float64](values)
	case string:
		return typed[string](values)
	case []byte:
		return typed[[]byte](values)
	default:
		panic("plan: a value of no known kind")
	}
}

func typed[T any](values []any) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = v.(T)
	}
	return out
}
