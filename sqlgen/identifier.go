package sqlgen

import (
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// ident quotes an identifier. A `?` is doubled, as squirrel reads all text for
// placeholders. This is the one place where identifiers are quoted.
func ident(name string) string {
	return `"` + identEscaper.Replace(name) + `"`
}

var identEscaper = strings.NewReplacer(`"`, `""`, `?`, `??`)

// table names a relation.
func table(t schema.Table) string { return ident(t.Schema) + "." + ident(t.Name) }

// column names a column of an alias.
func column(alias, name string) string { return alias + "." + ident(name) }

// typeName spells a type for a cast. Arrays are named by their element, as
// the names of array types are Postgres's own affair.
func typeName(t *schema.Type) string {
	switch {
	case t.Kind == schema.Array:
		return typeName(t.Elem) + "[]"
	case t.BuiltIn() && plainName(t.Name):
		return t.Name
	default:
		return ident(t.Schema) + "." + ident(t.Name)
	}
}

// plainName reports whether a built-in type's name may stand unquoted: letters,
// digits and underscores. The type "char" is another than the keyword char, and
// the keyword bit is of one bit alone.
func plainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return name != "char" && name != "bit"
}

// alias returns the n-th alias of a statement.
func alias(n int) string { return "t" + strconv.Itoa(n) }

// variable returns the n-th variable in which a statement leaves keys for
// those after it.
func variable(n int) string { return "resourcery.k" + strconv.Itoa(n) }

// bytewise reports whether values of the type are equal exactly where their
// bytes are. 1.0 equals 1.00 and 'a ' equals 'a' as char(2), for example.
func bytewise(t *schema.Type) bool {
	if t.Loose {
		return false
	}
	switch b := t.Base(); b.Kind {
	case schema.Bool, schema.Int2, schema.Int4, schema.Int8, schema.UUID, schema.Enum, schema.Bytea,
		schema.Timestamptz, schema.Timestamp, schema.Date, schema.Time:
		return true
	case schema.Text:
		return b.BuiltIn() && (b.Name == "text" || b.Name == "varchar" || b.Name == "name")
	default:
		return false
	}
}

// sameType reports whether two columns give equal values the same bytes.
func sameType(a, b *schema.Type) bool {
	a, b = a.Base(), b.Base()
	return a.Schema == b.Schema && a.Name == b.Name && a.Kind == b.Kind
}

// as casts an expression of one type to another where these differ.
func as(expr string, from, to *schema.Type) string {
	if sameType(from, to) {
		return expr
	}
	return expr + "::" + typeName(to)
}

// operator names an operator with its schema, that of the types' own operators.
// A bare one is looked up along the search path, where an operator for exactly
// these types goes before a built-in one for types that they convert to
// (varchar to text, an enum to any): whoever may create operators there could
// read what is compared. And off the path, citext would compare as text.
func operator(name string, types ...*schema.Type) string {
	in := postgres
	for _, t := range types {
		if own := t.OperatorSchema(); own != postgres {
			in = own
		}
	}
	if in != postgres {
		in = ident(in)
	}
	return "OPERATOR(" + in + "." + name + ")"
}

// postgres is the schema of what is Postgres's own. Functions that take any type
// are named with it, as a function for just one type would go before them.
const postgres = "pg_catalog"

// equals compares two expressions of these types.
func equals(left string, lt *schema.Type, right string, rt *schema.Type) string {
	return left + " " + operator("=", lt, rt) + " " + right
}
