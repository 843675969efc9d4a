package plan

import (
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// sortParameter orders primary data.
const sortParameter = "sort"

// countOperator makes a to-many relationship a sort key: `-comments$count`.
const countOperator = "count"

// order resolves sort keys and completes them: ties are broken by the id, in
// the direction of the last key (contract 4.9). It takes the place of the query's
// order.
func (b *builder) order(q *Query, keys []parse.SortKey, parameter string) []Order {
	if limit := b.options.Limits.SortKeys; len(keys) > limit {
		b.refuse(tooManySortKeys(parameter, len(keys), limit))
		return nil
	}
	mv, order, desc := b.view.Of(q.Model), q.Order[:0], false
	for _, key := range keys {
		order = b.appendSortKey(order, mv, sorting{key, parameter})
		desc = key.Desc
	}
	return byKey(q.Model, order, desc)
}

// A sorting is a sort key and the parameter that it stands in.
type sorting struct {
	parse.SortKey
	parameter string
}

// by appends the fields to an order.
func (key sorting) by(order []Order, path []*schema.Relationship, fields ...*schema.Field) []Order {
	for _, f := range fields {
		order = append(order, Order{Term: FieldTerm{Path: path, Field: f}, Desc: key.Desc})
	}
	return order
}

// appendSortKey resolves one sort key, which after a refusal is left out. The id
// of a compound key is several.
func (b *builder) appendSortKey(order []Order, mv *schema.ModelView, key sorting) []Order {
	var path []*schema.Relationship
	for _, name := range key.Path[:len(key.Path)-1] {
		rel, ok := mv.Relationship(name)
		switch {
		case !ok:
			b.refuse(unknownSortStep(key, name, mv))
			return order
		case rel.Many:
			b.refuse(sortOverToMany(key, rel))
			return order
		}
		path = append(path, rel)
		mv = b.view.Of(rel.Target)
	}
	if len(key.Operators) > 0 {
		if term, ok := b.sortCount(mv, key, path); ok {
			order = append(order, Order{Term: term, Desc: key.Desc})
		}
		return order
	}
	name := key.Path[len(key.Path)-1]
	if name == idName {
		return key.by(order, path, mv.Model.Key...)
	}
	if rel, ok := mv.Relationship(name); ok {
		return b.appendSortByID(order, key, rel, path)
	}
	field, ok := mv.Attribute(name)
	switch {
	case !ok:
		b.refuse(unknownSortKey(key, name, mv))
		return order
	case !field.Type.Ordered:
		b.refuse(unordered(key, field))
		return order
	}
	return key.by(order, path, field)
}

// sortCount resolves how many rows a to-many relationship reaches.
func (b *builder) sortCount(mv *schema.ModelView, key sorting, path []*schema.Relationship) (CountTerm, bool) {
	name := key.Path[len(key.Path)-1]
	rel, ok := mv.Relationship(name)
	switch {
	case len(key.Operators) > 1 || key.Operators[0] != countOperator:
		b.refuse(unsupportedSortOperator(key))
	case !ok:
		b.refuse(unknownSortStep(key, name, mv))
	case !rel.Many:
		b.refuse(countOfToOne(key, rel))
	default:
		return CountTerm{Path: path, Relationship: rel}, true
	}
	return CountTerm{}, false
}

// appendSortByID sorts by the id that a to-one relationship leads to. A foreign
// key of the row that spells it is taken as it is, so that nothing is joined.
func (b *builder) appendSortByID(order []Order, key sorting, rel *schema.Relationship, path []*schema.Relationship) []Order {
	switch {
	case rel.Many:
		b.refuse(sortOverToMany(key, rel))
		return order
	case rel.Own && rel.ByID:
		return key.by(order, path, rel.From...)
	default:
		return key.by(order, append(path, rel), rel.Target.Key...)
	}
}

// byKey appends those fields of the key by which the order does not sort yet.
func byKey(m *schema.Model, order []Order, desc bool) []Order {
	for _, f := range m.Key {
		if !sortsBy(order, f) {
			order = append(order, Order{Term: FieldTerm{Field: f}, Desc: desc})
		}
	}
	return order
}

func sortsBy(order []Order, f *schema.Field) bool {
	for _, o := range order {
		if t, ok := o.Term.(FieldTerm); ok && t.Field == f && len(t.Path) == 0 {
			return true
		}
	}
	return false
}
