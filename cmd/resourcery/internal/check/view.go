package check

import (
	"fmt"
	"slices"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// Since Postgres 15 a view can ask for the privileges and policies of its caller.
const invokerVersion = 150000

// views judges what is served past the policies of the tables that it is made of.
func (j *judge) views() {
	for _, rel := range j.exposed {
		users := j.users(rel)
		if len(users) == 0 {
			continue
		}
		name := quoteTable(rel.Table)
		switch rel.Relation {
		case schema.PlainView:
			p := j.passing(rel, map[uint32]bool{})
			if len(p.tables) == 0 {
				continue
			}
			sql := p.sql
			if p.kept || j.Version < invokerVersion {
				sql = j.revokeAll(rel, users)
			}
			j.find("view-bypasses-rls", name, sql, "%s may use it, and it reads %s with the rights of an owner whom their policies do not bind", list(quoted(users)), list(p.tables))
		case schema.MaterializedView:
			if tables := j.kept(rel, map[uint32]bool{}); len(tables) > 0 {
				j.find("matview-bypasses-rls", name, j.revokeAll(rel, users), "%s may read it, and it keeps rows of %s without their policies", list(quoted(users)), list(tables))
			}
		case schema.OrdinaryTable, schema.ForeignTable: // see tables
		default:
			panic(fmt.Sprintf("check: no relation %d", rel.Relation))
		}
	}
}

// A passage is how a view gets past policies.
type passage struct {
	tables []string // whose policies
	sql    []string // what makes the views on the way ask for their caller's
	kept   bool     // a materialized view is on the way, where that is no help
}

// passing finds the guarded tables that a view reads in the name of an owner
// whom they do not bind. Each view on the way reads in the name of its own.
func (j *judge) passing(view *introspect.Relation, seen map[uint32]bool) passage {
	var p passage
	if seen[view.OID] {
		return p
	}
	seen[view.OID] = true
	owner := j.Owners[view.Owner]
	for _, oid := range view.Reads {
		rel := j.relation(oid)
		switch {
		case rel == nil:
		case rel.Relation == schema.PlainView:
			inner := j.passing(rel, seen)
			p.tables, p.sql, p.kept = append(p.tables, inner.tables...), append(p.sql, inner.sql...), p.kept || inner.kept
		case rel.Relation == schema.MaterializedView:
			if tables := j.kept(rel, seen); len(tables) > 0 {
				p.tables, p.kept = append(p.tables, tables...), true
			}
		case rel.RowSecurity && !view.Invoker && !owner.Bound(rel):
			p.tables = append(p.tables, quoteTable(rel.Table))
			if s := fmt.Sprintf("ALTER VIEW %s SET (security_invoker = true);", quoteTable(view.Table)); !slices.Contains(p.sql, s) {
				p.sql = append(p.sql, s)
			}
		}
	}
	return p
}

// kept are the guarded tables whose rows a materialized view holds.
func (j *judge) kept(view *introspect.Relation, seen map[uint32]bool) []string {
	var tables []string
	if seen[view.OID] {
		return nil
	}
	seen[view.OID] = true
	for _, oid := range view.Reads {
		switch rel := j.relation(oid); {
		case rel == nil:
		case rel.Relation == schema.PlainView || rel.Relation == schema.MaterializedView:
			tables = append(tables, j.kept(rel, seen)...)
		case rel.RowSecurity:
			tables = append(tables, quoteTable(rel.Table))
		}
	}
	return tables
}

// relation returns a relation that was read about, or nil.
func (j *judge) relation(oid uint32) *introspect.Relation {
	i := slices.IndexFunc(j.Relations, func(r introspect.Relation) bool { return r.OID == oid })
	if i < 0 {
		return nil
	}
	return &j.Relations[i]
}
