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
// the direction of the last key (contract 4.9).
func (b *builder) order(mv *schema.ModelView, keys []parse.SortKey, parameter string) []Order {
	if limit := b.options.Limits.SortKeys; len(keys) > limit {
		b.refuse(tooManySortKeys(parameter, len(keys), limit))
		return nil
	}
	var order []Order
	desc := false
	for _, key := range keys {
		order = append(order, b.sortKey(mv, sorting{key, parameter})...)
		desc = key.Desc
	}
	return byKey(mv.Model, order, desc)
}

// A sorting is a sort key and the parameter that it stands in.
type sorting struct {
	parse.SortKey
	parameter string
}

// sortKey resolves one sort key. The id of a compound key is several.
func (b *builder) sortKey(mv *schema.ModelView, key sorting) []Order {
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
	if len(key.Operators) > 0 {
		return b.sortByCount(mv, key, path)
	}
	path, fields, ok := b.sortFields(mv, key, path)
	if !ok {
		return nil
	}
	order := make([]Order, len(fields))
	for i, f := range fields {
		order[i] = Order{Term: FieldTerm{Path: path, Field: f}, Desc: key.Desc}
	}
	return order
}

// sortByCount sorts by how many rows a to-many relationship reaches.
func (b *builder) sortByCount(mv *schema.ModelView, key sorting, path []*schema.Relationship) []Order {
	name := key.Path[len(key.Path)-1]
	rel, ok := mv.Relationship(name)
	switch {
	case len(key.Operators) > 1 || key.Operators[0] != countOperator:
		b.refuse(unsupportedSortOperator(key))
		return nil
	case !ok:
		b.refuse(unknownSortStep(key, name, mv))
		return nil
	case !rel.Many:
		b.refuse(countOfToOne(key, rel))
		return nil
	}
	return []Order{{Term: CountTerm{Path: path, Relationship: rel}, Desc: key.Desc}}
}

// sortFields resolves the last name of a sort key, behind the steps before it.
// A to-one relationship sorts by its id.
func (b *builder) sortFields(mv *schema.ModelView, key sorting, path []*schema.Relationship) ([]*schema.Relationship, []*schema.Field, bool) {
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
func (b *builder) sortByID(key sorting, rel *schema.Relationship, path []*schema.Relationship) ([]*schema.Relationship, []*schema.Field, bool) {
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
