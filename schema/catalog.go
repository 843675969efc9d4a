package schema

// A Catalog is what a database holds, as far as it is served: plain data, in
// any order, without public names. It is the content of the generated file.
// FromCatalog makes the Schema. The members named Override are what an overlay
// (schema/overlay) says; an introspected catalogue has none.
type Catalog struct {
	// Schemas are the exposed Postgres schemas; the first one is the default.
	Schemas     []string     `json:"schemas"`
	Relations   []TableDef   `json:"tables"`
	ForeignKeys []ForeignKey `json:"foreignKeys"`
	Types       []TypeDef    `json:"types"` // every type that a column uses, and what these are made of; built-in ones included
}

// A TableDef is one table, view, materialized view or foreign table.
type TableDef struct {
	Table
	Relation Relation    `json:"relation"`
	Columns  []ColumnDef `json:"columns"` // in column order
	Keys     []KeyDef    `json:"keys"`    // the primary key and every unique key that is neither partial nor over expressions
	// PartialKeys, Checks and Exclusions are the other constraints that a
	// row may violate.
	PartialKeys []PartialKeyDef `json:"partialKeys,omitempty"`
	Checks      []CheckDef      `json:"checks,omitempty"`
	Exclusions  []ExclusionDef  `json:"exclusions,omitempty"`
	// Partitions are the tables, at every depth, that hold the rows of a
	// partitioned one: Postgres's errors name them in its place.
	Partitions []Table    `json:"partitions,omitempty"`
	Clones     []CloneDef `json:"clones,omitempty"`
	Insertable bool       `json:"insertable"`
	Updatable  bool       `json:"updatable"`
	Deletable  bool       `json:"deletable"`

	Override TableOverride `json:"override,omitzero"`
}

// A ColumnDef is one column.
type ColumnDef struct {
	Name      string  `json:"name"`
	Type      TypeRef `json:"type"`
	NotNull   bool    `json:"notNull,omitzero"`
	Default   bool    `json:"default,omitzero"`   // has a default or is an identity
	Generated bool    `json:"generated,omitzero"` // generated column, or identity always
	Loose     bool    `json:"loose,omitzero"`     // of a nondeterministic collation: different texts may be equal

	// What the type's modifier says, the column's own or that of its domain;
	// nothing where the column is an array.
	Length    int `json:"length,omitzero"`    // of varchar(n) and char(n): the most characters; 0: no limit
	Precision int `json:"precision,omitzero"` // of numeric(p,s): the digits; 0: no limit, and Scale has no meaning
	Scale     int `json:"scale,omitzero"`     // the digits after the point, negative where some before it are rounded off

	Override ColumnOverride `json:"override,omitzero"`
}

// A KeyDef is a primary or unique key.
type KeyDef struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"` // in key order
	Primary bool     `json:"primary,omitzero"`
	// NullsDistinct is false where the key counts NULLs as equal.
	NullsDistinct bool `json:"nullsDistinct,omitzero"`
	// Deferrable is true where the key is checked at commit: it identifies
	// rows, but no INSERT ... ON CONFLICT can use it.
	Deferrable bool `json:"deferrable,omitzero"`
}

// A PartialKeyDef is a unique index that does not hold for whole rows and plain
// columns. It identifies nothing, but rows violate it.
type PartialKeyDef struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns,omitempty"` // the plain ones in key order, then those that expressions use
}

// A CheckDef is a CHECK constraint of a table.
type CheckDef struct {
	Name       string   `json:"name"`
	Columns    []string `json:"columns,omitempty"` // that the expression uses
	Expression string   `json:"expression"`        // as Postgres prints it with an empty search path
}

// An ExclusionDef is an exclusion constraint of a table, a temporal key included.
type ExclusionDef struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns,omitempty"` // the plain ones in order
}

// A CloneDef is the other name that a constraint has on a partition, or on the
// table whose foreign key leads to one.
type CloneDef struct {
	Table Table  `json:"table"` // what Postgres's errors name with it
	Name  string `json:"name"`
	Of    string `json:"of"` // the name of the constraint on the table that the clone is listed under
}

// A ForeignKey is a foreign key constraint, or one that an overlay declares.
type ForeignKey struct {
	Name       string   `json:"name"`
	Table      Table    `json:"table"`
	Columns    []string `json:"columns"`
	References Table    `json:"references"`
	RefColumns []string `json:"refColumns"` // pairs with Columns

	Override ForeignKeyOverride `json:"override,omitzero"`
}

// A TypeRef names a type of Catalog.Types.
type TypeRef struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
}

// A TypeDef is a type. Arrays are types of their own, named as in pg_type (_int4).
type TypeDef struct {
	TypeRef
	Kind    Kind        `json:"kind"`
	Elem    TypeRef     `json:"elem,omitzero"`  // of ranges, arrays and domains; of multiranges what their ranges are over
	Multi   bool        `json:"multi,omitzero"` // of kind range: a multirange
	Labels  []string    `json:"labels,omitzero"`
	Members []MemberDef `json:"members,omitzero"`
	Equal   bool        `json:"equal,omitzero"`
	Ordered bool        `json:"ordered,omitzero"`
	// Operators is the schema of the type's own `=`; empty: pg_catalog. Domains
	// have those of what they are over.
	Operators string `json:"operators,omitzero"`
}

// A MemberDef is one attribute of a composite type.
type MemberDef struct {
	Name string  `json:"name"`
	Type TypeRef `json:"type"`
}

// A TableOverride is what an overlay says of a table.
type TableOverride struct {
	Type   string   `json:"type,omitzero"`
	ID     []string `json:"id,omitzero"` // columns of a unique key
	Hidden bool     `json:"hidden,omitzero"`
	// Through names many-to-many relationships of this table's model: the join
	// table (Table.String), or one side of a self-relation (ThroughKey), to name.
	Through map[string]string `json:"through,omitempty"`
}

// A ColumnOverride is what an overlay says of a column.
type ColumnOverride struct {
	Name     string `json:"name,omitzero"`
	Hidden   bool   `json:"hidden,omitzero"`
	ReadOnly bool   `json:"readOnly,omitzero"`
	Search   string `json:"search,omitzero"` // a tsvector column
}

// A ForeignKeyOverride is what an overlay calls the two relationships that a
// foreign key makes.
type ForeignKeyOverride struct {
	One  string `json:"one,omitzero"`  // on the table that has the key
	Many string `json:"many,omitzero"` // on the table that it references, whether to-many or to-one
	// Declared marks a key that only the overlay knows, not the database.
	Declared bool `json:"declared,omitzero"`
}
