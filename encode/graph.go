package encode

import (
	"encoding/binary"
	"slices"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// A graph is what a compound document is made of: the resources that the
// statements brought, each once however often it came, and which of them are
// linked.
type graph struct {
	d      *document
	nodes  map[string]*node
	byRow  [][]*node          // by statement and row; nil for rows that are no resources
	groups []map[string][]int // of a statement with an edge: its rows by their parents' key
	byID   []map[string]int   // of a statement that is found by id: its row
	key    []byte             // reused
}

// A node is one resource, and every row that shows it.
type node struct {
	occurrences []ref
	emitted     bool // it stands in the document already
}

func newGraph(d *document) *graph {
	n := len(d.result.Parts)
	g := &graph{
		d: d, nodes: make(map[string]*node),
		byRow: make([][]*node, n), groups: make([]map[string][]int, n), byID: make([]map[string]int, n),
	}
	for part, st := range d.result.Pipeline.Statements {
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
				g.indexByID(part, st)
			} else {
				g.group(part, st)
			}
		case sqlgen.Pairs:
			g.group(part, st)
		case sqlgen.Check, sqlgen.Count, sqlgen.Estimate,
			sqlgen.Unseen, sqlgen.Written, sqlgen.Again, sqlgen.Step, sqlgen.Guard: // no resources
		}
	}
	return g
}

// register makes nodes of a statement's rows.
func (g *graph) register(part int, st *sqlgen.Statement) {
	rows := g.d.rows(part)
	g.byRow[part] = make([]*node, rows.Len())
	primary := part == g.d.page && g.d.read.Form != plan.Linkage
	for row := range rows.Len() {
		g.key = binary.AppendUvarint(g.key[:0], uint64(st.Model.Ordinal))
		g.key, _ = g.appendKey(g.key, ref{part, row}, st.ID)
		n, ok := g.nodes[string(g.key)]
		if !ok {
			n = &node{}
			g.nodes[string(g.key)] = n
		}
		n.emitted = n.emitted || primary
		n.occurrences = append(n.occurrences, ref{part, row})
		g.byRow[part][row] = n
	}
}

// group sorts a statement's rows by the key of the parents that they belong to.
func (g *graph) group(part int, st *sqlgen.Statement) {
	groups := make(map[string][]int)
	for row := range g.d.rows(part).Len() {
		var ok bool
		if g.key, ok = g.appendKey(g.key[:0], ref{part, row}, st.Edge.To); ok {
			groups[string(g.key)] = append(groups[string(g.key)], row)
		}
	}
	g.groups[part] = groups
}

func (g *graph) indexByID(part int, st *sqlgen.Statement) {
	index := make(map[string]int, g.d.rows(part).Len())
	for row := range g.d.rows(part).Len() {
		g.key, _ = g.appendKey(g.key[:0], ref{part, row}, st.ID)
		index[string(g.key)] = row
	}
	g.byID[part] = index
}

// appendKey appends the values of a row's columns so that different lists of
// values never look alike. It reports false where one of them is NULL.
func (g *graph) appendKey(dst []byte, r ref, columns []int) ([]byte, bool) {
	rows := g.d.rows(r.part)
	for _, c := range columns {
		v := rows.Value(r.row, c)
		if v == nil {
			return dst, false
		}
		dst = binary.AppendUvarint(dst, uint64(len(v)))
		dst = append(dst, v...)
	}
	return dst, true
}

// node returns the resource of a row.
func (g *graph) node(r ref) *node { return g.byRow[r.part][r.row] }

// members are the rows that a relationship leads to from one resource: those of
// one statement, and, where another path has another window on the
// relationship, what that has besides.
type members struct {
	part int
	rows []int
	also []ref
	// rest is the statement whose window leaves members out; nil: these are all.
	rest *sqlgen.Statement
}

// members returns the rows that a relationship leads to from a resource that
// several rows show. It reports false where no include path went over the
// relationship from any of them.
//
// Whatever stands in `included` is linked, so windows of several paths are
// joined, that of the first path first (contract 3.7, 4.12).
func (g *graph) members(rel *schema.Relationship, all []ref) (m members, ok bool) {
	for part, st := range g.d.result.Pipeline.Statements {
		if st.Edge == nil || st.Edge.Relationship != rel || st.Edge.Paired {
			continue
		}
		parent := slices.IndexFunc(all, func(r ref) bool { return r.part == st.Edge.Parent })
		if parent < 0 {
			continue
		}
		rows := g.rowsOf(part, st.Edge, all[parent])
		complete := st.More == 0 || len(rows) == 0 || !g.d.truth(ref{part, rows[len(rows)-1]}, st.More)
		switch {
		case !ok:
			m, ok = members{part: part, rows: rows, rest: st}, true
		default:
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
func (g *graph) join(m *members, part int, rows []int) {
	have := make(map[string]bool)
	key := func(r ref) string {
		g.key, _ = g.appendKey(g.key[:0], r, g.d.statement(r.part).ID)
		return string(g.key)
	}
	for _, row := range m.rows {
		have[key(ref{m.part, row})] = true
	}
	for _, r := range m.also {
		have[key(r)] = true
	}
	for _, row := range rows {
		if r := (ref{part, row}); !have[key(r)] {
			m.also = append(m.also, r)
		}
	}
}

// rowsOf returns the rows of an edge's statement that belong to a parent's row.
func (g *graph) rowsOf(part int, e *sqlgen.Edge, parent ref) []int {
	var ok bool
	if g.key, ok = g.appendKey(g.key[:0], parent, e.From); !ok {
		return nil
	}
	return g.groups[part][string(g.key)]
}

// included returns the resources to include, in the order in which the request
// first mentions what leads to them, within one path in that of the parents.
func (g *graph) included() []*node {
	var out []*node
	for _, step := range g.steps() {
		for _, row := range step.rows {
			if n := g.byRow[step.part][row]; !n.emitted {
				n.emitted = true
				out = append(out, n)
			}
		}
	}
	return out
}

// A step is the rows of one statement that are to be included, in the order in
// which they were reached.
type step struct {
	part int
	rank int
	rows []int
}

// steps returns the statements whose rows are to be included, in the order of
// the request's paths. A step is reached from its parent's rows, so these are
// gone through in the order of the pipeline.
func (g *graph) steps() []step {
	var steps []step
	order := make([][]int, len(g.byRow)) // the rows of each statement as they were reached
	for part, st := range g.d.result.Pipeline.Statements {
		switch {
		case part == g.d.page:
			order[part] = g.pageOrder()
			if g.d.read.Members {
				steps = append(steps, step{part: part, rank: -1, rows: order[part]})
			}
		case st.Edge != nil && !st.Edge.Silent:
			order[part] = g.reached(part, st.Edge, order[st.Edge.Parent])
			if st.Part == sqlgen.Rows {
				steps = append(steps, step{part: part, rank: st.Edge.Rank, rows: order[part]})
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.rank - b.rank })
	return steps
}

func (g *graph) pageOrder() []int {
	order := make([]int, g.d.rows(g.d.page).Len())
	for i := range order {
		order[i] = i
	}
	return order
}

// reached returns the rows of an edge's statement in the order in which the
// parents' rows reach them, each once.
func (g *graph) reached(part int, e *sqlgen.Edge, parents []int) []int {
	var order []int
	seen := make([]bool, g.d.rows(part).Len())
	reach := func(row int) {
		if !seen[row] {
			seen[row] = true
			order = append(order, row)
		}
	}
	for _, parent := range parents {
		if !e.Paired {
			for _, row := range g.rowsOf(part, e, ref{e.Parent, parent}) {
				reach(row)
			}
			continue
		}
		id := g.d.statement(e.Parent).ID
		g.key, _ = g.appendKey(g.key[:0], ref{e.Parent, parent}, id)
		if row, ok := g.byID[part][string(g.key)]; ok {
			reach(row)
		}
	}
	return order
}
