package sqlgen

import (
	"strconv"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// total counts the rows of primary data without their window (contract 4.13).
// It is nil where nothing is to be counted: none is wanted, or the page has all
// rows.
func total(r *plan.Read) *Statement {
	switch t := r.Query.Total; t.Kind {
	case plan.NoTotal:
		return nil
	case plan.ExactTotal:
		return count(r, func(s *selection) sq.SelectBuilder { return s.filtered(sq.Select("pg_catalog.count(*)")) })
	case plan.BoundedTotal:
		return count(r, func(s *selection) sq.SelectBuilder {
			some := s.filtered(sq.Select("1")).Suffix("LIMIT " + strconv.Itoa(t.Limit+1)) // one more tells that there are more
			return sq.Select("pg_catalog.count(*)").FromSelect(some, "bounded")
		})
	case plan.EstimateTotal:
		st := &Statement{Part: Estimate, Columns: []Column{{Type: jsonType, Format: Text}}}
		st.build(pageSource(r).filtered(sq.Select("1")).Prefix("EXPLAIN (FORMAT JSON)"))
		return st
	default:
		panic("sqlgen: a total of no known kind")
	}
}

// count runs a count, where the page has not told the number already.
func count(r *plan.Read, counted func(*selection) sq.SelectBuilder) *Statement {
	if q := r.Query; wholePage(q) {
		return nil
	}
	st := &Statement{Part: Count, Columns: []Column{{Type: bigint, Format: Binary}}}
	all := counted(pageSource(r))
	st.Bound = formed(all)
	if !pageTells(r.Query) {
		st.build(all)
		return st
	}
	limit := r.Query.Window.Limit
	full, told := sq.Expr("rows < "+strconv.Itoa(limit)), sq.Expr("rows")
	if slot := r.Query.Window.Offset; slot != plan.NoSlot {
		full = sq.Expr("rows BETWEEN 1 AND " + strconv.Itoa(limit-1))
		told = sq.Expr("? + rows", value(slot, bigint))
	}
	st.build(sq.Select().Column(sq.Expr("CASE WHEN ? THEN ? ELSE (?) END", full, told, all)).
		From("(SELECT pg_catalog.current_setting('" + rowsVariable + "')::int8 AS rows) page"))
	return st
}

// wholePage reports whether a page is all rows there are.
func wholePage(q *plan.Query) bool {
	w := q.Window
	return w.Limit == 0 && w.Offset == plan.NoSlot && fromStart(w.Keyset)
}

// fromStart reports whether no cursor bounds a page.
func fromStart(k *plan.Keyset) bool {
	return k == nil || k.Before == nil && (k.After == nil || len(k.After.Parts) == 0)
}

// pageTells reports whether a page that is not full tells how many rows there
// are. It leaves the number of its rows for the count then.
func pageTells(q *plan.Query) bool {
	switch q.Total.Kind {
	case plan.NoTotal, plan.EstimateTotal:
		return false
	case plan.ExactTotal, plan.BoundedTotal:
		return q.Window.Limit > 0 && fromStart(q.Window.Keyset)
	default:
		panic("sqlgen: a total of no known kind")
	}
}

// rowsVariable is the variable in which a page leaves the number of its rows,
// and leaveRows leaves it there.
const (
	rowsVariable = "resourcery.rows"
	leaveRows    = "pg_catalog.set_config('" + rowsVariable + "', pg_catalog.count(*)::text, true)"
)

var jsonType = &schema.Type{Kind: schema.JSON, Schema: "pg_catalog", Name: "json"}
