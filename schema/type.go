package schema

import "cmp"

// catalogSchema is the namespace of everything that is Postgres's own.
const catalogSchema = "pg_catalog"

// A Kind says how values of a type travel: how a literal of the request is
// checked, in which format Postgres returns the value, how JSON writes it.
type Kind uint8

// The kinds, after section 6 of the contract. Every Postgres type has one;
// what has none of its own is Text: it travels in Postgres's text form.
const (
	Text        Kind = iota + 1 // text, varchar, bpchar, citext, inet, tsvector, and any type not named below
	Bool                        // bool
	Int2                        // int2
	Int4                        // int4
	Int8                        // int8
	Float4                      // float4
	Float8                      // float8
	Numeric                     // numeric
	UUID                        // uuid
	Enum                        // CREATE TYPE ... AS ENUM; Labels
	Timestamptz                 // timestamptz
	Timestamp                   // timestamp without time zone
	Date                        // date
	Time                        // time without time zone
	Timetz                      // time with time zone
	Interval                    // interval
	Bytea                       // bytea
	JSON                        // json
	JSONB                       // jsonb
	Range                       // a range over Elem, or where Multi a multirange
	Array                       // an array of Elem, of any dimension
	Composite                   // a row type; Members
	Domain                      // a domain over Elem
)

// String returns the kind's name as plans and catalogues print it.
func (k Kind) String() string { return kindNames[k] }

var kindNames = [...]string{
	Text: "text", Bool: "bool", Int2: "int2", Int4: "int4", Int8: "int8", Float4: "float4", Float8: "float8",
	Numeric: "numeric", UUID: "uuid", Enum: "enum", Timestamptz: "timestamptz", Timestamp: "timestamp",
	Date: "date", Time: "time", Timetz: "timetz", Interval: "interval", Bytea: "bytea", JSON: "json",
	JSONB: "jsonb", Range: "range", Array: "array", Composite: "composite", Domain: "domain",
}

// A Type is a Postgres type. Types are shared between fields and never change.
type Type struct {
	Kind    Kind
	Schema  string   // the type's namespace, pg_catalog for built-in ones
	Name    string   // pg_type.typname: int4, timestamptz, PostStatus; the element's name for arrays is Elem.Name
	Elem    *Type    // of Range, Array and Domain, nil otherwise
	Multi   bool     // of Range: a set of ranges over Elem
	Labels  []string // of Enum, in declared order
	Members []Member // of Composite, in attribute order
	Equal   bool     // has a default equality operator; json, xml and point have none
	Ordered bool     // has a default btree order
	// Operators is the namespace of the default operators where it is not
	// pg_catalog: an extension's, for the types that it brings. Read it by
	// OperatorSchema.
	Operators string
	// Loose is set on the type of a column whose collation is nondeterministic:
	// different texts may be equal, and patterns do not apply. It is a property
	// of the column, so such a column has a Type of its own.
	Loose bool
}

// A Member is one attribute of a composite type.
type Member struct {
	Name string
	Type *Type
}

// Base returns the type beneath domains: t itself where it is no domain.
func (t *Type) Base() *Type {
	for t.Kind == Domain {
		t = t.Elem
	}
	return t
}

// BuiltIn reports whether the type is Postgres's own.
func (t *Type) BuiltIn() bool { return t.Schema == catalogSchema }

// OperatorSchema returns the namespace in which the type's own `=` and `<` are,
// as OPERATOR(...) takes it. Types that are made of others, but for domains,
// are compared by operators of pg_catalog whatever their parts are.
func (t *Type) OperatorSchema() string { return cmp.Or(t.Base().Operators, catalogSchema) }

// identifies reports whether values of the type can be ids: they are equal or
// not, and have one text that a path can carry and that is read back. JSON has
// many texts for one value, and arrays and composites have none in requests.
func (t *Type) identifies() bool {
	k := t.Base().Kind
	return t.relates() && k != JSON && k != JSONB
}

// relates reports whether a relationship can follow values of the type, which
// travel from one statement to the next as elements of an array. Arrays are
// none, and composites hold what they may.
func (t *Type) relates() bool {
	k := t.Base().Kind
	return t.Equal && k != Array && k != Composite
}

// NumericID reports whether ids of this type are JSON numbers (contract 6.3).
func (t *Type) NumericID() bool {
	k := t.Base().Kind
	return k == Int2 || k == Int4
}

// Delimiter returns what stands between values of the type in the text form of
// an array: a comma but for a few types (pg_type.typdelim).
func (t *Type) Delimiter() byte {
	switch t = t.Base(); {
	case t.BuiltIn() && t.Name == "box":
		return ';'
	case !t.BuiltIn() && (t.Name == "geometry" || t.Name == "geography"):
		return ':' // PostGIS, in whichever schema
	default:
		return ','
	}
}
