package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// keys judges foreign keys, and the sequences that keys come from.
func (j *judge) keys() {
	for _, rel := range j.exposed {
		for i := range rel.References {
			k := &rel.References[i]
			j.keyIndex(rel, k)
			j.cascade(rel, k)
		}
		for _, d := range rel.Defaults {
			if d.Sequence != nil {
				j.sequence(rel, d)
			}
		}
	}
}

func (j *judge) keyIndex(rel *introspect.Relation, k *introspect.Reference) {
	if rel.Relation != schema.OrdinaryTable || slices.ContainsFunc(rel.Indexes, func(i introspect.Index) bool { return leads(i, k.Columns) }) {
		return
	}
	columns := make([]string, len(k.Columns))
	for i, c := range k.Columns {
		columns[i] = rel.Column(c)
	}
	if sql, fresh := j.suggest(rel, columns); fresh {
		j.find("key-no-index", fmt.Sprintf("%s (%s)", quoteTable(rel.Table), quoteAll(columns)), sql, "no index begins with the foreign key %s, so the related rows of %s, and deletes there, read the whole table", quote(k.Name), quoteTable(k.References))
	}
}

// leads reports whether an index begins with the columns, in any order.
func leads(i introspect.Index, columns []int16) bool {
	if i.Partial || len(i.Columns) < len(columns) {
		return false
	}
	first := i.Columns[:len(columns)]
	return !slices.ContainsFunc(columns, func(c int16) bool { return !slices.Contains(first, c) })
}

// onDelete is the clause of a foreign key that says what deletes do.
var onDelete = regexp.MustCompile(` ON DELETE (?:CASCADE|SET NULL|SET DEFAULT)(?: \([^)]*\))?`)

func (j *judge) cascade(rel *introspect.Relation, k *introspect.Reference) {
	if !rel.RowSecurity || k.OnDelete == "NO ACTION" || k.OnDelete == "RESTRICT" {
		return
	}
	referenced := slices.IndexFunc(j.exposed, func(r *introspect.Relation) bool { return r.Table == k.References })
	if referenced < 0 {
		return
	}
	var who []string
	for _, r := range j.bindable {
		if j.exposed[referenced].Privileges[r.Name].Delete {
			who = append(who, quote(r.Name))
		}
	}
	if len(who) == 0 {
		return
	}
	definition := k.Definition
	if all := onDelete.FindAllStringIndex(definition, -1); len(all) > 0 {
		last := all[len(all)-1]
		definition = definition[:last[0]] + definition[last[1]:]
	}
	does := map[string]string{"CASCADE": "deletes", "SET NULL": "changes", "SET DEFAULT": "changes"}[k.OnDelete]
	j.find("key-cascade", quoteTable(rel.Table),
		[]string{fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s, ADD CONSTRAINT %s %s;", quoteTable(rel.Table), quote(k.Name), quote(k.Name), definition)},
		"who deletes from %s, as %s may, %s rows of it by the foreign key %s past its policies, those included that they cannot see", quoteTable(k.References), list(who), does, quote(k.Name))
}

func (j *judge) sequence(rel *introspect.Relation, d introspect.Default) {
	for _, r := range j.bindable {
		if len(rel.Privileges[r.Name].Insert) > 0 && !slices.Contains(d.Sequence.Usage, r.Name) {
			j.find("sequence-no-usage", quoteTable(d.Sequence.Table), []string{fmt.Sprintf("GRANT USAGE ON SEQUENCE %s TO %s;", quoteTable(d.Sequence.Table), quote(r.Name))},
				"%s may insert into %s but not take numbers from the sequence that fills in %s", quote(r.Name), quoteTable(rel.Table), quote(d.Column))
		}
	}
}

// indexes finds those that roles whom policies bind cannot filter by.
func (j *judge) indexes() {
	for _, rel := range j.exposed {
		if !rel.RowSecurity || !slices.ContainsFunc(j.users(rel), func(r *introspect.RoleAccess) bool { return r.Bound(rel) }) {
			continue
		}
		for _, i := range rel.Indexes {
			leaky := j.leaky(i)
			if len(leaky) == 0 {
				continue
			}
			names, sql := []string{}, []string{}
			for _, f := range leaky {
				if !slices.Contains(names, f.Name) {
					names = append(names, f.Name)
				}
				sql = append(sql, fmt.Sprintf("ALTER FUNCTION %s LEAKPROOF;", quoteFunction(f)))
			}
			j.find("index-not-leakproof", quote(rel.Schema)+"."+quote(i.Name), sql,
				"policies come before filters by it, which read all rows that they admit, as %s could tell of the others in its errors: it may be declared LEAKPROOF, by a superuser, where that is no matter", list(shorten(names)))
		}
	}
}

// shorten keeps a list short enough for a sentence.
func shorten(names []string) []string {
	const enough = 3
	if len(names) <= enough {
		return names
	}
	return append(slices.Clone(names[:enough]), fmt.Sprintf("%d more", len(names)-enough))
}

// leaky are the functions that keep an index from being used before a policy:
// those of a key without an operator that is free of leaks, and those of
// expressions. A btree is searched by its first key, others by any.
func (j *judge) leaky(i introspect.Index) []*introspect.Function {
	var out []*introspect.Function
	add := func(oids []uint32) {
		for _, oid := range oids {
			if f, ok := j.Functions[oid]; ok && !f.Leakproof && !slices.ContainsFunc(out, func(o *introspect.Function) bool { return o.OID == oid }) {
				out = append(out, &f)
			}
		}
	}
	keys := i.Operators
	if i.Method == "btree" || i.Method == "hash" {
		keys = keys[:1]
	}
	for n, operators := range keys {
		if !slices.ContainsFunc(operators, func(oid uint32) bool { return j.Functions[oid].Leakproof }) {
			add(operators)
		}
		if i.Columns[n] == 0 {
			add(i.Keys.Functions)
		}
	}
	slices.SortFunc(out, func(a, b *introspect.Function) int { return strings.Compare(quoteFunction(a), quoteFunction(b)) })
	return out
}
