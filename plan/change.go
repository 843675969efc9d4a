package plan

import (
	"cmp"
	"slices"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// A change gathers what a request writes to one row.
type change struct {
	*builder
	mv       *schema.ModelView
	inserts  bool // the row is a new one
	assigned map[*schema.Field]assigned
	checked  map[*schema.Relationship]bool // own relationships whose target is among targets
	targets  []*Targets
	members  []*Members
	needs    []*schema.Field // columns that later statements ask for
}

// An assigned is a column's new value as it was first given.
type assigned struct {
	cell Cell
	at   jsonapi.Source
	// text is the value as it is compared with another of the same column; NULL
	// and values that only the database knows have marks of their own.
	text string
}

func (b *builder) changeOf(mv *schema.ModelView) *change {
	return &change{
		builder: b, mv: mv,
		assigned: make(map[*schema.Field]assigned), checked: make(map[*schema.Relationship]bool),
	}
}

// create resolves a request that makes a resource.
func (b *builder) create() *Create {
	mv, _, ok := b.target()
	if !ok {
		return nil
	}
	if !mv.Insert {
		b.refuse(mayNot("create resources of type %q", mv.Model.Type))
		return nil
	}
	if b.request.Body.Upsert != nil && !mv.Update {
		b.refuse(mayNot("change resources of type %q", mv.Model.Type))
		return nil
	}
	c := b.changeOf(mv)
	c.inserts = true
	object := b.request.Body.Resource
	if !c.typeOf(object) {
		return nil
	}
	b.resolveFieldsets()
	c.createID(object)
	c.attributes(object)
	c.relationships(object)
	upsert := c.upsert()
	answer := c.answer()
	answer.Query.Where = []Cond{c.writtenRow()}
	return &Create{Write: c.write(answer), Upsert: upsert}
}

// update resolves a request that changes a resource.
func (b *builder) update() *Update {
	mv, _, ok := b.target()
	if !ok {
		return nil
	}
	if !mv.Update {
		b.refuse(mayNot("change resources of type %q", mv.Model.Type))
		return nil
	}
	key, ok := b.targetKey(mv.Model)
	if !ok {
		return nil
	}
	c := b.changeOf(mv)
	object := b.request.Body.Resource
	if !c.typeOf(object) || !c.sameID(object, key) {
		return nil
	}
	b.resolveFieldsets()
	c.attributes(object)
	c.relationships(object)
	answer := c.answer()
	return c.updated(key, answer)
}

// updated is the update of the row with the key. The answer reads that row, by
// the key as it was named, or as it is where it can have become another.
func (c *change) updated(key []Cell, answer *Read) *Update {
	u := &Update{Key: key, Match: c.match()}
	if answer != nil && answer.Parent == nil {
		if slots, ok := spelled(key); ok && !c.keyChanges() {
			answer.Query.Where = keyEquals(c.mv.Model, slots)
		} else {
			answer.Query.Where = []Cond{c.writtenRow()}
		}
	}
	u.Write = c.write(answer)
	return u
}

// remove resolves a request that deletes a resource.
func (b *builder) remove() *Delete {
	mv, _, ok := b.target()
	if !ok {
		return nil
	}
	b.noParameters()
	if !mv.Delete {
		b.refuse(mayNot("delete resources of type %q", mv.Model.Type))
		return nil
	}
	key, ok := b.targetKey(mv.Model)
	if !ok {
		return nil
	}
	return &Delete{Model: mv.Model, Key: key, Match: b.changeOf(mv).match()}
}

// targetKey resolves the id of the request's target, or its local id.
func (b *builder) targetKey(m *schema.Model) ([]Cell, bool) {
	if lid := b.request.Target.LID; lid != "" {
		return b.madeKey(m, lid, jsonapi.Pointer(b.request.Pointer))
	}
	slots, ok := b.pathKey(m)
	if !ok {
		return nil, false
	}
	return cells(m, slots), true
}

func cells(m *schema.Model, slots []Slot) []Cell {
	out := make([]Cell, len(slots))
	for i, slot := range slots {
		out[i] = &Given{Slot: slot, Type: m.Key[i].Type}
	}
	return out
}

// spelled returns the slots of a key that the request spells out.
func spelled(key []Cell) ([]Slot, bool) {
	slots := make([]Slot, len(key))
	for i, cell := range key {
		g, ok := cell.(*Given)
		if !ok {
			return nil, false
		}
		slots[i] = g.Slot
	}
	return slots, true
}

// match is the request's If-Match.
func (c *change) match() *Match {
	m := c.request.Match
	if m == nil || m.Any {
		return nil
	}
	rows := append([]string{}, m.Rows...)
	return &Match{Digest: digestOf(c.mv), Rows: c.slot(rows, jsonapi.Header("If-Match"))}
}

// answer reads the resource as the request wants to see it. Operations of a
// batch have no parameters.
func (c *change) answer() *Read {
	q := c.single(c.mv)
	q.Digest = c.digest(c.mv)
	return c.finish(Read{Form: Resource, Query: q}, c.mv)
}

func (c *change) writtenRow() *WrittenRow {
	c.needs = append(c.needs, c.mv.Model.Key...)
	return &WrittenRow{Model: c.mv.Model, Number: c.number()}
}

// keyChanges reports whether a part of the key is written.
func (c *change) keyChanges() bool {
	return slices.ContainsFunc(c.mv.Model.Key, func(f *schema.Field) bool { _, ok := c.assigned[f]; return ok })
}

// write puts together what has been gathered, all in column order.
func (c *change) write(answer *Read) Write {
	w := Write{
		Model: c.mv.Model, Members: c.members, Number: c.number(), Answer: answer,
		Set: make([]Assignment, 0, len(c.assigned)),
	}
	for f, a := range c.assigned {
		w.Set = append(w.Set, Assignment{Field: f, Value: a.cell})
	}
	slices.SortFunc(w.Set, func(x, y Assignment) int { return cmp.Compare(x.Field.Ordinal, y.Field.Ordinal) })
	c.references(&w)
	w.Targets = c.targets
	for _, m := range c.members {
		c.needs = append(c.needs, m.Relationship.From...)
	}
	if w.Number > 0 || len(w.Linked) > 0 || len(w.Members) > 0 {
		c.needs = append(c.needs, c.mv.Model.Key...) // the row is looked at once more
	}
	w.Kept = inOrder(c.needs)
	return w
}

// inOrder sorts fields of one model by their columns, each once.
func inOrder(fields []*schema.Field) []*schema.Field {
	out := slices.Clone(fields)
	slices.SortFunc(out, func(x, y *schema.Field) int { return cmp.Compare(x.Ordinal, y.Ordinal) })
	return slices.Compact(out)
}

// noParameters refuses every parameter but the host's own: of writes without a
// resource in their answer (contract 4.1).
func (b *builder) noParameters() {
	for _, p := range b.request.Params {
		if p.Group != parse.OtherGroup {
			b.refuse(meaninglessOnWrite(p.Name))
		}
	}
}
