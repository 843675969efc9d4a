package schema

import "slices"

// A Reference is a foreign key of a model's own rows, of which a relationship
// may be served or not: it decides to which rows of other tables a row may be
// linked.
type Reference struct {
	Ordinal int      // index in Model.References
	From    []*Field // the model's own columns
	Table   Table    // what is referenced; it need not be exposed
	// To pairs with From. Where Target is nil they are fields of no model.
	To     []*Field
	Target *Model // nil where the referenced table is no model
	// Generated reports that the database computes one of From from other columns.
	Generated bool
}

// Over returns the reference that the relationship is served over, nil where
// the foreign key is not in the model's own row.
func (r *Relationship) Over() *Reference {
	if !r.Own {
		return nil
	}
	i := slices.IndexFunc(r.Model.References, func(ref *Reference) bool {
		return ref.Target == r.Target && len(ref.From) == len(r.From) && ref.pairs(r.From, r.To)
	})
	if i < 0 {
		return nil
	}
	return r.Model.References[i]
}

// pairs reports whether the reference pairs the fields in the same way, in any
// order.
func (ref *Reference) pairs(from, to []*Field) bool {
	for i, f := range from {
		found := false
		for j, own := range ref.From {
			found = found || own == f && ref.To[j] == to[i]
		}
		if !found {
			return false
		}
	}
	return true
}

// addReferences gives the models their foreign keys, in the order of the keys'
// names, each once.
func (b *builder) addReferences() {
	seen := map[*tableState][]*ForeignKey{}
	for i := range b.catalog.ForeignKeys {
		k := &b.catalog.ForeignKeys[i]
		t := b.tables[k.Table]
		if t == nil || t.model == nil || len(k.Columns) != len(k.RefColumns) || sameKey(seen[t], k) != nil {
			continue
		}
		from := knownFields(t, k.Columns)
		to := b.referenced(k, from)
		if len(from) != len(k.Columns) || len(to) != len(from) {
			continue // refused already
		}
		seen[t] = append(seen[t], k)
		ref := &Reference{Ordinal: len(t.model.References), From: from, Table: k.References, To: to}
		if known := b.tables[k.References]; known != nil {
			ref.Target = known.model
		}
		ref.Generated = slices.ContainsFunc(k.Columns, func(c string) bool { return t.columns[c].Generated })
		t.model.References = append(t.model.References, ref)
	}
}

// referenced returns the fields that a foreign key of these fields leads to. Of
// a table that is not exposed only the columns' names are known; their types are
// taken to be those of the fields.
func (b *builder) referenced(k *ForeignKey, from []*Field) []*Field {
	t := b.tables[k.References]
	if t != nil && t.model != nil {
		return knownFields(t, k.RefColumns)
	}
	var to []*Field
	for i, c := range k.RefColumns {
		f := &Field{Ordinal: -1, Column: c}
		switch {
		case t != nil && t.types[c] != nil:
			f.Type = t.types[c]
		case t == nil && i < len(from):
			f.Type = from[i].Type
		default:
			return nil
		}
		to = append(to, f)
	}
	return to
}
