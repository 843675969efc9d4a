package evaluate

import (
	"slices"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// filtered returns the rows of a query without its window, in its order.
func (r *reader) filtered(read *plan.Read) []Row {
	q := read.Query
	var rows []Row
	for _, row := range r.seen[q.Model.Table] {
		if r.all(row, q.Where) && (read.Parent == nil || r.under(read.Parent, row)) {
			rows = append(rows, row)
		}
	}
	return r.sorted(rows, q.Order)
}

// under reports whether the row is a member of the parent's relationship.
func (r *reader) under(p *plan.Parent, row Row) bool {
	parent := r.parent(p)
	return parent != nil && r.related(parent, p.Relationship, row)
}

// parent returns the row that a read starts from, nil where the caller sees none.
func (r *reader) parent(p *plan.Parent) Row {
	m := p.Relationship.Model
next:
	for _, row := range r.seen[m.Table] {
		for i, f := range m.Key {
			if compare(f.Type, row[f.Column], f.Type, r.value(p.Key[i], f.Type)) != 0 {
				continue next
			}
		}
		return row
	}
	return nil
}

func (r *reader) sorted(rows []Row, order []plan.Order) []Row {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int { return r.compareRows(order, r.place(order, a), r.place(order, b)) })
	return sorted
}

// place returns the values by which a row is sorted.
func (r *reader) place(order []plan.Order, row Row) []any {
	out := make([]any, len(order))
	for i, o := range order {
		out[i] = r.term(row, o.Term)
	}
	return out
}

// compareRows compares two places in an order: NULLs are last ascending, first
// descending (contract 4.9).
func (r *reader) compareRows(order []plan.Order, a, b []any) int {
	for i, o := range order {
		c := compareNullable(o.Term.Type(), a[i], b[i])
		if o.Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// offset is how many rows a window passes over.
func (r *reader) offset(w plan.Window) int {
	if w.Offset == plan.NoSlot {
		return 0
	}
	return int(r.values[w.Offset].(int64))
}

// windowed cuts a window out of rows, and reports whether there are more behind
// it, or, of a page that ends at its cursor, before it.
func (r *reader) windowed(q *plan.Query, rows []Row) (window []Row, more bool) {
	w := q.Window
	if w.Keyset != nil {
		return r.keyset(q, rows)
	}
	rows = rows[min(r.offset(w), len(rows)):]
	if w.Limit == 0 || len(rows) <= w.Limit {
		return rows, false
	}
	return rows[:w.Limit], true
}

// keyset cuts out the page that lies between two cursors (contract 4.11).
func (r *reader) keyset(q *plan.Query, rows []Row) (window []Row, more bool) {
	after, before := r.cursor(q, q.Window.Keyset.After), r.cursor(q, q.Window.Keyset.Before)
	for _, row := range rows {
		at := r.place(q.Order, row)
		if (after == nil || r.compareRows(q.Order, at, after) > 0) && (before == nil || r.compareRows(q.Order, at, before) < 0) {
			window = append(window, row)
		}
	}
	limit := q.Window.Limit
	switch {
	case limit == 0 || len(window) <= limit:
		return window, false
	case q.Window.Keyset.After == nil && q.Window.Keyset.Before != nil:
		return window[len(window)-limit:], true
	default:
		return window[:limit], true
	}
}

// cursor returns the place of a cursor, nil where it is none or the empty one.
func (r *reader) cursor(q *plan.Query, c *plan.Cursor) []any {
	if c == nil || len(c.Parts) == 0 {
		return nil
	}
	out := make([]any, len(c.Parts))
	for i, part := range c.Parts {
		if !part.Null {
			out[i] = r.value(part.Slot, q.Order[i].Term.Type())
		}
	}
	return out
}

// A node is what one step of the include paths reaches; its rows are there once
// each, in the order of the parents that reach them.
type node struct {
	parent   *node      // nil for primary data
	edge     *plan.Edge // that leads here from the parent
	query    *plan.Query
	rows     []Row
	members  map[string]members // by the parent's id
	children []*node
}

// members are the rows that one parent's relationship shows.
type members struct {
	rows []Row
	rest []Row // the next ones that the window leaves out, at most as many again
}

// descend follows the query's edges from its rows.
func (r *reader) descend(n *node) {
	for _, e := range n.query.Edges {
		child := &node{parent: n, edge: e, query: e.Query, members: map[string]members{}}
		once := map[string]bool{}
		for _, parent := range n.rows {
			all := r.sorted(r.edgeRows(e, parent), e.Query.Order)
			rows, _ := r.windowed(e.Query, all)
			rest, _ := r.windowed(e.Query, all[len(rows):])
			child.members[idText(n.query.Model, parent)] = members{rows, rest}
			for _, row := range rows {
				if id := idText(e.Query.Model, row); !once[id] {
					once[id] = true
					child.rows = append(child.rows, row)
				}
			}
		}
		n.children = append(n.children, child)
		r.descend(child)
	}
}

// edgeRows returns what an edge reaches from one row.
func (r *reader) edgeRows(e *plan.Edge, parent Row) []Row {
	var out []Row
	for _, row := range r.reach(parent, e.Relationship) {
		if r.all(row, e.Query.Where) {
			out = append(out, row)
		}
	}
	return out
}

// each calls f for the node and all below it, in the order of the paths.
func (n *node) each(f func(*node)) {
	f(n)
	for _, c := range n.children {
		c.each(f)
	}
}

// idText tells rows of one model apart.
func idText(m *schema.Model, row Row) string { return identifier(m.Key, keyOf(m.Key, row), "_") }

func keyOf(key []*schema.Field, row Row) []any {
	out := make([]any, len(key))
	for i, f := range key {
		out[i] = row[f.Column]
	}
	return out
}
