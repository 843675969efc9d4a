package schema

import "slices"

// A PartialKey is a unique index over expressions or some of the rows. It
// names the columns of a violation and identifies nothing.
type PartialKey struct {
	Name   string
	Fields []*Field // the plain columns in key order, then those that expressions use
}

// A Check is a CHECK constraint of a model's table.
type Check struct {
	Name       string
	Fields     []*Field // the columns that the expression uses
	Expression string   // as Postgres prints it with an empty search path
}

// An Exclusion is an exclusion constraint of a model's table.
type Exclusion struct {
	Name   string
	Fields []*Field // its plain columns in order
}

// A ConstraintKind says which rule a constraint is.
type ConstraintKind uint8

const (
	Unique               ConstraintKind = iota + 1 // primary and unique keys and unique indexes, partial ones included
	ForeignKeyConstraint                           // foreign keys of the database, served or not
	CheckConstraint
	ExclusionConstraint
)

// A Constraint is what a name in an error of Postgres stands for.
type Constraint struct {
	Kind       ConstraintKind
	Model      *Model   // of the table that has the constraint, nil where it is no model: of pure join tables
	Fields     []*Field // the model's, those of Columns; nil where Model is
	Columns    []string // as the catalogue lists them
	References *Model   // of foreign keys, nil where the referenced table is no model
}

// Constraint returns the constraint that an error of Postgres names together
// with its table. Partitions, whose constraints may have other names, are
// found too; the constraint is that of the partitioned table.
func (s *Schema) Constraint(t Table, name string) (Constraint, bool) {
	c, ok := s.constraints[constraintName{t, name}]
	return c, ok
}

// Column returns the field of a column that an error of Postgres names
// together with its table, hidden fields included; for a partition, that of
// the partitioned table.
func (s *Schema) Column(t Table, column string) (*Field, bool) {
	f, ok := s.columns[columnName{t, column}]
	return f, ok
}

type constraintName struct {
	table Table
	name  string
}

type columnName struct {
	table  Table
	column string
}

// addConstraints fills in what rows of the model's table may violate beside
// its keys. The catalogue has each list by name.
func addConstraints(t *tableState, m *Model) {
	for _, k := range t.def.PartialKeys {
		m.PartialUnique = append(m.PartialUnique, PartialKey{Name: k.Name, Fields: knownFields(t, k.Columns)})
	}
	for _, c := range t.def.Checks {
		m.Checks = append(m.Checks, Check{Name: c.Name, Fields: knownFields(t, c.Columns), Expression: c.Expression})
	}
	for _, e := range t.def.Exclusions {
		m.Exclusions = append(m.Exclusions, Exclusion{Name: e.Name, Fields: knownFields(t, e.Columns)})
	}
}

// knownFields returns the fields of those columns that the model has.
func knownFields(t *tableState, columns []string) []*Field {
	var fields []*Field
	for _, c := range columns {
		if f := t.field[c]; f != nil {
			fields = append(fields, f)
		}
	}
	return fields
}

// constraints returns all constraints of the catalogue under every name that
// Postgres's errors give them.
func (b *builder) constraints() map[constraintName]Constraint {
	own := map[constraintName]Constraint{}
	for i := range b.catalog.Relations {
		def := &b.catalog.Relations[i]
		for _, k := range def.Keys {
			own[constraintName{def.Table, k.Name}] = b.constraint(Unique, def.Table, k.Columns)
		}
		for _, k := range def.PartialKeys {
			own[constraintName{def.Table, k.Name}] = b.constraint(Unique, def.Table, k.Columns)
		}
		for _, c := range def.Checks {
			own[constraintName{def.Table, c.Name}] = b.constraint(CheckConstraint, def.Table, c.Columns)
		}
		for _, e := range def.Exclusions {
			own[constraintName{def.Table, e.Name}] = b.constraint(ExclusionConstraint, def.Table, e.Columns)
		}
	}
	for i := range b.catalog.ForeignKeys {
		k := &b.catalog.ForeignKeys[i]
		if k.Override.Declared || b.tables[k.Table] == nil {
			continue
		}
		c := b.constraint(ForeignKeyConstraint, k.Table, k.Columns)
		if to := b.tables[k.References]; to != nil {
			c.References = to.model
		}
		own[constraintName{k.Table, k.Name}] = c
	}
	return b.withClones(own)
}

func (b *builder) constraint(kind ConstraintKind, table Table, columns []string) Constraint {
	t := b.tables[table]
	c := Constraint{Kind: kind, Model: t.model, Columns: columns}
	if t.model != nil {
		c.Fields = knownFields(t, columns)
	}
	return c
}

// withClones returns the constraints together with what they are on
// partitions. A partition's constraint has the name of the partitioned table's
// where no clone says otherwise.
func (b *builder) withClones(own map[constraintName]Constraint) map[constraintName]Constraint {
	all := make(map[constraintName]Constraint, len(own))
	for name, c := range own {
		all[name] = c
		for _, p := range b.tables[name.table].def.Partitions {
			all[constraintName{p, name.name}] = c
		}
	}
	for i := range b.catalog.Relations {
		def := &b.catalog.Relations[i]
		for _, clone := range def.Clones {
			if c, ok := own[constraintName{def.Table, clone.Of}]; ok {
				all[constraintName{clone.Table, clone.Name}] = c
			}
		}
	}
	return all
}

// columns returns the fields of all models under the tables that Postgres's
// errors name.
func (b *builder) columns() map[columnName]*Field {
	columns := map[columnName]*Field{}
	for _, m := range b.models {
		for _, t := range slices.Concat([]Table{m.Table}, b.tables[m.Table].def.Partitions) {
			for _, f := range m.Fields {
				columns[columnName{t, f.Column}] = f
			}
		}
	}
	return columns
}

// constraint returns the name that Postgres knows the key by, "" for one that
// only the overlay declares.
func (k *ForeignKey) constraint() string {
	if k.Override.Declared {
		return ""
	}
	return k.Name
}
