package encode

import (
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/sqlgen"
)

// included appends the included resources, each once, in the order in which the
// request first mentions what leads to them, within one path in that of the
// parents.
func (d *document) included() error {
	mark := d.notes.enter("included")
	d.text(`,"included":[`)
	if d.graph == nil && d.read.Members {
		d.relate()
	}
	if d.graph != nil {
		if err := d.includedResources(); err != nil {
			return err
		}
	}
	d.text("]")
	d.notes.leave(mark)
	return nil
}

func (d *document) includedResources() error {
	d.graph.reach()
	count := 0
	if d.read.Members { // of primary data there are identifiers alone
		if err := d.includedOf(d.page, &count); err != nil {
			return err
		}
	}
	for _, part := range d.layout.included {
		if err := d.includedOf(part, &count); err != nil {
			return err
		}
	}
	return nil
}

// includedOf appends those of a statement's resources that are not there yet;
// count is how many are.
func (d *document) includedOf(part int, count *int) error {
	for _, row := range d.graph.reachedOf(part) {
		n := &d.graph.nodes[d.graph.at(ref{int32(part), row}).node]
		if n.emitted {
			continue
		}
		n.emitted = true
		if *count == d.read.MaxIncluded {
			return exec.TooManyIncluded(d.read.MaxIncluded)
		}
		if *count > 0 {
			d.text(",")
		}
		index := d.notes.enterIndex(*count)
		if err := d.resource(n.first); err != nil {
			return err
		}
		d.notes.leave(index)
		*count++
	}
	return nil
}

// reach finds the order in which the rows of each statement are reached. They
// are from the rows of their parents, so these are gone through in the order of
// the pipeline.
func (g *graph) reach() {
	g.order = resized(g.order, len(g.rows))
	g.ends = append(g.ends[:0], g.first...)
	for part, st := range g.d.result.Pipeline.Statements {
		switch {
		case part == g.d.page:
			for row := range g.d.rows(part).Len() {
				g.reachRow(part, int32(row))
			}
		case st.Edge != nil && !st.Edge.Silent:
			g.reachFrom(part, st.Edge)
		}
	}
}

// reachFrom reaches the rows of an edge's statement from their parents'.
func (g *graph) reachFrom(part int, e *sqlgen.Edge) {
	columns := e.From
	if e.Paired {
		columns = g.d.statement(e.Parent).ID
	}
	parents := g.d.rows(e.Parent)
	for _, parent := range g.reachedOf(e.Parent) {
		rows := g.links[part].rowsOf(parents, int(parent), columns)
		if e.Paired && len(rows) > 1 { // one resource, of which the last row counts
			rows = rows[len(rows)-1:]
		}
		for _, row := range rows {
			g.reachRow(part, row)
		}
	}
}

// reachRow puts a row behind those of its statement that have been reached.
func (g *graph) reachRow(part int, row int32) {
	if at := g.at(ref{int32(part), row}); !at.reached {
		at.reached = true
		g.order[g.ends[part]] = row
		g.ends[part]++
	}
}

// reachedOf returns the rows of a statement in the order in which they were
// reached.
func (g *graph) reachedOf(part int) []int32 { return g.order[g.first[part]:g.ends[part]] }
