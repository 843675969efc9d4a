package plan

import (
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// order resolves `sort` and completes it: ties are broken by the id, in the
// direction of the last key (contract 4.9).
func (b *builder) order(mv *schema.ModelView) []Order {
	keys := b.request.Sort
	if limit := b.options.Limits.SortKeys; len(keys) > limit {
		b.refuse(tooManySortKeys(len(keys), limit))
		return nil
	}
	var order []Order
	desc := false
	for _, key := range keys {
		order = append(order, b.sortKey(mv, key)...)
		desc = key.Desc
	}
	return byKey(mv.Model, order, desc)
}

// sortKey resolves one sort key. The id of a compound key is several.
func (b *builder) sortKey(mv *schema.ModelView, key parse.SortKey) []Order {
	if len(key.Operators) > 0 {
		b.refuse(unsupportedSortOperator(key))
		return nil
	}
	var path []*schema.Relationship
	for _, name := range key.Path[:len(key.Path)-1] {
		rel, ok := mv.Relationship(name)
		switch {
		case !ok:
			b.refuse(unknownSortStep(key, name, mv))
			return nil
		case rel.Many:
			b.refuse(sortOverToMany(key, rel))
			return nil
		}
		path = append(path, rel)
		mv = b.view.Of(rel.Target)
	}
	path, fields, ok := b.sortFields(mv, key, path)
	if !ok {
		return nil
	}
	order := make([]Order, len(fields))
	for i, f := range fields {
		order[i] = Order{Path: path, Field: f, Desc: key.Desc}
	}
	return order
}

// sortFields resolves the last name of a sort key, behind the steps before it.
// A to-one relationship sorts by its id.
func (b *builder) sortFields(mv *schema.ModelView, key parse.SortKey, path []*schema.Relationship) ([]*schema.Relationship, []*schema.Field, bool) {
	name := key.Path[len(key.Path)-1]
	if name == idName {
		return path, mv.Model.Key, true
	}
	if rel, ok := mv.Relationship(name); ok {
		return b.sortByID(key, rel, path)
	}
	field, ok := mv.Attribute(name)
	switch {
	case !ok:
		b.refuse(unknownSortKey(key, name, mv))
		return nil, nil, false
	case !field.Type.Ordered:
		b.refuse(unordered(key, field))
		return nil, nil, false
	}
	return path, []*schema.Field{field}, true
}

// sortByID sorts by the id that a relationship leads to. A foreign key of the
// row that spells it is taken as it is, so that nothing is joined.
func (b *builder) sortByID(key parse.SortKey, rel *schema.Relationship, path []*schema.Relationship) ([]*schema.Relationship, []*schema.Field, bool) {
	switch {
	case rel.Many:
		b.refuse(sortOverToMany(key, rel))
		return nil, nil, false
	case rel.Own && rel.ByID:
		return path, rel.From, true
	default:
		return append(path, rel), rel.Target.Key, true
	}
}

// byKey appends those fields of the key by which the order does not sort yet.
func byKey(m *schema.Model, order []Order, desc bool) []Order {
	for _, f := range m.Key {
		if !sortsBy(order, f) {
			order = append(order, Order{Field: f, Desc: desc})
		}
	}
	return order
}

func sortsBy(order []Order, f *schema.Field) bool {
	for _, o := range order {
		if o.Field == f && len(o.Path) == 0 {
			return true
		}
	}
	return false
}
