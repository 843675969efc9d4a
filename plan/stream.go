package plan

// RowByRow reports whether the document of the read can be written while its rows
// come: a list of resources, or of identifiers, without includes and cursors, of
// which no row needs to know the others.
func (r *Read) RowByRow() bool {
	q := r.Query
	many := r.Form == Collection || r.Form == Linkage
	return many && q.Window.Keyset == nil && len(q.Edges) == 0 && !r.Included
}

// Unbounded reports that there may be any number of rows besides.
func (r *Read) Unbounded() bool { return r.RowByRow() && r.Query.Window.Limit == 0 }
