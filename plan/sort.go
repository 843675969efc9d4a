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
	fields, ok := b.sortFields(mv, key)
	if !ok {
		return nil
	}
	order := make([]Order, len(fields))
	for i, f := range fields {
		order[i] = Order{Path: path, Field: f, Desc: key.Desc}
	}
	return order
}

func (b *builder) sortFields(mv *schema.ModelView, key parse.SortKey) ([]*schema.Field, bool) {
	name := key.Path[len(key.Path)-1]
	field, ok := mv.Attribute(name)
	if !ok {
		if name == idName {
			return mv.Model.Key, true
		}
		if rel, isRel := mv.Relationship(name); isRel {
			b.refuse(sortByRelationship(key, rel))
		} else {
			b.refuse(unknownSortKey(key, name, mv))
		}
		return nil, false
	}
	if !field.Type.Ordered {
		b.refuse(unordered(key, field))
		return nil, false
	}
	return []*schema.Field{field}, true
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
