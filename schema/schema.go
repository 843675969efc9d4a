package schema

import (
	"fmt"
	"slices"
	"strings"
)

// A Schema is the set of models that are served. It is immutable; a reload
// makes a new one with another Generation.
type Schema struct {
	generation uint64
	models     []*Model
	byType     map[string]*Model // by lower-cased type
	catalog    *Catalog
	notes      []string

	constraints map[constraintName]Constraint
	columns     map[columnName]*Field
}

// Generation tells schemas of one process apart; caches use it in their keys.
func (s *Schema) Generation() uint64 { return s.generation }

// Models returns the models in the order of their types. A model's Ordinal is
// its index here.
func (s *Schema) Models() []*Model { return s.models }

// Model returns the model of a type; types match case-insensitively.
func (s *Schema) Model(typ string) (*Model, bool) {
	m, ok := s.byType[typ]
	if !ok {
		m, ok = s.byType[strings.ToLower(typ)]
	}
	return m, ok
}

// Catalog returns what the schema was made from.
func (s *Schema) Catalog() *Catalog { return s.catalog }

// Notes returns what an operator should know of how the schema came about:
// tables left out and names that were changed, one sentence each.
func (s *Schema) Notes() []string { return s.notes }

// A Table names a relation of the database.
type Table struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
}

// String returns `schema.name`, unquoted, for messages.
func (t Table) String() string { return t.Schema + "." + t.Name }

// A Relation is what a model's table is to Postgres.
type Relation uint8

const (
	OrdinaryTable    Relation = iota + 1 // table, partitioned tables included
	PlainView                            // view
	MaterializedView                     // materialized view
	ForeignTable                         // foreign table
)

var relationNames = [...]string{
	OrdinaryTable: "table", PlainView: "view", MaterializedView: "materialized view", ForeignTable: "foreign table",
}

// String returns the relation as messages and the generated file spell it.
func (r Relation) String() string { return relationNames[r] }

// A Model is one resource type and the table behind it.
type Model struct {
	Ordinal       int    // index in Schema.Models
	Type          string // the served type
	Table         Table
	Relation      Relation
	Key           []*Field // the fields whose values make the id, in key order; never empty
	Fields        []*Field // all columns in column order, hidden ones included; a field's Ordinal is its index
	Attributes    []*Field // what is served as attributes, in column order (contract 1.4)
	Relationships []*Relationship
	References    []*Reference // the table's own foreign keys, served or not
	Insertable    bool         // whether Postgres takes such writes on the relation at all
	Updatable     bool
	Deletable     bool
	Unique        []UniqueKey // the primary key and the other unique keys, by name
	PartialUnique []PartialKey
	Checks        []Check     // the table's CHECK constraints, by name
	Exclusions    []Exclusion // by name

	schema       *Schema
	attribute    map[string]*Field
	relationship map[string]*Relationship
}

// Schema returns the schema that the model belongs to.
func (m *Model) Schema() *Schema { return m.schema }

// A UniqueKey is a primary or unique key of a model's table.
type UniqueKey struct {
	Name   string // the constraint's or the index's, as Postgres's errors give it
	Fields []*Field
	// Deferrable keys are checked at commit; no INSERT ... ON CONFLICT can use them.
	Deferrable bool
}

// Attribute returns the attribute of that name.
func (m *Model) Attribute(name string) (*Field, bool) { f, ok := m.attribute[name]; return f, ok }

// Relationship returns the relationship of that name.
func (m *Model) Relationship(name string) (*Relationship, bool) {
	r, ok := m.relationship[name]
	return r, ok
}

// A Field is one column of a model.
type Field struct {
	Ordinal  int    // index in Model.Fields
	Name     string // the member name
	Column   string
	Type     *Type
	Nullable bool
	ReadOnly bool   // generated, identity always, or made so by the overlay
	Default  bool   // the database fills the column in where an insert leaves it out
	Hidden   bool   // not served; it may still join
	Search   *Field // the tsvector column that serves $search, nil: none

	// The limits of the column's type, as ColumnDef has them.
	Length    int // the most characters, 0: no limit
	Precision int // the most digits, 0: no limit
	Scale     int // of these after the point; it may be negative
}

// A Relationship leads from a model to a target, along a foreign key of the
// model (Own), one of the target, or both foreign keys of a join table (Through).
//
// Rows belong together where From equals To pairwise; over a join table, where
// From equals Through.Near and Through.Far equals To.
type Relationship struct {
	Ordinal int // index in Model.Relationships
	Name    string
	Model   *Model
	Target  *Model
	Many    bool
	Own     bool // the foreign key is in the model's own row
	From    []*Field
	To      []*Field
	Through *Join // nil except for many-to-many
	// ByID reports that To are the target's key in its order, so that From (or
	// Through.Far) spells the target's id.
	ByID bool
	// Constraint is the foreign key's name, as Postgres's errors give it: "" over
	// a join table, and where only the overlay knows the key.
	Constraint string
	// Inverse is the same foreign key (or join table) seen from the target, nil
	// where it is not served.
	Inverse *Relationship
}

// A Join is the join table of a many-to-many relationship.
type Join struct {
	Table Table
	Near  []JoinColumn // pairs with From
	Far   []JoinColumn // pairs with To
	Model *Model       // where the join table is a model itself, else nil
	// The names of the two foreign keys, as Postgres's errors give them: Near's
	// leads to the relationship's model, Far's to its target. "" where only the
	// overlay knows the key.
	NearConstraint string
	FarConstraint  string
}

// A JoinColumn is one column of a join table.
type JoinColumn struct {
	Name string
	Type *Type
}

// Required reports whether a row cannot be without the relationship's target:
// a to-one over own columns none of which may be NULL.
func (r *Relationship) Required() bool { return r.Own && len(r.Cleared()) == 0 }

// Cleared returns the columns of the foreign key that are set to NULL where two
// rows are to belong together no more: those that may be NULL and are no part of
// their row's id. One is enough, so those of which other relationships of the
// row are made stay, unless there are no others. None: the foreign key cannot be
// cleared. It is nil over a join table.
func (r *Relationship) Cleared() []*Field {
	holder, columns := r.Model, r.From
	switch {
	case r.Through != nil:
		return nil
	case !r.Own:
		holder, columns = r.Target, r.To
	}
	var free, shared []*Field
	for _, f := range columns {
		switch {
		case !f.Nullable || slices.Contains(holder.Key, f):
		case holder.refersBy(f, columns):
			shared = append(shared, f)
		default:
			free = append(free, f)
		}
	}
	if len(free) == 0 {
		return shared
	}
	return free
}

// refersBy reports whether the column is part of another foreign key than the
// one of these columns.
func (m *Model) refersBy(f *Field, columns []*Field) bool {
	return slices.ContainsFunc(m.Relationships, func(r *Relationship) bool {
		return r.Own && slices.Contains(r.From, f) && !slices.Equal(r.From, columns)
	})
}

// String returns `type.name`, for messages and plans.
func (r *Relationship) String() string { return fmt.Sprintf("%s.%s", r.Model.Type, r.Name) }
