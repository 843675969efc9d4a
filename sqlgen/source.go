package sqlgen

import (
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A source is the FROM of one statement over a query's model: its alias, and
// the to-one targets joined to it.
type source struct {
	aliases
	at      string
	joins   []string          // LEFT JOIN clauses, in order
	joined  map[string]string // alias by relationship path
	counts  map[string]string // expression by relationship path
	columns columns
}

func newSource() *source {
	s := &source{joined: make(map[string]string), counts: make(map[string]string)}
	s.at = s.next()
	return s
}

// layout adds the columns of a row that is shown as a resource, and says in the
// statement where they are.
func (s *source) layout(st *Statement, q *plan.Query) {
	st.Model, st.Fields, st.Relationships = q.Model, q.Fields, q.Relationships
	st.ID = s.fields(q.Model.Key)
	st.Attributes = s.fields(q.Fields)
	for _, rel := range q.Relationships {
		if rel.Own {
			st.Linkages = append(st.Linkages, Linkage{Relationship: rel, Columns: s.linkage(rel)})
		}
	}
	if len(q.Digest) > 0 {
		st.Digest = s.columns.add(digest(s.at, q.Digest), plainText)
	}
}

// fields adds a column for each field of the row itself.
func (s *source) fields(fields []*schema.Field) []int {
	out := make([]int, len(fields))
	for i, f := range fields {
		out[i] = s.columns.add(column(s.at, f.Column), f.Type)
	}
	return out
}

// linkage adds the columns that tell the target's id of a to-one relationship
// over the row's own foreign key: the key's value where it spells the id; else
// read from the target, and so NULL where the caller may not see it.
func (s *source) linkage(rel *schema.Relationship) []int {
	key := rel.Target.Key
	out := make([]int, len(key))
	for i, f := range key {
		if !rel.ByID {
			out[i] = s.columns.add(column(s.join(s.at, "", rel), f.Column), f.Type)
			continue
		}
		own := as(column(s.at, rel.From[i].Column), rel.From[i].Type, f.Type)
		if !bytewise(f.Type) {
			// Equal values may be spelled in several ways; the id has the target's.
			own = "coalesce(" + column(s.join(s.at, "", rel), f.Column) + ", " + own + ")"
		}
		out[i] = s.columns.add(own, f.Type)
	}
	return out
}

// join left-joins the target of a to-one relationship of the row that the alias
// names, and returns the target's alias. prefix is the path to that row.
func (s *source) join(at, prefix string, rel *schema.Relationship) string {
	path := prefix + "." + rel.Name
	if have, ok := s.joined[path]; ok {
		return have
	}
	target := s.next()
	s.joined[path] = target
	s.joins = append(s.joins, table(rel.Target.Table)+" "+target+" ON "+pairEquals(target, rel.To, at, rel.From))
	return target
}

// A sortKey is one expression of ORDER BY.
type sortKey struct {
	expr string
	desc bool
}

func (k sortKey) over(expr string) string {
	if k.desc {
		return expr + " DESC"
	}
	return expr
}

// order lowers a query's order.
func (s *source) order(order []plan.Order) []sortKey {
	out := make([]sortKey, len(order))
	for i, o := range order {
		out[i] = sortKey{expr: s.sortTerm(o.Term), desc: o.Desc}
	}
	return out
}

// sortTerm lowers what is sorted by. To-one steps to a field are joined, once
// for all keys; a count behind them is NULL where they lead nowhere, as it is
// where rows are filtered by it, and a join would make it 0.
func (s *source) sortTerm(t plan.Term) string {
	switch t := t.(type) {
	case plan.FieldTerm:
		return column(s.joinAll(t.Path), t.Field.Column)
	case plan.CountTerm:
		return s.countOnce(t)
	default:
		panic("sqlgen: rows are sorted by fields and counts")
	}
}

// countOnce is the expression of a count, the same whenever it is asked for.
func (s *source) countOnce(t plan.CountTerm) string {
	path := t.Relationship.Name
	for i := len(t.Path) - 1; i >= 0; i-- {
		path = t.Path[i].Name + "." + path
	}
	if have, ok := s.counts[path]; ok {
		return have
	}
	s.counts[path] = s.counted(s.at, t.Path, t.Relationship)
	return s.counts[path]
}

func (s *source) joinAll(path []*schema.Relationship) string {
	at, prefix := s.at, ""
	for _, rel := range path {
		at = s.join(at, prefix, rel)
		prefix += "." + rel.Name
	}
	return at
}

func orderBy(keys []sortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = k.over(k.expr)
	}
	return strings.Join(parts, ", ")
}
