package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// policies judges what the policies cost, and in whose name they ask.
func (j *judge) policies() {
	for _, rel := range j.exposed {
		for i := range rel.Policies {
			if p := &rel.Policies[i]; rel.RowSecurity {
				j.perRow(rel, p)
				j.lookups(rel, p)
			}
		}
	}
}

func policyName(rel *introspect.Relation, p *introspect.Policy) string {
	return quote(p.Name) + " ON " + quoteTable(rel.Table)
}

// perRow finds the functions that a policy calls for each row that is looked
// at. Conditions of rows to be written are left alone, as these are few.
func (j *judge) perRow(rel *introspect.Relation, p *introspect.Policy) {
	var called []*introspect.Function
	for _, oid := range p.Using.PerRow {
		f, ok := j.Functions[oid]
		if ok && repeatable(&f) && !slices.ContainsFunc(called, func(c *introspect.Function) bool { return c.OID == oid }) {
			called = append(called, &f)
		}
	}
	if len(called) == 0 {
		return
	}
	names := make([]string, len(called))
	for i, f := range called {
		names[i] = spelled(f)
	}
	var sql []string
	if text, ok := wrap(p.Using.Text, called, j.Functions); ok {
		sql = []string{fmt.Sprintf("ALTER POLICY %s USING (%s);", policyName(rel, p), text)}
	}
	j.find("policy-per-row", policyName(rel, p), sql, "it calls %s for each row, though nothing of the row is among the arguments: a sub-select, as in (SELECT %s), runs once", list(names), names[0])
}

// spelled is a call of the function as people write it.
func spelled(f *introspect.Function) string {
	name := f.Name
	if f.Schema != "pg_catalog" {
		name = f.Schema + "." + f.Name
	}
	if f.Arguments != "" {
		return name + "(...)"
	}
	return name + "()"
}

// repeatable reports whether a function is worth calling once: it may give
// another value in the next statement, but not for the next row. Of Postgres's
// own only those are counted that cost something; now() and its like do not.
func repeatable(f *introspect.Function) bool {
	if f.Schema != "pg_catalog" {
		return f.Volatility != "i"
	}
	return f.Name == "current_setting" || f.Name == "pg_has_role" || strings.HasPrefix(f.Name, "has_") && strings.HasSuffix(f.Name, "_privilege")
}

// lookups finds the searches of a policy that read whole tables.
func (j *judge) lookups(rel *introspect.Relation, p *introspect.Policy) {
	for _, l := range p.Using.Lookups {
		searched := j.relation(l.Relation)
		if searched == nil || searched.Relation != schema.OrdinaryTable || indexed(searched, l.Columns) {
			continue
		}
		columns := []string{searched.Column(l.Columns[0])}
		sql, fresh := j.suggest(searched, columns)
		if !fresh {
			continue
		}
		often := "for each statement"
		if l.PerRow {
			often = "for each row"
		}
		j.find("policy-no-index", fmt.Sprintf("%s (%s)", quoteTable(searched.Table), quoteAll(columns)), sql, "the policy %s searches it by this column %s, and no index begins with it", policyName(rel, p), often)
	}
}

// indexed reports whether an index finds rows by one of the columns.
func indexed(rel *introspect.Relation, columns []int16) bool {
	return slices.ContainsFunc(rel.Indexes, func(i introspect.Index) bool {
		return !i.Partial && slices.Contains(columns, i.Columns[0])
	})
}

// suggest returns the statement that makes an index, and whether no finding has
// asked for it yet.
func (j *judge) suggest(rel *introspect.Relation, columns []string) (sql []string, fresh bool) {
	s := fmt.Sprintf("CREATE INDEX ON %s (%s);", quoteTable(rel.Table), quoteAll(columns))
	fresh = !j.suggested[s]
	j.suggested[s] = true
	return []string{s}, fresh
}
