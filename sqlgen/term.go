package sqlgen

import (
	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// term lowers what a comparison looks at.
func (a *aliases) term(at string, t plan.Term) sq.Sqlizer {
	switch t := t.(type) {
	case plan.FieldTerm:
		return text(a.field(at, t))
	case plan.JSONTerm:
		return document(at, t)
	case plan.CountTerm:
		return text(a.counted(at, t.Path, t.Relationship))
	default:
		panic("sqlgen: a term of no known type")
	}
}

// field is a column of the row, or, behind to-one steps, one read from another.
func (a *aliases) field(at string, t plan.FieldTerm) string {
	if len(t.Path) == 0 {
		return comparable(column(at, t.Field.Column), t.Field.Type)
	}
	from, where, last := a.walk(at, t.Path)
	return "(SELECT " + comparable(column(last, t.Field.Column), t.Field.Type) + " FROM " + from + " WHERE " + where + ")"
}

// comparable casts arrays of domains to arrays of what is beneath, as no
// operator takes the two together.
func comparable(expr string, t *schema.Type) string {
	if b := t.Base(); b.Kind == schema.Array && b.Elem.Kind == schema.Domain {
		return expr + "::" + typeName(b.Elem.Base()) + "[]"
	}
	return expr
}

// walk follows to-one steps from a row. It returns the tables, how the first of
// them hangs on the row, and the alias of the last.
func (a *aliases) walk(at string, path []*schema.Relationship) (from, where, last string) {
	for i, rel := range path {
		target := a.next()
		on := pairEquals(target, rel.To, at, rel.From)
		if i == 0 {
			from, where = table(rel.Target.Table)+" "+target, on
		} else {
			from += " JOIN " + table(rel.Target.Table) + " " + target + " ON " + on
		}
		at = target
	}
	return from, where, at
}

// counted counts the rows that a relationship reaches, behind to-one steps.
func (a *aliases) counted(at string, path []*schema.Relationship, rel *schema.Relationship) string {
	if len(path) > 0 {
		from, where, last := a.walk(at, path)
		return "(SELECT " + a.counted(last, nil, rel) + " FROM " + from + " WHERE " + where + ")"
	}
	from, where := a.reach(at, rel, a.next())
	return "(SELECT pg_catalog.count(*) FROM " + from + " WHERE " + where + ")"
}

// document is a part of a JSON document: as text, or as the number that it is.
func document(at string, t plan.JSONTerm) sq.Sqlizer {
	field := column(at, t.Field.Column)
	keys := values(t.Keys, textType)
	part := field + " " + operator("#>>") + " ?"
	if !t.Number {
		return sq.Expr("("+part+")", keys)
	}
	typeOf := "pg_catalog.jsonb_typeof"
	if t.Field.Type.Base().Kind == schema.JSON {
		typeOf = "pg_catalog.json_typeof"
	}
	return sq.Expr("(CASE WHEN "+typeOf+"("+field+" "+operator("#>")+" ?) = 'number' THEN ("+part+")::numeric END)", keys, keys)
}

var textType = &schema.Type{Kind: schema.Text, Schema: "pg_catalog", Name: "text"}
