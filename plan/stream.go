package plan

// Streams reports whether the document of the read can be written while its rows
// come, however many there are: a list of resources, or of identifiers, without
// pages and without includes, of which no row needs to know the others.
func (r *Read) Streams() bool {
	q := r.Query
	many := r.Form == Collection || r.Form == Linkage
	return many && q.Window.Limit == 0 && q.Window.Keyset == nil && len(q.Edges) == 0 && !r.Included
}
