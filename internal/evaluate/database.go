package evaluate

import (
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A Row is the values of a row's columns, by column name. What a value is, is
// said at value.go; nil is NULL.
type Row map[string]any

// A Database is the rows of its tables.
type Database map[schema.Table][]Row

// A Policy says which rows of a table a caller sees.
type Policy func(Row) bool

// Policies are those that bind a caller; a table without one shows all its rows.
type Policies map[schema.Table]Policy

// A reader reads what a caller sees, for one plan.
type reader struct {
	seen    Database
	values  []any       // the plan's
	written map[int]Row // those of a write before it, by the number that the plan calls them by
}

func newReader(db Database, policies Policies, p *plan.Plan) *reader {
	seen := make(Database, len(db))
	for table, rows := range db {
		policy, bound := policies[table]
		for _, row := range rows {
			if !bound || policy(row) {
				seen[table] = append(seen[table], row)
			}
		}
	}
	return &reader{seen: seen, values: p.Values}
}

// reach returns the rows that a relationship leads to. Over a join table, its
// rows and those of the target must both be visible (contract 4.2).
func (r *reader) reach(row Row, rel *schema.Relationship) []Row {
	var out []Row
	for _, target := range r.seen[rel.Target.Table] {
		if r.related(row, rel, target) {
			out = append(out, target)
		}
	}
	return out
}

func (r *reader) related(row Row, rel *schema.Relationship, target Row) bool {
	if rel.Through == nil {
		return pairs(row, columns(rel.From), target, columns(rel.To))
	}
	for _, join := range r.seen[rel.Through.Table] {
		near, far := joinColumns(rel.Through.Near), joinColumns(rel.Through.Far)
		if pairs(row, columns(rel.From), join, near) && pairs(join, far, target, columns(rel.To)) {
			return true
		}
	}
	return false
}

// A cell is a column and its type.
type cell struct {
	column string
	typ    *schema.Type
}

func columns(fields []*schema.Field) []cell {
	out := make([]cell, len(fields))
	for i, f := range fields {
		out[i] = cell{f.Column, f.Type}
	}
	return out
}

func joinColumns(join []schema.JoinColumn) []cell {
	out := make([]cell, len(join))
	for i, c := range join {
		out[i] = cell{c.Name, c.Type}
	}
	return out
}

// pairs reports whether the columns of two rows are equal one by one. NULL
// equals nothing.
func pairs(a Row, ac []cell, b Row, bc []cell) bool {
	for i := range ac {
		x, y := a[ac[i].column], b[bc[i].column]
		if x == nil || y == nil || compare(ac[i].typ, x, bc[i].typ, y) != 0 {
			return false
		}
	}
	return true
}

// follow goes over to-one steps, nil where one leads nowhere.
func (r *reader) follow(row Row, path []*schema.Relationship) Row {
	for _, rel := range path {
		targets := r.reach(row, rel)
		if len(targets) == 0 {
			return nil
		}
		row = targets[0]
	}
	return row
}

// term returns the value of a term, nil for NULL.
func (r *reader) term(row Row, t plan.Term) any {
	switch t := t.(type) {
	case plan.FieldTerm:
		if at := r.follow(row, t.Path); at != nil {
			return at[t.Field.Column]
		}
		return nil
	case plan.JSONTerm:
		return part(t, row[t.Field.Column], r.values[t.Keys].([]string))
	case plan.CountTerm:
		if at := r.follow(row, t.Path); at != nil {
			return int64(len(r.reach(at, t.Relationship)))
		}
		return nil
	default:
		panic("evaluate: a term of no known type")
	}
}
