package plan

import (
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

// windows resolves what the request says of included to-many relationships:
// how many members each parent shows, and in which order (contract 4.12). The
// edges must have been built before.
//
// One relationship that two paths reach is an edge on each, with a window of
// its own.
func (b *builder) windows(read *Read) {
	for _, p := range b.request.Page {
		if p.Path == nil {
			continue
		}
		e, ok := b.windowed(read, windowParameter{p.Parameter, p.Path, jsonapi.InvalidPage})
		switch {
		case !ok:
		case p.Name != pageLimit:
			b.refuse(unknownWindow(p))
		default:
			if n, ok := b.pageNumber(p, 1); ok {
				e.Query.Window = Window{Limit: b.trim(n), Offset: NoSlot, More: true, Cap: b.stepRows()}
			}
		}
	}
	for _, s := range b.request.SortOf {
		if e, ok := b.windowed(read, windowParameter{s.Parameter, s.Path, jsonapi.InvalidSort}); ok {
			e.Query.Order = b.order(e.Query, s.Keys, s.Parameter)
		}
	}
}

// windowed finds the edge that a parameter speaks of. On relationship reads,
// paths start at the parent, so their first step is primary data.
func (b *builder) windowed(read *Read, p windowParameter) (*Edge, bool) {
	path := p.path
	if read.Form == Linkage && path[0] == read.Parent.Relationship.Name {
		if len(path) == 1 {
			b.refuse(windowOfPrimary(p))
			return nil, false
		}
		path = path[1:]
	}
	var e *Edge
	q := read.Query
	for _, name := range path {
		if e = q.edgeOver(name); e == nil {
			b.refuse(notIncluded(p))
			return nil, false
		}
		q = e.Query
	}
	if !e.Relationship.Many {
		b.refuse(windowOfOne(p, e.Relationship))
		return nil, false
	}
	return e, true
}

// edgeOver returns the edge that was asked for under the relationship's name.
func (q *Query) edgeOver(name string) *Edge {
	for _, e := range q.Edges {
		if e.Relationship.Name == name && !e.Silent {
			return e
		}
	}
	return nil
}

// speaksOfIncluded reports whether a parameter is about an included
// relationship, not about primary data.
func (b *builder) speaksOfIncluded(p parse.Param) bool {
	for _, window := range b.request.Page {
		if window.Parameter == p.Name {
			return window.Path != nil
		}
	}
	for _, sort := range b.request.SortOf {
		if sort.Parameter == p.Name {
			return true
		}
	}
	return false
}

// Sort spells the query's order as the parameter sort does; "" where it is that
// of the id.
func (q *Query) Sort() string {
	n := len(q.Order)
	for n > 0 && sameOrder(byKey(q.Model, q.Order[:n-1:n-1], n > 1 && q.Order[n-2].Desc), q.Order) {
		n-- // the rest follows from what is before it
	}
	keys := make([]string, n)
	for i, o := range q.Order[:n] {
		keys[i] = q.sortKey(o)
	}
	return strings.Join(keys, ",")
}

func sameOrder(a, b []Order) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Desc != b[i].Desc || termText(a[i].Term) != termText(b[i].Term) {
			return false
		}
	}
	return true
}

func (q *Query) sortKey(o Order) string {
	sign := ""
	if o.Desc {
		sign = "-"
	}
	switch t := o.Term.(type) {
	case FieldTerm:
		m := q.Model
		if len(t.Path) > 0 {
			m = t.Path[len(t.Path)-1].Target
		}
		name := t.Field.Name
		if len(m.Key) == 1 && m.Key[0] == t.Field {
			name = idName
		}
		return sign + pathText(t.Path) + name
	case CountTerm:
		return sign + pathText(t.Path) + t.Relationship.Name + "$" + countOperator
	default:
		panic("plan: rows are sorted by fields and counts")
	}
}
