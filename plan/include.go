package plan

import (
	"slices"

	"github.com/resourcery/resourcery/schema"
)

// includes returns the include paths that are within the limits.
func (b *builder) includes(read *Read) [][]string {
	in := b.request.Include
	if in == nil {
		return nil
	}
	read.Included = true
	if limit := b.options.Limits.Includes; len(in.Paths) > limit {
		b.refuse(tooManyIncludes(len(in.Paths), limit))
		return nil
	}
	if len(in.Paths) > 0 {
		read.Query.Edges = make([]*Edge, 0, len(in.Paths))
	}
	return b.within(in.Paths)
}

// within refuses the paths that have too many steps, and returns the others.
func (b *builder) within(paths [][]string) [][]string {
	limit := b.options.Limits.IncludeDepth
	deep := func(path []string) bool { return len(path) > limit }
	if !slices.ContainsFunc(paths, deep) {
		return paths
	}
	for _, path := range paths {
		if deep(path) {
			b.refuse(includeTooDeep(path, limit))
		}
	}
	return slices.DeleteFunc(slices.Clone(paths), deep)
}

// include adds the steps of one path to the query; steps that another path
// took before are shared. whole is the path as the client wrote it.
func (b *builder) include(q *Query, mv *schema.ModelView, path, whole []string) {
	for _, name := range path {
		rel, ok := mv.Relationship(name)
		if !ok {
			b.refuse(unknownInclude(whole, name, mv))
			return
		}
		mv = b.view.Of(rel.Target)
		q = b.edge(q, rel, mv).Query
	}
}

// RowsPerIncluded is how many rows include steps may bring for each resource
// that may be included, links over join tables among them: a resource can be
// reached several times.
const RowsPerIncluded = 10

// stepRows bounds the rows of an include step.
func (b *builder) stepRows() int { return RowsPerIncluded * b.options.Limits.Included }

// edge returns the query's edge over the relationship, new if there is none.
func (b *builder) edge(q *Query, rel *schema.Relationship, target *schema.ModelView) *Edge {
	for _, e := range q.Edges {
		if e.Relationship == rel {
			return e
		}
	}
	e := newEdge(rel)
	e.Rank = b.edges
	b.edges++
	e.Query.Fields, e.Query.Relationships = b.shown(target)
	e.Query.Window.Cap = b.stepRows()
	q.Edges = append(q.Edges, e)
	return e
}
