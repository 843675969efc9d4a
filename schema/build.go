package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// generations counts the schemas of this process.
var generations atomic.Uint64

// FromCatalog makes the schema of a catalogue: it chooses what is served and
// gives everything its public name, after section 1 of the contract. The order
// of the catalogue's lists has no influence, but for the columns of a table
// and Schemas, whose first is the default. Everything that keeps the catalogue
// from being served is in the one error; each part of it names table, column
// and the overlay's line that puts it right.
func FromCatalog(c *Catalog) (*Schema, error) {
	b := &builder{
		catalog: c.sorted(),
		refuse:  refusals{schemas: c.Schemas},
		tables:  map[Table]*tableState{},
	}
	b.types = newTypeSet(b.catalog.Types)
	b.readTables()
	b.readForeignKeys()
	b.findJoins()
	b.chooseModels()
	b.addReferences()
	newLinker(b).relate()
	if err := errors.Join(b.refuse.errs...); err != nil {
		return nil, fmt.Errorf("the schema cannot be served:\n%w", err)
	}
	s := &Schema{
		generation: generations.Add(1),
		models:     b.models,
		byType:     make(map[string]*Model, len(b.models)),
		catalog:    b.catalog,
		notes:      b.notes,

		constraints: b.constraints(),
		columns:     b.columns(),
	}
	for _, m := range b.models {
		m.schema = s
		s.byType[m.Type] = m
		s.byType[strings.ToLower(m.Type)] = m
	}
	return s, nil
}

// A builder holds a schema while it is made.
type builder struct {
	catalog *Catalog
	types   *typeSet
	tables  map[Table]*tableState
	keys    []*ForeignKey // those between known tables, none twice, by name
	joins   []*joinPair
	models  []*Model
	notes   []string
	refuse  refusals
}

// A tableState is what is known of one table of the catalogue.
type tableState struct {
	def     *TableDef
	columns map[string]*ColumnDef
	types   map[string]*Type
	keys    []*ForeignKey // the table's own foreign keys, by name
	pure    bool          // a pure join table: not a model
	model   *Model        // nil where it is not served
	field   map[string]*Field
}

func (b *builder) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// readTables indexes tables and columns and resolves the columns' types.
func (b *builder) readTables() {
	for i := range b.catalog.Relations {
		def := &b.catalog.Relations[i]
		if b.tables[def.Table] != nil {
			b.refuse.add("table %s is twice in the catalogue", def.Table)
			continue
		}
		if int(def.Relation) >= len(relationNames) || def.Relation == 0 {
			b.refuse.add("table %s has no relation kind in the catalogue", def.Table)
		}
		t := &tableState{def: def, columns: map[string]*ColumnDef{}, types: map[string]*Type{}, field: map[string]*Field{}}
		b.tables[def.Table] = t
		for j := range def.Columns {
			b.readColumn(t, &def.Columns[j])
		}
		for _, k := range def.Keys {
			b.checkColumns(t, k.Columns, fmt.Sprintf("key %q", k.Name))
		}
	}
}

func (b *builder) readColumn(t *tableState, c *ColumnDef) {
	if t.columns[c.Name] != nil {
		b.refuse.add("table %s has the column %q twice in the catalogue", t.def.Table, c.Name)
		return
	}
	typ, err := b.types.resolve(c.Type)
	if err != nil {
		b.refuse.add("table %s: column %q: %w", t.def.Table, c.Name, err)
		typ = &Type{Kind: Text, Schema: c.Type.Schema, Name: c.Type.Name}
	}
	if c.Loose {
		loose := *typ
		loose.Loose = true
		typ = &loose
	}
	t.columns[c.Name], t.types[c.Name] = c, typ
}

// checkColumns reports whether the table has all the columns that something
// of the catalogue names.
func (b *builder) checkColumns(t *tableState, columns []string, of string) bool {
	ok := len(columns) > 0
	if !ok {
		b.refuse.add("table %s: %s has no columns in the catalogue", t.def.Table, of)
	}
	for _, c := range columns {
		if t.columns[c] == nil {
			b.refuse.add("table %s: %s names the column %q, which the catalogue has not", t.def.Table, of, c)
			ok = false
		}
	}
	return ok
}

// readForeignKeys keeps the foreign keys between known tables. A key to a
// table that is not exposed is no relationship, nor is one over values that no
// relationship can follow; one that says the same as another key is dropped,
// or its relationships would be there twice.
func (b *builder) readForeignKeys() {
	for i := range b.catalog.ForeignKeys {
		k := &b.catalog.ForeignKeys[i]
		from, to := b.tables[k.Table], b.tables[k.References]
		if from == nil || to == nil || !b.checkForeignKey(k, from, to) {
			continue
		}
		if c, found := from.unrelated(k.Columns); found {
			b.note("table %s: foreign key %s is not served: its column %q has the type %s, whose values no relationship can follow",
				k.Table, k.Name, c, from.columns[c].Type.Name)
			continue
		}
		if first := sameKey(from.keys, k); first != nil {
			if first.Override == (ForeignKeyOverride{}) {
				first.Override = k.Override
			}
			b.note("table %s: foreign key %s says the same as %s and is not served", k.Table, k.Name, first.Name)
			continue
		}
		from.keys = append(from.keys, k)
		b.keys = append(b.keys, k)
	}
}

func (b *builder) checkForeignKey(k *ForeignKey, from, to *tableState) bool {
	of := fmt.Sprintf("foreign key %q", k.Name)
	if !b.checkColumns(from, k.Columns, of) || !b.checkColumns(to, k.RefColumns, of) {
		return false
	}
	if len(k.Columns) != len(k.RefColumns) {
		b.refuse.add("table %s: %s pairs %d columns with %d", k.Table, of, len(k.Columns), len(k.RefColumns))
		return false
	}
	if k.Override.Declared {
		if c, found := from.unrelated(k.Columns); found {
			b.refuse.declaredNotRelating(*k, c, from.columns[c].Type)
			return false
		}
		for i := range k.Columns {
			if !relatable(from.types[k.Columns[i]], to.types[k.RefColumns[i]]) {
				b.refuse.declaredTypes(*k, k.Columns[i], k.RefColumns[i])
				return false
			}
		}
	}
	return true
}

// unrelated returns the first of the columns whose values no relationship can
// follow. The columns that a foreign key pairs with them are of like types.
func (t *tableState) unrelated(columns []string) (column string, found bool) {
	i := slices.IndexFunc(columns, func(c string) bool { return !t.types[c].relates() })
	if i < 0 {
		return "", false
	}
	return columns[i], true
}

// relatable reports whether a declared foreign key may relate the types:
// Postgres has vouched for the others.
func relatable(a, b *Type) bool {
	a, b = a.Base(), b.Base()
	integer := func(t *Type) bool { return t.Kind == Int2 || t.Kind == Int4 || t.Kind == Int8 }
	return a == b || a.Kind == Text && b.Kind == Text && a.Equal && b.Equal || integer(a) && integer(b)
}

func sameKey(keys []*ForeignKey, k *ForeignKey) *ForeignKey {
	for _, other := range keys {
		if other.References == k.References && slices.Equal(pairs(other), pairs(k)) {
			return other
		}
	}
	return nil
}

// pairs returns the column pairs of a key in one order.
func pairs(k *ForeignKey) [][2]string {
	p := make([][2]string, len(k.Columns))
	for i := range k.Columns {
		p[i] = [2]string{k.Columns[i], k.RefColumns[i]}
	}
	slices.SortFunc(p, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return p
}
