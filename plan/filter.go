package plan

import (
	"slices"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// idName is the name by which filters and sort keys call the resource's id.
const idName = "id"

// filters resolves the bracket filters, each to one condition.
func (b *builder) filters(mv *schema.ModelView) []Cond {
	var conds []Cond
	for i := range b.request.Filters {
		f := &b.request.Filters[i]
		// Each relationship of a path is a join, so each counts.
		if b.conditions += len(f.Path); b.conditions > b.options.Limits.Conditions {
			b.refuse(tooManyConditions(f.Parameter, b.options.Limits.Conditions))
			break
		}
		if len(f.Path)-1 > b.options.Limits.FilterDepth {
			b.refuse(filterTooDeep(f.Parameter, b.options.Limits.FilterDepth))
			continue
		}
		if c := b.filter(mv, f, f.Path); c != nil {
			conds = append(conds, c)
		}
	}
	return conds
}

// filter resolves what is left of a filter's path; nil after a refusal.
func (b *builder) filter(mv *schema.ModelView, f *parse.Filter, path []parse.Selector) Cond {
	sel, rest := path[0], path[1:]
	if len(sel.Operators) > 0 {
		b.refuse(unsupportedOperator(f.Parameter, sel, mv))
		return nil
	}
	if rel, ok := mv.Relationship(sel.Name); ok {
		if len(rest) == 0 {
			return b.linkedTo(f, rel)
		}
		inner := b.filter(b.view.Of(rel.Target), f, rest)
		if inner == nil {
			return nil
		}
		return &Some{Relationship: rel, Cond: inner}
	}
	field, isField := mv.Attribute(sel.Name)
	isID := sel.Name == idName
	switch {
	case !isField && !isID:
		b.refuse(unknownInFilter(f.Parameter, sel.Name, mv))
		return nil
	case len(rest) > 0:
		b.refuse(notARelationship(f.Parameter, sel.Name, mv))
		return nil
	case isID:
		return b.idIn(f, mv.Model, mv.Model.Key)
	default:
		return b.equals(f, field)
	}
}

// linkedTo holds where the relationship leads to a resource with one of the
// ids. A foreign key of the row itself is an attribute and is compared as it
// is; other rows count only where the caller sees them (contract 4.2).
func (b *builder) linkedTo(f *parse.Filter, rel *schema.Relationship) Cond {
	if rel.Own && rel.ByID {
		return b.idIn(f, rel.Target, rel.From)
	}
	inner := b.idIn(f, rel.Target, rel.Target.Key)
	if inner == nil {
		return nil
	}
	return &Some{Relationship: rel, Cond: inner}
}

// equals compares one field with the filter's values.
func (b *builder) equals(f *parse.Filter, field *schema.Field) Cond {
	if !Equal.Applies(field.Type) {
		b.refuse(operatorNotOfField(f.Parameter, Equal.Name, field))
		return nil
	}
	texts, ok := b.list(f)
	if !ok {
		return nil
	}
	values := make([]any, 0, len(texts))
	for _, text := range texts {
		v, err := literal(field.Type, text)
		if err != nil {
			b.refuse(invalidValue(f.Parameter, text, err))
			return nil
		}
		values = append(values, v)
	}
	return b.compare(field, values, jsonapi.Parameter(f.Parameter))
}

// compare builds the equality of a field with one value or with any of several.
func (b *builder) compare(field *schema.Field, values []any, at jsonapi.Source) Cond {
	if _, isBool := values[0].(bool); isBool {
		return truths(field, values)
	}
	if len(values) == 1 {
		return &Compare{Field: field, Operator: Equal, Operand: One{b.slot(values[0], at)}}
	}
	return &Compare{Field: field, Operator: Equal, Operand: Any{b.slot(sliceOf(values), at)}}
}

// truths compares a boolean field with true, false or either.
func truths(field *schema.Field, values []any) Cond {
	var conds []Cond
	for _, truth := range []bool{false, true} {
		if slices.Contains(values, any(truth)) {
			conds = append(conds, &Compare{Field: field, Operator: Equal, Operand: Truth(truth)})
		}
	}
	if len(conds) == 1 {
		return conds[0]
	}
	return &Or{Conds: conds}
}

// idIn holds where the columns spell one of the filter's ids of the model.
func (b *builder) idIn(f *parse.Filter, m *schema.Model, columns []*schema.Field) Cond {
	ids, ok := b.list(f)
	if !ok {
		return nil
	}
	parts := make([][]any, len(columns))
	for _, id := range ids {
		values, err := b.parseID(m, id)
		if err != nil {
			b.refuse(invalidFilterID(f.Parameter, m, id, err))
			return nil
		}
		for i, v := range values {
			parts[i] = append(parts[i], v)
		}
	}
	at := jsonapi.Parameter(f.Parameter)
	if len(columns) == 1 {
		return b.compare(columns[0], parts[0], at)
	}
	if len(ids) == 1 {
		all := make([]Cond, len(columns))
		for i, column := range columns {
			all[i] = b.compare(column, parts[i], at)
		}
		return &And{Conds: all}
	}
	keys := &Keys{Fields: columns, Slots: make([]Slot, len(columns))}
	for i := range columns {
		keys.Slots[i] = b.slot(sliceOf(parts[i]), at)
	}
	return keys
}

// list returns the filter's values: the repeated form as it is, the plain form
// split at commas.
func (b *builder) list(f *parse.Filter) ([]string, bool) {
	values := f.List
	if values == nil {
		values = splitList(f.Value)
	}
	if len(values) > b.options.Limits.Values {
		b.refuse(tooManyValues(f.Parameter, len(values), b.options.Limits.Values))
		return nil, false
	}
	return values, true
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

// sliceOf gives values of one kind their common slice type.
func sliceOf(values []any) any {
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
