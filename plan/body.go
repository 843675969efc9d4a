package plan

import (
	"fmt"
	"slices"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// typeOf refuses a resource object of another type than the target's (contract
// 5.2). What else is in it is not meant for the target then, and is not judged.
func (c *change) typeOf(object *parse.ResourceObject) bool {
	if m, ok := c.view.Schema().Model(object.Type); !ok || m != c.mv.Model {
		c.refuse(typeMismatch(object.Pointer+"/type", object.Type, c.mv.Model))
		return false
	}
	return true
}

// createID resolves `data.id` of a create: the values of the key (contract 5.3).
func (c *change) createID(object *parse.ResourceObject) {
	if object.ID == nil {
		return
	}
	m, at := c.mv.Model, jsonapi.Pointer(object.Pointer+"/id")
	parts, err := c.parseID(m, *object.ID)
	if err != nil {
		c.refuse(invalidBodyID(at, m, *object.ID, err))
		return
	}
	for i, f := range m.Key {
		if !c.mv.Insertable(f) {
			c.refuse(mayNotChooseID(at, m))
			return
		}
		c.assign(f, written(c.slot(parts[i], at), f.Type), at, parts[i])
	}
}

// sameID refuses a `data.id` that is not the path's (contract 5.2). The object
// is not meant for the target then, like one of another type.
func (c *change) sameID(object *parse.ResourceObject, key []Cell) bool {
	if object.ID == nil || c.request.Target.LID != "" {
		return true
	}
	m, at := c.mv.Model, jsonapi.Pointer(object.Pointer+"/id")
	parts, err := c.parseID(m, *object.ID)
	if err != nil {
		c.refuse(idMismatch(at, *object.ID, c.request.Target.ID))
		return false
	}
	for i, cell := range key {
		if textOf(c.values[cell.(*Given).Slot]) != textOf(parts[i]) {
			c.refuse(idMismatch(at, *object.ID, c.request.Target.ID))
			return false
		}
	}
	return true
}

func written(slot Slot, t *schema.Type) Cell { return &Given{Slot: slot, Type: t} }

// textOf spells a value so that equal ones are spelled alike.
func textOf(v any) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprintf("=%v", v)
}

// attributes resolves the attributes of a resource object (contract 5.4).
func (c *change) attributes(object *parse.ResourceObject) {
	for i := range object.Attributes {
		if c.full() {
			return
		}
		c.attribute(&object.Attributes[i])
	}
}

func (c *change) attribute(a *parse.Attribute) {
	at := jsonapi.Pointer(a.Pointer)
	f, ok := c.mv.Attribute(a.Name)
	if !ok {
		f, ok = c.keyField(a)
	}
	if !ok {
		c.refuse(unknownAttribute(at, a.Name, c.mv))
		return
	}
	value, problems := jsonValue(f, a.Value, a.Notes)
	for _, p := range problems {
		c.refuse(p.at(a.Pointer))
	}
	if len(problems) > 0 {
		return
	}
	if c.isFixed(f) {
		c.keyUnchanged(at, f, value)
		return
	}
	if !c.writable(f) {
		if c.inserts && slices.Contains(c.mv.Model.Key, f) {
			c.refuse(mayNotChooseID(at, c.mv.Model))
			return
		}
		c.refuse(readOnly(at, a.Name, c.mv))
		return
	}
	if rel, ok := c.requiredOver(f); ok && value == nil {
		c.refuse(requiredRelationship(at, rel))
		return
	}
	c.assign(f, written(c.slot(value, at), f.Type), at, value)
}

// requiredOver returns a relationship over the column that cannot be empty: a
// NULL there clears it.
func (c *change) requiredOver(f *schema.Field) (*schema.Relationship, bool) {
	for _, rel := range c.mv.Relationships {
		if rel.Required() && slices.Contains(rel.From, f) {
			return rel, true
		}
	}
	return nil, false
}

// keyField finds the column of a single key by its own name, under which a
// request may give it as an attribute (contract 5.3).
func (c *change) keyField(a *parse.Attribute) (*schema.Field, bool) {
	key := c.mv.Model.Key
	if len(key) != 1 || key[0].Name != a.Name {
		return nil, false
	}
	return key[0], true
}

// isFixed reports whether the column is a resource's whole id, which stays.
func (c *change) isFixed(f *schema.Field) bool {
	return !c.inserts && len(c.mv.Model.Key) == 1 && f == c.mv.Model.Key[0]
}

// keyUnchanged refuses to change the key of a single column.
func (c *change) keyUnchanged(at jsonapi.Source, f *schema.Field, value any) {
	if c.request.Target.LID == "" {
		if parts, err := c.parseID(c.mv.Model, c.request.Target.ID); err == nil && textOf(parts[0]) == textOf(value) {
			return
		}
	}
	c.refuse(keyIsFixed(at, f, c.mv.Model))
}

// writable reports whether the caller may write the column.
func (c *change) writable(f *schema.Field) bool {
	if c.inserts {
		return c.mv.Insertable(f)
	}
	return c.mv.Updatable(f)
}

// assign gives a column its new value. One that is given twice must agree.
func (c *change) assign(f *schema.Field, cell Cell, at jsonapi.Source, value any) {
	text := textOf(value)
	if !isGiven(cell) {
		text = fmt.Sprintf("%T of %v", cell, value)
	}
	have, twice := c.assigned[f]
	switch {
	case !twice:
		c.assigned[f] = assigned{cell: cell, at: at, text: text}
	case have.text == text:
	case isGiven(have.cell) != isGiven(cell):
		c.refuse(givenTwice(at, have.at, f))
	default:
		c.refuse(disagree(at, have.at, f))
	}
}

func isGiven(c Cell) bool { _, ok := c.(*Given); return ok }

// relationships resolves the relationships of a resource object.
func (c *change) relationships(object *parse.ResourceObject) {
	for i := range object.Relationships {
		if c.full() {
			return
		}
		r := &object.Relationships[i]
		rel, ok := c.mv.Relationship(r.Name)
		if !ok {
			c.refuse(unknownRelationship(jsonapi.Pointer(r.Pointer), r.Name, c.mv))
			continue
		}
		how := ReplaceMembers
		if c.inserts && c.request.Body.Upsert == nil {
			how = AddMembers // there are none yet
		}
		c.relationship(rel, &r.Linkage, how)
	}
}

// relationship resolves what a relationship is to lead to.
func (c *change) relationship(rel *schema.Relationship, l *parse.Linkage, how Change) {
	at := jsonapi.Pointer(l.Pointer)
	switch {
	case rel.Many && !l.Many:
		c.refuse(wantsArray(at, rel))
	case !rel.Many && l.Many:
		c.refuse(wantsOne(at, rel))
	case rel.Own:
		c.toOne(rel, l)
	default:
		c.memberChange(rel, l, how)
	}
}

// toOne writes a relationship over the row's own foreign key.
func (c *change) toOne(rel *schema.Relationship, l *parse.Linkage) {
	at := jsonapi.Pointer(l.Pointer)
	if len(l.Identifiers) == 0 {
		c.clear(rel, at)
		return
	}
	target, ok := c.identifier(rel, &l.Identifiers[0])
	if !ok {
		return
	}
	for i, f := range rel.From {
		cell, value := target.column(rel, i)
		if c.isFixed(f) {
			if !isGiven(cell) {
				c.refuse(keyIsFixed(at, f, c.mv.Model))
				return
			}
			c.keyUnchanged(at, f, value)
			continue
		}
		if !c.writable(f) {
			c.refuse(readOnlyRelationship(at, rel))
			return
		}
		c.assign(f, cell, at, value)
	}
	switch {
	case target.given == nil: // an earlier operation makes it
	case rel.ByID && c.itself(rel.Target, rel.To, target.given):
		return // it can be looked at only when it is there
	default:
		c.checkTarget(rel.Target, rel.Target.Key, typesOf(rel.Target.Key), target.given, jsonapi.Pointer(l.Identifiers[0].Pointer))
	}
	c.checked[rel] = true
}

// clear sets a to-one relationship to null.
func (c *change) clear(rel *schema.Relationship, at jsonapi.Source) {
	if rel.Required() {
		c.refuse(requiredRelationship(at, rel))
		return
	}
	for _, f := range rel.Cleared() {
		if !c.writable(f) {
			c.refuse(readOnlyRelationship(at, rel))
			return
		}
		c.assign(f, written(c.slot(nil, at), f.Type), at, nil)
	}
	c.checked[rel] = true
}

// itself reports whether a new row references itself, by these columns of it.
func (c *change) itself(target *schema.Model, to []*schema.Field, values []any) bool {
	if !c.inserts || target != c.mv.Model {
		return false
	}
	for i, f := range to {
		a, ok := c.assigned[f]
		if !ok || a.text != textOf(values[i]) {
			return false
		}
	}
	return true
}

func typesOf(fields []*schema.Field) []*schema.Type {
	out := make([]*schema.Type, len(fields))
	for i, f := range fields {
		out[i] = f.Type
	}
	return out
}

// checkTarget asks that the caller sees one row.
func (c *change) checkTarget(m *schema.Model, fields []*schema.Field, types []*schema.Type, values []any, at jsonapi.Source) {
	lists := make([][]any, len(values))
	for i, v := range values {
		lists[i] = []any{v}
	}
	c.targets = append(c.targets, &Targets{Model: m, Fields: fields, Types: types, Keys: c.lists(lists, at, []jsonapi.Source{at})})
}

// lists stores lists of one length that stand at one place, each element at one
// of its own.
func (c *change) lists(lists [][]any, at jsonapi.Source, elements []jsonapi.Source) []Slot {
	slots := make([]Slot, len(lists))
	for i, values := range lists {
		slots[i] = c.slot(sliceOf(values), at)
	}
	if c.elements == nil {
		c.builder.elements = make(map[Slot][]jsonapi.Source)
	}
	c.elements[slots[0]] = elements
	return slots
}
