package sqlgen

import (
	"slices"
	"strconv"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// rows lowers the query of primary data, with the keys that its edges need left
// in variables. It returns where the edges find these.
func rows(q *plan.Query, s *selection, hand *handover) (*Statement, []handed) {
	st := &Statement{Part: Page}
	s.layout(st, q)
	if q.Window.Keyset != nil {
		st.Cursor = s.cursorColumns(q.Order)
	}
	return st, s.finish(st, hand)
}

// finish builds the statement from the columns that have been added to the
// selection, and those that the query's edges start from.
func (s *selection) finish(st *Statement, hand *handover) []handed {
	from := hand.starts(s.query.Edges, func(rel *schema.Relationship) []int { return s.fields(rel.From) })
	s.finishWith(st, from)
	return from
}

// finishWith builds both forms of the statement so that it leaves these keys.
func (s *selection) finishWith(st *Statement, from []handed) {
	order := s.order(s.query.Order)
	s.seeks = s.keyset(s.query)
	st.Columns, st.Hands = s.columns.list, handsOf(from)
	if st.Part == Pairs && len(st.Hands) == 1 {
		st.Hands[0].Distinct = true // a resource is in as many pairs as it has parents
	}
	switch w := s.query.Window; {
	case !w.More:
	case s.each != nil:
		st.More = len(st.Columns)
		st.Columns = append(st.Columns, Column{Type: boolean, Format: Binary})
	default:
		st.Peek = Peek{Limit: w.Limit, First: w.Keyset != nil && w.Keyset.Backward()}
	}
	left := leave(st.Hands)
	if st.Part == Page && pageTells(s.query) {
		left = append(left, leaveRows)
	}
	s.bound = true
	st.Bound = formed(s.plain(st, order))
	s.bound = false
	if len(left) > 0 {
		st.build(s.leaving(st, order, left))
	} else {
		st.build(s.plain(st, order))
	}
}

// plain selects the rows and leaves nothing.
func (s *selection) plain(st *Statement, order []sortKey) sq.SelectBuilder {
	if st.More == 0 && (st.Peek.Limit == 0 || !st.Peek.First && len(s.seeks) < 2) {
		return s.sought(s.columns.outputs(), order)
	}
	t := s.table(order)
	return sq.Select(outputs(len(st.Columns))...).FromSelect(s.page(st, order, t), "page").OrderBy(orderBy(t.order))
}

// leaving selects the rows and leaves in variables what is named. That is for a
// CTE of its own, which an empty page runs too: a later statement must not meet
// an unset variable.
func (s *selection) leaving(st *Statement, order []sortKey, left []string) sq.SelectBuilder {
	t := s.table(order)
	return sq.Select(outputs(len(st.Columns))...).
		PrefixExpr(sq.Expr("WITH page AS MATERIALIZED (?), keys AS MATERIALIZED (?)",
			s.page(st, order, t), s.kept(st, t, sq.Select(left...)))).
		From("page").
		Where("(SELECT true FROM keys)").
		OrderBy(orderBy(t.order))
}

// kept has b select from the rows that are of the page, without the one past it.
func (s *selection) kept(st *Statement, t pageTable, b sq.SelectBuilder) sq.SelectBuilder {
	if st.Peek.Limit == 0 {
		return b.From("page")
	}
	var names []string
	for _, h := range st.Hands {
		if name := output(h.Column); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil { // they are only counted
		names = outputs(1)
	}
	rows := sq.Select(names...).From("page").OrderBy(orderBy(s.directed(t.order))).Suffix("LIMIT " + strconv.Itoa(st.Peek.Limit))
	return b.FromSelect(rows, "kept")
}

// A pageTable is how a SELECT around a page knows its columns.
type pageTable struct {
	named []string  // the columns with their names, and the sort keys that are no columns with theirs
	extra []string  // the names of the latter
	order []sortKey // in names
}

func (s *selection) table(order []sortKey) pageTable {
	t := pageTable{named: s.columns.outputs(), order: make([]sortKey, len(order))}
	for i, k := range order {
		name := "s" + strconv.Itoa(i)
		if at := s.columns.index(k.expr); at >= 0 {
			name = output(at)
		} else {
			t.named, t.extra = append(t.named, k.expr+" AS "+name), append(t.extra, name)
		}
		t.order[i] = sortKey{expr: name, desc: k.desc}
	}
	return t
}

// page selects the rows with everything that a SELECT around it needs, in the
// order in which they are read.
func (s *selection) page(st *Statement, order []sortKey, t pageTable) sq.SelectBuilder {
	switch {
	case s.each != nil:
		return s.pageOfEach(st, order, t)
	case st.Peek.Limit == 0:
		return s.sought(t.named, order)
	case len(s.seeks) < 2:
		return s.sought(t.named, s.directed(order))
	default:
		return s.limited(sq.Select(append(outputs(len(st.Columns)), t.extra...)...).
			FromSelect(s.soughtApart(t.named, s.directed(order)), "read").
			OrderBy(orderBy(s.directed(t.order))))
	}
}

// pageOfEach selects a window of rows for each parent. One row past its limit is
// read, and the last column of the row before that tells.
func (s *selection) pageOfEach(st *Statement, order []sortKey, t pageTable) sq.SelectBuilder {
	by := orderBy(t.order)
	columns := append(outputs(st.More), "pg_catalog.lead(true) OVER (ORDER BY "+by+") AS "+output(st.More))
	cut := sq.Select(append(columns, t.extra...)...).FromSelect(s.sought(t.named, order), "read").
		OrderBy(by).Suffix("LIMIT " + strconv.Itoa(s.query.Window.Limit))
	return sq.Select(append(outputs(len(st.Columns)), t.extra...)...).FromSelect(*s.each, s.keysAt).
		JoinClause(sq.Expr("CROSS JOIN LATERAL (?) page", cut))
}

// sought selects the rows past the cursors, if there are any.
func (s *selection) sought(columns []string, order []sortKey) sq.SelectBuilder {
	b := s.filtered(sq.Select(columns...))
	switch len(s.seeks) {
	case 0:
	case 1:
		b = b.Where(s.seeks[0])
	default:
		either := sq.Or{}
		for _, seek := range s.seeks {
			either = append(either, seek)
		}
		b = b.Where(either)
	}
	return s.windowed(b.OrderBy(orderBy(order)))
}

// soughtApart selects them so that each condition finds its rows by an index of
// its own: as many of each as the window has, in no order between them.
func (s *selection) soughtApart(columns []string, order []sortKey) sq.SelectBuilder {
	part := func(seek sq.And) sq.SelectBuilder {
		return s.windowed(s.filtered(sq.Select(columns...)).Where(seek).OrderBy(orderBy(order)))
	}
	all := part(s.seeks[0]).Prefix("(")
	for _, seek := range s.seeks[1:] {
		all = all.SuffixExpr(sq.Expr(") UNION ALL (?", part(seek)))
	}
	return all.Suffix(")")
}

// directed is the order in which rows are read: backward where the page ends at
// a cursor.
func (s *selection) directed(order []sortKey) []sortKey {
	if k := s.query.Window.Keyset; k == nil || !k.Backward() {
		return order
	}
	out := make([]sortKey, len(order))
	for i, k := range order {
		out[i] = sortKey{expr: k.expr, desc: !k.desc}
	}
	return out
}

// windowed adds the query's window, and a row to it that tells whether there are
// more. The limit is text: Postgres plans by it.
func (s *selection) windowed(b sq.SelectBuilder) sq.SelectBuilder {
	b = s.limited(b)
	if slot := s.query.Window.Offset; slot != plan.NoSlot {
		b = b.SuffixExpr(sq.Expr("OFFSET ?", value(slot, bigint)))
	}
	return b
}

func (s *selection) limited(b sq.SelectBuilder) sq.SelectBuilder {
	w := s.query.Window
	limit := w.Limit
	if w.More {
		limit++
	}
	if limit == 0 && w.Cap > 0 {
		limit = w.Cap + 1 // one more tells that there are too many
	}
	if limit > 0 {
		b = b.Suffix("LIMIT " + strconv.Itoa(limit))
	}
	return b
}

// outputs are the names of the first n columns.
func outputs(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = output(i)
	}
	return out
}
