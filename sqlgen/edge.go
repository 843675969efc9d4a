package sqlgen

import (
	"slices"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A handover numbers the variables in which statements leave keys for others.
type handover struct{ next int }

// A handed is the columns of one statement that other statements start from,
// and the variables that carry their values.
type handed struct {
	columns   []int
	variables []string
}

// starts adds the columns that the edges start from, and gives each set of
// columns its variables. The result pairs with the edges; edges that start from
// the same columns share one handed.
func (h *handover) starts(edges []*plan.Edge, columnsOf func(*schema.Relationship) []int) []handed {
	out := make([]handed, len(edges))
next:
	for i, e := range edges {
		columns := columnsOf(e.Relationship)
		for _, have := range out[:i] {
			if slices.Equal(have.columns, columns) {
				out[i] = have
				continue next
			}
		}
		out[i] = h.hand(columns)
	}
	return out
}

func (h *handover) hand(columns []int) handed {
	out := handed{columns: columns}
	for range columns {
		h.next++
		out.variables = append(out.variables, variable(h.next))
	}
	return out
}

// leave selects what leaves the keys of the rows of `page` in their variables.
func leave(all []handed) sq.SelectBuilder {
	var sets []string
	seen := make(map[string]bool)
	for _, h := range all {
		for i, name := range h.variables {
			if !seen[name] {
				seen[name] = true
				sets = append(sets, "set_config('"+name+"', coalesce(array_agg("+output(h.columns[i])+")::text, '{}'), true)")
			}
		}
	}
	return sq.Select(sets...).From("page")
}

// received is the array of keys in a variable. Behind a scalar sub-select
// Postgres expects ten keys and uses the index, however many there were when
// the statement was planned.
func received(name string, t *schema.Type) string {
	return "(SELECT current_setting('" + name + "'))::" + typeName(t) + "[]"
}

// edges lowers the edges of a query, each with its own edges after it, in the
// order of the include paths. parent is the statement whose rows they start
// from.
func (c *Compiler) edges(p *Pipeline, q *plan.Query, parent int, from []handed, hand *handover) {
	for i, e := range q.Edges {
		lowered := c.edge(e, from[i].variables, hand)
		first := len(p.Statements)
		for n, st := range lowered.statements {
			placed := *st
			edge := *st.Edge
			edge.Parent, edge.From = parent, from[i].columns
			if edge.Paired {
				edge.Parent, edge.From = first+n-1, nil
			}
			placed.Edge = &edge
			p.add(&placed)
		}
		c.edges(p, e.Query, len(p.Statements)-1, lowered.from, hand)
	}
}

// A lowered edge is its statements without their place in a pipeline, and what
// the last of them hands on.
type loweredEdge struct {
	statements []*Statement
	from       []handed
	used       int // variables that were numbered
}

// lowerEdge lowers one edge that finds its parents' keys in the variables.
func lowerEdge(e *plan.Edge, variables []string, hand *handover) *loweredEdge {
	start := hand.next
	out := &loweredEdge{}
	if e.Relationship.Through != nil {
		out.paired(e, variables, hand)
	} else {
		out.direct(e, variables, hand)
	}
	out.used = hand.next - start
	return out
}

// direct lowers an edge over a foreign key: the rows themselves tell which
// parents they belong to.
func (out *loweredEdge) direct(e *plan.Edge, variables []string, hand *handover) {
	rel := e.Relationship
	s := selectFrom(e.Query)
	st := &Statement{Part: Rows, Edge: &Edge{Relationship: rel, Silent: e.Silent}}
	s.layout(st, e.Query)
	to := make([]string, len(rel.To))
	for i, f := range rel.To {
		to[i] = column(s.at, f.Column)
	}
	st.Edge.To = s.matched(to, typesOf(rel.To), typesOf(rel.From), variables)
	out.from = s.finish(st, hand)
	out.statements = append(out.statements, st)
}

// paired lowers an edge over a join table: first which parent is linked to
// which resource, then the resources, each once.
func (out *loweredEdge) paired(e *plan.Edge, variables []string, hand *handover) {
	rel, j := e.Relationship, e.Relationship.Through
	s := selectFrom(&plan.Query{Model: rel.Target, Order: e.Query.Order, Window: plan.Window{Offset: plan.NoSlot}})
	join := s.next()
	s.from += " JOIN " + table(j.Table) + " " + join + " ON " + joinEquals(join, j.Far, s.at, rel.To)
	st := &Statement{Part: Pairs, Model: rel.Target, ID: s.fields(rel.Target.Key), Edge: &Edge{Relationship: rel, Silent: e.Silent}}
	near, types := make([]string, len(j.Near)), make([]*schema.Type, len(j.Near))
	for i, c := range j.Near {
		near[i], types[i] = column(join, c.Name), c.Type
	}
	st.Edge.To = s.matched(near, types, typesOf(rel.From), variables)
	out.statements = append(out.statements, st)
	if e.Silent {
		s.finish(st, hand)
		return
	}
	ids := hand.hand(st.ID)
	s.finishWith(st, []handed{ids})

	s = selectFrom(e.Query)
	resources := &Statement{Part: Rows, Edge: &Edge{Relationship: rel, Paired: true}}
	s.layout(resources, e.Query)
	key := make([]string, len(rel.Target.Key))
	for i, f := range rel.Target.Key {
		key[i] = column(s.at, f.Column)
	}
	s.where = append(s.where, text(among(key, typesOf(rel.Target.Key), ids.variables)))
	out.from = s.finish(resources, hand)
	out.statements = append(out.statements, resources)
}

// matched keeps the rows whose columns are among the keys in the variables, and
// returns output columns that have the very bytes of these keys. Where equal
// values may differ in their bytes, the keys themselves are joined and sent.
func (s *selection) matched(exprs []string, types, keyTypes []*schema.Type, variables []string) []int {
	out := make([]int, len(exprs))
	if allBytewise(keyTypes) && allBytewise(types) {
		s.where = append(s.where, text(among(exprs, keyTypes, variables)))
		for i, expr := range exprs {
			out[i] = s.columns.add(as(expr, types[i], keyTypes[i]), keyTypes[i])
		}
		return out
	}
	keys := s.next()
	names, on, distinct := make([]string, len(exprs)), make([]string, len(exprs)), make([]string, len(exprs))
	arrays := make([]string, len(exprs))
	for i, expr := range exprs {
		names[i] = "k" + output(i)
		on[i] = expr + " = " + keys + "." + names[i]
		distinct[i] = names[i] + "::text"
		arrays[i] = received(variables[i], keyTypes[i])
		out[i] = s.columns.add(keys+"."+names[i], keyTypes[i])
	}
	list := strings.Join(names, ", ")
	s.from += " JOIN (SELECT DISTINCT ON (" + strings.Join(distinct, ", ") + ") " + list +
		" FROM unnest(" + strings.Join(arrays, ", ") + ") AS u(" + list + ")) " + keys + " ON " + strings.Join(on, " AND ")
	return out
}

func allBytewise(types []*schema.Type) bool {
	for _, t := range types {
		if !bytewise(t) {
			return false
		}
	}
	return true
}

// among compares columns with the keys in the variables.
func among(exprs []string, types []*schema.Type, variables []string) string {
	if len(exprs) == 1 {
		return exprs[0] + " IN (SELECT unnest(" + received(variables[0], types[0]) + "))"
	}
	arrays := make([]string, len(exprs))
	for i, t := range types {
		arrays[i] = received(variables[i], t)
	}
	return "(" + strings.Join(exprs, ", ") + ") IN (SELECT * FROM unnest(" + strings.Join(arrays, ", ") + "))"
}

func typesOf(fields []*schema.Field) []*schema.Type {
	out := make([]*schema.Type, len(fields))
	for i, f := range fields {
		out[i] = f.Type
	}
	return out
}
