package sqlgen

import (
	"slices"
	"strconv"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A handover numbers the lists of keys that statements leave for others.
type handover struct{ next int }

// A handed is the columns of one statement that other statements start from,
// and the numbers under which their values are handed on.
type handed struct {
	columns []int
	keys    []int
}

// starts adds the columns that the edges start from, and gives each of them a
// number. The result pairs with the edges; edges that start from
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
		out.keys = append(out.keys, h.next)
	}
	return out
}

// handsOf lists what is handed on, each list once.
func handsOf(all []handed) []Hand {
	var hands []Hand
	for _, h := range all {
		for i, key := range h.keys {
			if hand := (Hand{Column: h.columns[i], Key: key}); !slices.Contains(hands, hand) {
				hands = append(hands, hand)
			}
		}
	}
	return hands
}

// leave sets the variables of the keys of the rows of `page`.
func leave(hands []Hand) []string {
	sets := make([]string, len(hands))
	for i, h := range hands {
		values := output(h.Column)
		if h.Distinct {
			values = "DISTINCT " + values
		}
		sets[i] = "pg_catalog.set_config('" + variable(h.Key) + "', coalesce(pg_catalog.array_agg(" + values + ")::text, '{}'), true)"
	}
	return sets
}

// A received is a list of keys that an earlier statement has handed on, as an
// array. Its selection says in which form. Behind a scalar sub-select Postgres
// expects ten keys and uses the index, however many there were when the
// statement was planned.
type received struct {
	selection *selection
	key       int
	typ       *schema.Type
}

func (r received) ToSql() (string, []any, error) {
	if r.selection.bound {
		return "?::" + typeName(r.typ.Base()) + "[]", []any{Param{Slot: plan.NoSlot, Key: r.key, Type: r.typ, List: true}}, nil
	}
	return "(SELECT pg_catalog.current_setting('" + variable(r.key) + "'))::" + typeName(r.typ.Base()) + "[]", nil, nil
}

// edges lowers the edges of a query, each with its own edges after it, in the
// order of the include paths. parent is the statement whose rows they start
// from.
func (c *Compiler) edges(p *Pipeline, q *plan.Query, parent int, from []handed, hand *handover) {
	for i, e := range q.Edges {
		lowered := c.edge(e, from[i].keys, hand)
		first := len(p.Statements)
		for n, st := range lowered.statements {
			placed := *st
			edge := *st.Edge
			edge.Rank, edge.Parent, edge.From = e.Rank, parent, from[i].columns
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

// lowerEdge lowers one edge that starts from the keys of these numbers.
func lowerEdge(e *plan.Edge, keys []int, hand *handover) *loweredEdge {
	start := hand.next
	out := &loweredEdge{}
	if e.Relationship.Through != nil {
		out.paired(e, keys, hand)
	} else {
		out.direct(e, keys, hand)
	}
	out.used = hand.next - start
	return out
}

// direct lowers an edge over a foreign key: the rows themselves tell which
// parents they belong to.
func (out *loweredEdge) direct(e *plan.Edge, keys []int, hand *handover) {
	rel := e.Relationship
	s := selectFrom(e.Query)
	st := &Statement{Part: Rows, Edge: edgeOf(e)}
	s.layout(st, e.Query)
	to := make([]string, len(rel.To))
	for i, f := range rel.To {
		to[i] = column(s.at, f.Column)
	}
	st.Edge.To = s.matched(to, typesOf(rel.To), typesOf(rel.From), keys)
	out.from = s.finish(st, hand)
	out.statements = append(out.statements, st)
}

// paired lowers an edge over a join table: first which parent is linked to
// which resource, then the resources, each once. It is never a silent one, as
// join tables make to-many relationships.
func (out *loweredEdge) paired(e *plan.Edge, keys []int, hand *handover) {
	rel, j := e.Relationship, e.Relationship.Through
	s := selectFrom(&plan.Query{Model: rel.Target, Order: e.Query.Order, Window: e.Query.Window})
	join := s.next()
	s.from += " JOIN " + table(j.Table) + " " + join + " ON " + joinEquals(join, j.Far, s.at, rel.To)
	st := &Statement{Part: Pairs, Model: rel.Target, ID: s.fields(rel.Target.Key), Edge: edgeOf(e)}
	near, types := make([]string, len(j.Near)), make([]*schema.Type, len(j.Near))
	for i, c := range j.Near {
		near[i], types[i] = column(join, c.Name), c.Type
	}
	st.Edge.To = s.matched(near, types, typesOf(rel.From), keys)
	out.statements = append(out.statements, st)
	ids := hand.hand(st.ID)
	s.finishWith(st, []handed{ids})

	s = selectFrom(unordered(e.Query))
	resources := &Statement{Part: Rows, Edge: &Edge{Relationship: rel, Paired: true}}
	s.layout(resources, s.query)
	key := make([]string, len(rel.Target.Key))
	for i, f := range rel.Target.Key {
		key[i] = column(s.at, f.Column)
	}
	s.where = append(s.where, s.among(key, typesOf(rel.Target.Key), typesOf(rel.Target.Key), ids.keys))
	out.from = s.finish(resources, hand)
	out.statements = append(out.statements, resources)
}

// edgeOf is the edge without its place in a pipeline.
func edgeOf(e *plan.Edge) *Edge {
	return &Edge{Relationship: e.Relationship, Silent: e.Silent, Limit: e.Query.Window.Limit, Sort: e.Query.Sort()}
}

// unordered is a query for rows that are found by their keys: all of them, in
// the order of these.
func unordered(q *plan.Query) *plan.Query {
	all := *q
	all.Window = plan.Window{Offset: plan.NoSlot, Cap: q.Window.Cap}
	all.Order = nil
	for _, f := range q.Model.Key {
		all.Order = append(all.Order, plan.Order{Term: plan.FieldTerm{Field: f}})
	}
	return &all
}

// matched keeps the rows whose columns are among the keys of these numbers, and
// returns output columns that have the very bytes of these keys. Where equal
// values may differ in their bytes, the keys themselves are joined and sent.
func (s *selection) matched(exprs []string, types, keyTypes []*schema.Type, keys []int) []int {
	if s.query.Window.Limit > 0 {
		return s.matchedEach(exprs, types, keyTypes, keys)
	}
	out := make([]int, len(exprs))
	if allBytewise(keyTypes) && allBytewise(types) {
		s.where = append(s.where, s.among(exprs, types, keyTypes, keys))
		for i, expr := range exprs {
			out[i] = s.columns.add(as(expr, types[i], keyTypes[i]), keyTypes[i])
		}
		return out
	}
	at := s.next()
	s.keyed = sq.Expr("JOIN (?) "+at+" ON "+equalKeys(at, exprs, types, keyTypes), s.keyTable(keyTypes, keys))
	return s.keyColumns(at, keyTypes)
}

// matchedEach does the same where every parent has a window of its own: its rows
// are selected for one key at a time. Keys that came twice would double it.
func (s *selection) matchedEach(exprs []string, types, keyTypes []*schema.Type, keys []int) []int {
	s.keysAt = s.next()
	each := s.keyTable(keyTypes, keys)
	s.each = &each
	s.where = append(s.where, text(equalKeys(s.keysAt, exprs, types, keyTypes)))
	return s.keyColumns(s.keysAt, keyTypes)
}

// keyTable selects the keys of these numbers, each spelling once, as k0, k1, ...
func (s *selection) keyTable(types []*schema.Type, keys []int) sq.SelectBuilder {
	names, distinct := make([]string, len(keys)), make([]string, len(keys))
	for i := range keys {
		names[i] = keyName(i)
		distinct[i] = names[i] + "::text"
	}
	list := strings.Join(names, ", ")
	return sq.Select("DISTINCT ON (" + strings.Join(distinct, ", ") + ") " + list).
		SuffixExpr(sq.Expr("FROM "+unnested(len(keys))+" AS u("+list+")", s.received(types, keys)...))
}

func keyName(i int) string { return "k" + strconv.Itoa(i) }

// equalKeys compares expressions with the keys of a keyTable.
func equalKeys(at string, exprs []string, types, keyTypes []*schema.Type) string {
	on := make([]string, len(exprs))
	for i, expr := range exprs {
		on[i] = equals(expr, types[i], at+"."+keyName(i), keyTypes[i])
	}
	return strings.Join(on, " AND ")
}

// keyColumns adds the keys themselves to the columns.
func (s *selection) keyColumns(at string, types []*schema.Type) []int {
	out := make([]int, len(types))
	for i, t := range types {
		out[i] = s.columns.add(at+"."+keyName(i), t)
	}
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

// among compares columns with the keys of these numbers.
func (s *selection) among(exprs []string, types, keyTypes []*schema.Type, keys []int) sq.Sqlizer {
	return tuples(exprs, types, keyTypes, s.received(keyTypes, keys))
}

// received returns the arrays of keys.
func (s *selection) received(types []*schema.Type, keys []int) []any {
	arrays := make([]any, len(keys))
	for i, key := range keys {
		arrays[i] = received{selection: s, key: key, typ: types[i]}
	}
	return arrays
}

func typesOf(fields []*schema.Field) []*schema.Type {
	out := make([]*schema.Type, len(fields))
	for i, f := range fields {
		out[i] = f.Type
	}
	return out
}
