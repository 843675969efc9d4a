package evaluate_test

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// An intent is what a request asks for, as its maker knows it. The plan that it
// makes owes nothing to the product's, but for the parts of cursors.
type intent struct {
	settings
	*literals
	view    *schema.View
	request request
	narrow  map[*schema.Model][]string // fieldsets
	edges   int
}

// meant is the plan of a right request.
func (s settings) meant(view *schema.View, r request, built *plan.Plan) *plan.Plan {
	in := &intent{settings: s, literals: &literals{values: slices.Clone(built.Values)}, view: view, request: r, narrow: map[*schema.Model][]string{}}
	in.fieldsets()
	read := in.read()
	if in.followsCursors() {
		read.Query.Window.Keyset = cmp.Or(built.Action.(*plan.Read).Query.Window.Keyset, &plan.Keyset{})
	}
	read.MaxIncluded = cmp.Or(s.maxIncluded, 10_000)
	_, read.Included = r.parameter("include")
	for _, p := range r.params {
		in.include(read, p.include)
	}
	for _, p := range r.params {
		in.window(read, p)
	}
	return &plan.Plan{Action: read, Values: in.values}
}

// fieldsets reads what the request narrows.
func (in *intent) fieldsets() {
	for _, p := range in.request.params {
		if p.fieldset != nil {
			in.narrow[p.fieldset] = strings.Split(p.values[0], ",")
		}
	}
}

// read is the form, where it starts, and the query without its edges.
func (in *intent) read() *plan.Read {
	r := in.request
	switch {
	case r.rel == nil && r.id == nil:
		return &plan.Read{Form: plan.Collection, Query: in.listing(r.model)}
	case r.rel == nil:
		return &plan.Read{Form: plan.Resource, Query: in.resource(r.model)}
	case r.linkage && !r.rel.Many:
		read := &plan.Read{Form: plan.ToOneLinkage, Query: in.resource(r.model)}
		read.Query.Fields, read.Query.Relationships = nil, []*schema.Relationship{r.rel}
		if _, included := r.parameter("include"); !included && !r.rel.Own {
			read.Query.Edges = []*plan.Edge{{Relationship: r.rel, Query: in.query(r.rel.Target), Silent: true}}
		}
		return read
	}
	parent := &plan.Parent{Relationship: r.rel}
	for _, v := range r.id {
		parent.Key = append(parent.Key, in.slot(v))
	}
	read := &plan.Read{Form: plan.Collection, Parent: parent, Query: in.listing(r.rel.Target)}
	switch {
	case r.linkage:
		read.Form = plan.Linkage
		if _, read.Members = r.parameter("include"); !read.Members {
			read.Query.Fields, read.Query.Relationships = nil, nil
		}
	case !r.rel.Many:
		read.Form = plan.RelatedResource
		read.Query.Window, read.Query.Total = plan.Window{Offset: plan.NoSlot}, plan.Total{}
	}
	return read
}

// query shows what the fieldsets leave, in the order of the id.
func (in *intent) query(m *schema.Model) *plan.Query {
	mv := in.view.Of(m)
	q := &plan.Query{Model: m, Fields: mv.Attributes, Relationships: mv.Relationships, Order: byKey(m, nil), Window: plan.Window{Offset: plan.NoSlot}}
	if names, narrowed := in.narrow[m]; narrowed {
		q.Fields = slices.DeleteFunc(slices.Clone(q.Fields), func(f *schema.Field) bool { return !slices.Contains(names, f.Name) })
		q.Relationships = slices.DeleteFunc(slices.Clone(q.Relationships), func(r *schema.Relationship) bool { return !slices.Contains(names, r.Name) })
	}
	return q
}

func (in *intent) resource(m *schema.Model) *plan.Query {
	q := in.query(m)
	for i, f := range m.Key {
		q.Where = append(q.Where, compares("eq", plan.FieldTerm{Field: f}, f.Type, in.request.id[i])(in.literals))
	}
	return q
}

func (in *intent) listing(m *schema.Model) *plan.Query {
	q := in.query(m)
	for _, p := range in.request.params {
		if p.means != nil {
			q.Where = append(q.Where, p.means(in.literals))
		}
		if p.name == "sort" {
			q.Order = p.order
		}
	}
	q.Window = in.page()
	q.Total = plan.Total{Kind: plan.ExactTotal}
	if text, ok := in.request.parameter("page[total]"); ok && text == "none" {
		q.Total.Kind = plan.NoTotal
	} else if n, err := strconv.Atoi(text); err == nil {
		q.Total = plan.Total{Kind: plan.BoundedTotal, Limit: n}
	}
	return q
}

// page is the page of primary data, without its cursors.
func (in *intent) page() plan.Window {
	w := plan.Window{Limit: max(in.pageSize, 0), Offset: plan.NoSlot}
	number := func(name string, otherwise int) int {
		text, ok := in.request.parameter(name)
		if !ok {
			return otherwise
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			panic(err)
		}
		return n
	}
	_, after := in.request.parameter("page[after]")
	if _, before := in.request.parameter("page[before]"); after && before && w.Limit > 0 {
		w.Limit = in.maxPageSize // a range is shown as far as may be
	}
	w.Limit = in.trimmed(number("page[size]", number("page[limit]", w.Limit)))
	_, sized := in.request.parameter("page[size]")
	_, w.Number = in.request.parameter("page[number]")
	w.Number = w.Number || sized
	offset := number("page[offset]", (number("page[number]", 1)-1)*w.Limit)
	if offset > 0 {
		w.Offset = in.slot(int64(offset))
	}
	return w
}

// followsCursors reports whether pages follow cursors: the request has one, or
// has a size alone and asks for the profile (contract 4.11).
func (in *intent) followsCursors() bool {
	_, after := in.request.parameter("page[after]")
	_, before := in.request.parameter("page[before]")
	_, size := in.request.parameter("page[size]")
	_, number := in.request.parameter("page[number]")
	return after || before || in.request.profile && size && !number
}

func (in *intent) trimmed(limit int) int {
	if in.maxPageSize > 0 {
		return min(limit, in.maxPageSize)
	}
	return limit
}

// include adds the edges of paths. Those of a to-many's linkage start at the
// parent, so that their first step is primary data.
func (in *intent) include(read *plan.Read, paths [][]*schema.Relationship) {
	for _, path := range paths {
		if read.Form == plan.Linkage {
			path = path[1:]
		}
		q := read.Query
		for _, rel := range path {
			e := edgeOver(q, rel.Name)
			if e == nil {
				e = &plan.Edge{Relationship: rel, Query: in.query(rel.Target), Rank: in.edges}
				in.edges++
				q.Edges = append(q.Edges, e)
			}
			q = e.Query
		}
	}
}

func edgeOver(q *plan.Query, name string) *plan.Edge {
	for _, e := range q.Edges {
		if e.Relationship.Name == name {
			return e
		}
	}
	return nil
}

// window is what a parameter says of an included relationship.
func (in *intent) window(read *plan.Read, p parameter) {
	if p.path == "" {
		return
	}
	names := strings.Split(p.path, ".")
	if read.Form == plan.Linkage {
		names = names[1:]
	}
	q := read.Query
	for _, name := range names {
		q = edgeOver(q, name).Query
	}
	if p.order != nil {
		q.Order = p.order
		return
	}
	limit, err := strconv.Atoi(p.values[0])
	if err != nil {
		panic(err)
	}
	q.Window.Limit = in.trimmed(limit)
}
