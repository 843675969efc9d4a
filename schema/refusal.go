package schema

import (
	"fmt"
	"strings"
)

// This file has the words of every mistake that FromCatalog finds. A refusal
// names table and column, and the overlay's lines that put it right.

// A refusals collects what is wrong with a catalogue.
type refusals struct {
	schemas []string
	errs    []error
}

func (r *refusals) add(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf(format, args...))
}

// model prints the overlay's line for a table: its key and what goes under it.
func (r *refusals) model(t Table, entry string) string {
	return fmt.Sprintf("models: {%s: {%s}}", yamlKey(overlayKey(r.schemas, t)), entry)
}

func (r *refusals) field(t Table, column, entry string) string {
	return r.model(t, fmt.Sprintf("fields: {%s: {%s}}", yamlKey(column), entry))
}

func (r *refusals) attributeClash(t Table, first, second, name string) {
	r.add("table %s: columns %q and %q would both be the attribute %q; rename one: %s",
		t, first, second, name, r.field(t, second, "name: NAME"))
}

func (r *refusals) columnNamedID(t Table, column string, key []string) {
	r.add("table %s: column %q would be an attribute called id, but the id is made of %s; rename it: %s",
		t, column, strings.Join(key, ", "), r.field(t, column, "name: NAME"))
}

func (r *refusals) columnNamedType(t Table, column string) {
	r.add("table %s: column %q is an attribute called type, which JSON:API forbids; rename it: %s", t, column, r.field(t, column, "name: NAME"))
}

func (r *refusals) noColumnName(t Table, column string) {
	r.add("table %s: column %q leaves no character for a name; name it: %s", t, column, r.field(t, column, "name: NAME"))
}

func (r *refusals) badColumnName(t Table, column, name string) {
	r.add("table %s: column %q cannot be called %q, which is no member name; choose another: %s", t, column, name, r.field(t, column, "name: NAME"))
}

func (r *refusals) hiddenKey(t Table, column string) {
	r.add("table %s: column %q is part of the id and cannot be hidden; take hidden away, or choose another id: %s", t, column, r.model(t, "id: [COLUMN]"))
}

func (r *refusals) typeClash(first, second Table, typ string) {
	r.add("tables %s and %s would both be the type %q; rename one: %s", first, second, typ, r.model(second, "type: TYPE"))
}

func (r *refusals) badType(t Table, typ string) {
	r.add("table %s: %q is no type name; choose another: %s", t, typ, r.model(t, "type: TYPE"))
}

func (r *refusals) reservedType(t Table) {
	r.add("table %s: the type %q is reserved; choose another: %s", t, reservedType, r.model(t, "type: TYPE"))
}

func (r *refusals) unknownIDColumn(t Table, column string) {
	r.add("table %s: the overlay's id names the column %q, which it has not: %s", t, column, r.model(t, "id: [COLUMN]"))
}

func (r *refusals) idNotUnique(t Table, columns []string) {
	r.add("table %s: columns %s are no unique key, so no id; create one: CREATE UNIQUE INDEX ON %s (%s)",
		t, strings.Join(columns, ", "), quoteTable(t), strings.Join(quoteAll(columns), ", "))
}

func (r *refusals) idNullable(t Table, column string) {
	r.add("table %s: column %q of the id may be NULL, and a row without an id cannot be served; forbid it: ALTER TABLE %s ALTER COLUMN %s SET NOT NULL",
		t, column, quoteTable(t), quote(column))
}

func (r *refusals) noID(t Table, column string, typ TypeRef) {
	r.add("table %s: column %q of the id has the type %s, whose values make no ids; choose another: %s", t, column, typ.Name, r.model(t, "id: [COLUMN]"))
}

func (r *refusals) overriddenJoin(t Table) {
	r.add("table %s is a pure join table and no resource type, so the overlay can give it neither type nor id; name its relationships on the tables that it joins: %s",
		t, "models: {TABLE: {relationships: {NAME: {through: "+yamlKey(overlayKey(r.schemas, t))+"}}}}")
}

func (r *refusals) unknownSearch(t Table, column, search string) {
	r.add("table %s: column %q is to be searched in %q, which is no tsvector column of it: %s", t, column, search, r.field(t, column, "search: COLUMN"))
}

func (r *refusals) relationshipName(t Table, entry, name, what string) {
	r.add("table %s: the relationship over %s cannot be called %q, which is no member name: %s", t, what, name, r.model(t, "relationships: {NAME: {"+entry+"}}"))
}

func (r *refusals) relationshipClash(t Table, entry, name, what, other string) {
	r.add("table %s: the relationship over %s would be called %q, which is %s; name it: %s", t, what, name, other, r.model(t, "relationships: {NAME: {"+entry+"}}"))
}

func (r *refusals) joinsNothing(t Table, through, name string) {
	r.add("table %s: the overlay's relationship %q goes through %s, which is no join table: it takes two foreign keys that together are unique, to tables that are served", t, name, through)
}

func (r *refusals) declaredTypes(k ForeignKey, column, refColumn string) {
	r.add("table %s: the overlay relates column %q to %q of %s, but their types differ", k.Table, column, refColumn, k.References)
}

func (r *refusals) declaredNotRelating(k ForeignKey, column string, typ TypeRef) {
	r.add("table %s: the overlay relates column %q to another, but it has the type %s, whose values no relationship can follow", k.Table, column, typ.Name)
}

// overlayKey returns the name under which an overlay knows a table: schema-
// qualified outside the first schema.
func overlayKey(schemas []string, t Table) string {
	if len(schemas) > 0 && t.Schema == schemas[0] {
		return t.Name
	}
	return t.String()
}

// yamlKey quotes a name for YAML's flow style where it has to be.
func yamlKey(name string) string {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '.')) {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteTable(t Table) string { return quote(t.Schema) + "." + quote(t.Name) }

func quoteAll(names []string) []string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quote(n)
	}
	return quoted
}
