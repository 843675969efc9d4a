package schema

import "slices"

// A joinPair is two foreign keys of one table which together are unique: a
// many-to-many relationship between the tables that they reference.
type joinPair struct {
	table         *tableState
	first, second *ForeignKey // by name
	pure          bool        // the table has no further columns
}

// ends returns the two tables that the pair joins, in one order.
func (j *joinPair) ends() [2]Table {
	a, b := j.first.References, j.second.References
	if compareTables(b, a) < 0 {
		a, b = b, a
	}
	return [2]Table{a, b}
}

// findJoins finds the join tables (contract 1.8, 1.9).
func (b *builder) findJoins() {
	for i := range b.catalog.Relations {
		t := b.tables[b.catalog.Relations[i].Table]
		if t.def != &b.catalog.Relations[i] {
			continue
		}
		for x, first := range t.keys {
			for _, second := range t.keys[x+1:] {
				columns := union(first.Columns, second.Columns)
				if !joins(t, first, second, columns) {
					continue
				}
				pure := len(t.keys) == 2 && len(columns) == len(t.def.Columns)
				t.pure = t.pure || pure
				b.joins = append(b.joins, &joinPair{table: t, first: first, second: second, pure: pure})
			}
		}
		if o := t.def.Override; t.pure && (o.Type != "" || len(o.ID) > 0) {
			b.refuse.overriddenJoin(t.def.Table)
		}
	}
}

// joins reports whether the two keys make a many-to-many: a unique key over
// just their columns, and neither key within the other, or a row of one side
// would have one row of the other at most.
func joins(t *tableState, first, second *ForeignKey, columns []string) bool {
	return !subset(first.Columns, second.Columns) && !subset(second.Columns, first.Columns) &&
		slices.ContainsFunc(t.def.Keys, func(k KeyDef) bool { return sameSet(k.Columns, columns) })
}

func union(a, b []string) []string {
	u := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(u, name) {
			u = append(u, name)
		}
	}
	return u
}

// usable reports whether a foreign key may be served: hidden tables and hidden
// columns take their relationships with them (contract 1.13).
func (t *tableState) usable(k *ForeignKey) bool {
	return !t.def.Override.Hidden && !slices.ContainsFunc(k.Columns, func(c string) bool { return t.columns[c].Override.Hidden })
}

// unique reports whether no two rows agree in these columns.
func (t *tableState) unique(columns []string) bool {
	if t.model != nil && subset(columnsOf(t.model.Key), columns) {
		return true
	}
	return slices.ContainsFunc(t.def.Keys, func(k KeyDef) bool { return subset(k.Columns, columns) })
}
