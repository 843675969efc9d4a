package schema

import (
	"fmt"
	"slices"
	"strings"
)

// chooseModels makes the models: every table but those that are hidden, pure
// join tables or without a usable key.
func (b *builder) chooseModels() {
	for i := range b.catalog.Relations {
		t := b.tables[b.catalog.Relations[i].Table]
		if t.def != &b.catalog.Relations[i] || t.def.Override.Hidden || t.pure {
			continue
		}
		if key := b.chooseKey(t); key != nil {
			b.makeModel(t, key)
		}
	}
	slices.SortFunc(b.models, func(x, y *Model) int { return strings.Compare(x.Type, y.Type) })
	for i, m := range b.models {
		m.Ordinal = i
	}
	b.checkTypes()
}

// chooseKey returns the columns of the id (contract 1.5), nil where there is none.
func (b *builder) chooseKey(t *tableState) []string {
	if len(t.def.Override.ID) > 0 {
		return b.declaredKey(t)
	}
	why, which := "it has no primary key", "a"
	for _, k := range t.def.Keys {
		if !k.Primary {
			continue
		}
		c, found := t.noID(k.Columns)
		if !found {
			return k.Columns
		}
		why, which = fmt.Sprintf("column %q of its primary key has the type %s, whose values make no ids", c, t.columns[c].Type.Name), "another"
	}
	b.note("%s %s is not served: %s; where its rows have %s unique key, name it: %s",
		t.def.Relation, t.def.Table, why, which, b.refuse.model(t.def.Table, "id: [COLUMN]"))
	return nil
}

// noID returns the first of the columns whose values make no ids.
func (t *tableState) noID(columns []string) (column string, found bool) {
	i := slices.IndexFunc(columns, func(c string) bool { return t.types[c] != nil && !t.types[c].identifies() })
	if i < 0 {
		return "", false
	}
	return columns[i], true
}

// declaredKey returns the overlay's id. Tables must have a unique key over
// these columns; of the rest Postgres knows no keys, and it is taken on trust.
func (b *builder) declaredKey(t *tableState) []string {
	columns := t.def.Override.ID
	table := t.def.Relation == OrdinaryTable
	for _, c := range columns {
		switch {
		case t.columns[c] == nil:
			b.refuse.unknownIDColumn(t.def.Table, c)
			return nil
		case !t.types[c].identifies():
			b.refuse.noID(t.def.Table, c, t.columns[c].Type)
		case table && !t.columns[c].NotNull:
			b.refuse.idNullable(t.def.Table, c)
		}
	}
	unique := slices.ContainsFunc(t.def.Keys, func(k KeyDef) bool { return sameSet(k.Columns, columns) })
	switch {
	case unique:
	case table:
		b.refuse.idNotUnique(t.def.Table, columns)
		return nil
	default:
		b.note("%s %s: that %s is unique is taken on trust", t.def.Relation, t.def.Table, strings.Join(columns, ", "))
	}
	return columns
}

func (b *builder) makeModel(t *tableState, key []string) {
	def := t.def
	m := &Model{
		Type:       b.typeOf(def),
		Table:      def.Table,
		Relation:   def.Relation,
		Insertable: def.Insertable && def.Relation != MaterializedView,
		Updatable:  def.Updatable && def.Relation != MaterializedView,
		Deletable:  def.Deletable && def.Relation != MaterializedView,
		attribute:  map[string]*Field{},
	}
	for i, c := range def.Columns {
		if t.columns[c.Name] != &def.Columns[i] {
			continue // twice, and refused
		}
		f := &Field{
			Ordinal:  len(m.Fields),
			Name:     b.fieldName(t, &c),
			Column:   c.Name,
			Type:     t.types[c.Name],
			Nullable: !c.NotNull,
			ReadOnly: c.Generated || c.Override.ReadOnly,
			Default:  c.Default || c.Generated,
			Hidden:   c.Override.Hidden,

			Length: c.Length, Precision: c.Precision, Scale: c.Scale,
		}
		m.Fields = append(m.Fields, f)
		t.field[c.Name] = f
	}
	for _, c := range key {
		m.Key = append(m.Key, t.field[c])
		if t.field[c].Hidden {
			b.refuse.hiddenKey(def.Table, c)
		}
	}
	for _, k := range def.Keys {
		m.Unique = append(m.Unique, UniqueKey{Name: k.Name, Fields: fieldsOf(t, k.Columns), Deferrable: k.Deferrable})
	}
	addConstraints(t, m)
	b.chooseAttributes(t, m)
	b.searchColumns(t)
	t.model = m
	b.models = append(b.models, m)
}

// typeOf returns the served type (contract 1.3).
func (b *builder) typeOf(def *TableDef) string {
	if typ := def.Override.Type; typ != "" {
		if memberName(typ) != typ {
			b.refuse.badType(def.Table, typ)
		}
		return typ
	}
	lower := strings.ToLower(def.Name)
	typ := memberName(lower)
	switch {
	case typ == "":
		b.refuse.badType(def.Table, lower)
	case typ != lower:
		b.note("table %s is served as %q: %q is no member name", def.Table, typ, lower)
	}
	return typ
}

// fieldName returns the member name of a column, also of one that is not served.
func (b *builder) fieldName(t *tableState, c *ColumnDef) string {
	if name := c.Override.Name; name != "" {
		if memberName(name) != name {
			b.refuse.badColumnName(t.def.Table, c.Name, name)
		}
		return name
	}
	name := memberName(c.Name)
	switch {
	case c.Override.Hidden:
	case name == "":
		b.refuse.noColumnName(t.def.Table, c.Name)
	case name != c.Name:
		b.note("table %s: column %q is served as %q", t.def.Table, c.Name, name)
	}
	return name
}

// chooseAttributes fills the attributes in (contract 1.4) and refuses two
// columns of one name and a column called id beside the id.
func (b *builder) chooseAttributes(t *tableState, m *Model) {
	taken := map[string]*Field{}
	for _, f := range m.Fields {
		if f.Hidden || f.Name == "" {
			continue
		}
		single := len(m.Key) == 1 && f == m.Key[0]
		if f.Name == "id" && !single {
			b.refuse.columnNamedID(m.Table, f.Column, columnsOf(m.Key))
			continue
		}
		if other := taken[f.Name]; other != nil {
			b.refuse.attributeClash(m.Table, other.Column, f.Column, f.Name)
			continue
		}
		taken[f.Name] = f
		if single {
			continue
		}
		m.Attributes = append(m.Attributes, f)
		m.attribute[f.Name] = f
	}
}

// searchColumns resolves the overlay's tsvector columns.
func (b *builder) searchColumns(t *tableState) {
	for _, c := range t.def.Columns {
		if c.Override.Search == "" {
			continue
		}
		f := t.field[c.Override.Search]
		if f == nil || !f.Type.Base().BuiltIn() || f.Type.Base().Name != "tsvector" {
			b.refuse.unknownSearch(t.def.Table, c.Name, c.Override.Search)
			continue
		}
		t.field[c.Name].Search = f
	}
}

// checkTypes refuses two models of one type, as types match without case, and
// the reserved one.
func (b *builder) checkTypes() {
	taken := map[string]*Model{}
	for _, m := range b.models {
		lower := strings.ToLower(m.Type)
		if lower == reservedType {
			b.refuse.reservedType(m.Table)
		}
		if other := taken[lower]; other != nil && lower != "" {
			first, second := other.Table, m.Table
			if compareTables(second, first) < 0 {
				first, second = second, first
			}
			b.refuse.typeClash(first, second, lower)
		}
		taken[lower] = m
	}
}

func columnsOf(fields []*Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Column
	}
	return names
}

// sameSet reports whether a and b hold the same names in any order.
func sameSet(a, b []string) bool { return len(a) == len(b) && subset(a, b) && subset(b, a) }

// subset reports whether b holds all names of a.
func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(name string) bool { return !slices.Contains(b, name) })
}
