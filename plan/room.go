package plan

import (
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// A room is what most plans consist of, allocated in one piece: the parts live
// as long as the plan.
type room struct {
	plan    Plan
	read    Read
	rows    rows
	values  [2]any
	sources [2]jsonapi.Source
}

// A rows is a query with room for a sort key and the id behind it.
type rows struct {
	query Query
	order [2]Order
}

// of is the query for rows of the model, in no order yet and without anything
// that they show.
func (r *rows) of(m *schema.Model) *Query {
	r.query = Query{Model: m, Order: r.order[:0], Window: Window{Offset: NoSlot}}
	return &r.query
}

// newEdge is an edge with the bare query of its target, in one piece as well.
func newEdge(rel *schema.Relationship) *Edge {
	room := new(struct {
		edge Edge
		rows rows
	})
	room.edge = Edge{Relationship: rel, Query: room.rows.bare(rel.Target)}
	return &room.edge
}

// bare is a query that shows identifiers only, in the order of the key.
func (r *rows) bare(m *schema.Model) *Query {
	q := r.of(m)
	q.Order = byKey(m, q.Order, false)
	return q
}
