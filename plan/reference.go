package plan

import (
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// references sees to what the row's foreign keys lead to (contract 5.6), served
// as relationships or not.
func (c *change) references(w *Write) {
	if !c.inserts && len(c.assigned) == 0 {
		return
	}
	checked := make(map[*schema.Reference]bool, len(c.checked))
	for rel := range c.checked {
		checked[rel.Over()] = true
	}
	for _, ref := range c.mv.Model.References {
		c.reference(w, ref, checked[ref])
	}
}

// reference sees to one. A target that the request names is looked for
// beforehand, and all are looked at in the row as it was written: a part may be
// the row's own or the database's to fill in, a value may be rounded, a trigger
// may change it. One of which the request gives nothing is the database's choice.
func (c *change) reference(w *Write, ref *schema.Reference, checked bool) {
	values, at := c.given(ref)
	if at == (jsonapi.Source{}) && !ref.Generated {
		return
	}
	whole := len(values) == len(ref.From)
	blind := !c.view.Sees(ref)
	if blind && ref.Target == nil {
		return // no resource, and nothing that the role could be asked about: policies decide
	}
	switch {
	case checked || !whole:
	case blind:
		c.refuse(unseen(at))
		return
	case ref.Target != nil && !c.itself(ref.Target, ref.To, values):
		c.checkTarget(ref.Target, ref.To, typesOf(ref.From), values, at)
	}
	there := !c.inserts || c.request.Body.Upsert != nil
	w.Linked = append(w.Linked, Linked{Reference: ref, Blind: blind, Stays: there && !checked && !whole})
}

// given returns what the request gives for the columns of a foreign key, and
// where, but for NULL and what only the database knows: a place without a value
// is that of a column that it looks up. No place: nothing is given.
func (c *change) given(ref *schema.Reference) ([]any, jsonapi.Source) {
	var values []any
	var at jsonapi.Source
	for _, f := range ref.From {
		a, ok := c.assigned[f]
		if !ok {
			continue
		}
		g, inRequest := a.cell.(*Given)
		if !inRequest {
			at = a.at
		} else if v := c.values[g.Slot]; v != nil {
			at, values = a.at, append(values, v)
		}
	}
	return values, at
}
