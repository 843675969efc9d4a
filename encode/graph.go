package encode

import (
	"encoding/binary"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// A ref is one row of one statement.
type ref struct{ part, row int32 }

// noRow is the ref where there is no row.
var noRow = ref{part: noStatement}

// A graph is what a compound document is made of: the resources that the
// statements brought, each once however often it came, and which of them are
// linked. Its memory is used for one document after the other.
type graph struct {
	d     *document
	first []int // by statement: the number of its first row among all rows
	rows  []graphRow
	nodes []node
	ids   keyTable   // the type and id of each node
	links []grouping // of a statement with an edge: its rows by their parents' key, or by their id
	key   []byte     // reused
	order []int32    // the rows of each statement as they were reached, at the numbers of all its rows
	ends  []int      // by statement: where these end in order
}

// A node is one resource, and the rows that show it: the first of them, and the
// last, at which the next one is linked.
type node struct {
	first, last ref
	emitted     bool // it stands in the document already
}

// A graphRow is one row among all rows.
type graphRow struct {
	node    int32 // the resource that it shows; noNode where it is none
	next    ref   // the next row that shows it
	reached bool
}

const noNode = -1

// build makes the graph of a document.
func (g *graph) build(d *document) {
	g.d = d
	statements := d.result.Pipeline.Statements
	g.first = g.first[:0]
	total := 0
	for part := range statements {
		g.first = append(g.first, total)
		total += d.rows(part).Len()
	}
	g.rows, g.nodes = resized(g.rows, total), g.nodes[:0]
	for i := range g.rows {
		g.rows[i] = graphRow{node: noNode, next: noRow}
	}
	g.ids.reset(total)
	g.links = resized(g.links, len(statements))
	for part, st := range statements {
		switch st.Part {
		case sqlgen.Page:
			if d.read.Form != plan.ToOneLinkage { // there it is the parent, not in the document
				g.register(part, st)
			}
		case sqlgen.Rows:
			if !st.Edge.Silent {
				g.register(part, st)
			}
			if st.Edge.Paired {
				g.links[part].build(d.rows(part), st.ID)
			} else {
				g.links[part].build(d.rows(part), st.Edge.To)
			}
		case sqlgen.Pairs:
			g.links[part].build(d.rows(part), st.Edge.To)
		case sqlgen.Check, sqlgen.Count, sqlgen.Estimate,
			sqlgen.Unseen, sqlgen.Written, sqlgen.Again, sqlgen.Step, sqlgen.Guard: // no resources
		}
	}
}

// size is about how many bytes the graph keeps.
func (g *graph) size() int {
	n := 16*cap(g.rows) + 20*cap(g.nodes) + g.ids.size() + cap(g.key) + 4*cap(g.order)
	links := g.links[:cap(g.links)]
	for i := range links {
		n += links[i].size()
	}
	return n
}

// register makes nodes of a statement's rows.
func (g *graph) register(part int, st *sqlgen.Statement) {
	rows := g.d.rows(part)
	primary := part == g.d.page && g.d.read.Form != plan.Linkage
	for row := range rows.Len() {
		g.key = binary.AppendUvarint(g.key[:0], uint64(st.Model.Ordinal))
		for _, c := range st.ID {
			v := rows.Value(row, c)
			g.key = binary.AppendUvarint(g.key, uint64(len(v)))
			g.key = append(g.key, v...)
		}
		r := ref{int32(part), int32(row)}
		number, isNew := g.ids.number(g.key)
		if isNew {
			g.nodes = append(g.nodes, node{first: r, last: r})
		} else {
			n := &g.nodes[number]
			g.at(n.last).next = r
			n.last = r
		}
		g.nodes[number].emitted = g.nodes[number].emitted || primary
		g.at(r).node = int32(number)
	}
}

// at returns what the graph knows of a row.
func (g *graph) at(r ref) *graphRow { return &g.rows[g.first[r.part]+int(r.row)] }

// showing returns the first row that shows the same resource as r and, if part is
// one, is of that statement; noRow where there is none.
func (g *graph) showing(r ref, part int) ref {
	if n := g.at(r).node; n != noNode {
		r = g.nodes[n].first
	}
	for r != noRow && int(r.part) != part {
		r = g.at(r).next
	}
	return r
}

// firstOf returns the first row that shows the same resource.
func (g *graph) firstOf(r ref) ref {
	if n := g.at(r).node; n != noNode {
		return g.nodes[n].first
	}
	return r
}

// members are the rows that a relationship leads to from one resource: those of
// one statement, and, where another path has another window on the
// relationship, what that has besides.
type members struct {
	part int
	rows []int32
	also []ref
	// rest is the statement whose window leaves members out; nil: these are all.
	rest *sqlgen.Statement
}

// members returns the rows that a relationship, which those statements tell,
// leads to from the resource of a row. It reports false where no include path
// went over the relationship from any row that shows it.
//
// Whatever stands in `included` is linked, so windows of several paths are
// joined, that of the first path first (contract 3.7, 4.12).
func (g *graph) members(edges []int, of ref) (m members, ok bool) {
	for _, part := range edges {
		st := g.d.statement(part)
		parent := g.showing(of, st.Edge.Parent)
		if parent == noRow {
			continue
		}
		rows := g.rowsOf(part, st.Edge, int(parent.row))
		complete := st.More == 0 || len(rows) == 0 || !g.d.truth(ref{int32(part), rows[len(rows)-1]}, st.More)
		if !ok {
			m, ok = members{part: part, rows: rows, rest: st}, true
		} else {
			g.join(&m, part, rows)
		}
		if complete {
			m.rest = nil
			return m, true
		}
	}
	return m, ok
}

// join adds the rows of another window whose resources are not there yet.
func (g *graph) join(m *members, part int, rows []int32) {
	have := make(map[string]bool)
	key := func(r ref) string {
		key, _ := rowKey(g.key[:0], g.d.rows(int(r.part)), int(r.row), g.d.statement(int(r.part)).ID)
		return string(key)
	}
	for _, row := range m.rows {
		have[key(ref{int32(m.part), row})] = true
	}
	for _, r := range m.also {
		have[key(r)] = true
	}
	for _, row := range rows {
		if r := (ref{int32(part), row}); !have[key(r)] {
			m.also = append(m.also, r)
		}
	}
}

// rowsOf returns the rows of an edge's statement that belong to a parent's row.
func (g *graph) rowsOf(part int, e *sqlgen.Edge, parent int) []int32 {
	return g.links[part].rowsOf(g.d.rows(e.Parent), parent, e.From)
}
