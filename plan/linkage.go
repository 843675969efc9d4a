package plan

import (
	"slices"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// A linkTarget is the resource that an identifier names.
type linkTarget struct {
	given []any  // the values of its key, as the request spells them
	key   []Cell // the same as cells, where it is needed
	made  int    // the operation that makes it, where the request names it by a local id
}

// column is the value of the foreign key's i-th column, and what tells it from
// another.
func (t linkTarget) column(rel *schema.Relationship, i int) (Cell, any) {
	switch {
	case t.made > 0 && rel.ByID:
		return &Made{Number: t.made, Field: rel.To[i]}, t.made
	case t.made > 0:
		return &Looked{Field: rel.To[i], Model: rel.Target, Key: madeCells(rel.Target, t.made)}, t.made
	case rel.ByID:
		return t.key[i], t.given[i]
	default:
		return &Looked{Field: rel.To[i], Model: rel.Target, Key: t.key}, t.given
	}
}

// identifier resolves a resource identifier of a relationship.
func (c *change) identifier(rel *schema.Relationship, id *parse.Identifier) (linkTarget, bool) {
	m := rel.Target
	if named, ok := c.view.Schema().Model(id.Type); !ok || named != m {
		c.refuse(typeMismatch(id.Pointer+"/type", id.Type, m))
		return linkTarget{}, false
	}
	if id.LID != "" {
		number, ok := c.made(m, id.LID, jsonapi.Pointer(id.Pointer+"/lid"))
		return linkTarget{made: number}, ok
	}
	at := jsonapi.Pointer(id.Pointer + "/id")
	values, err := c.parseID(m, id.ID)
	if err != nil {
		c.refuse(invalidBodyID(at, m, id.ID, err))
		return linkTarget{}, false
	}
	t := linkTarget{given: values}
	if rel.Own {
		for i, v := range values {
			t.key = append(t.key, written(c.slot(v, at), m.Key[i].Type))
		}
	}
	return t, true
}

// memberChange changes the members of a relationship that other rows tell.
func (c *change) memberChange(rel *schema.Relationship, l *parse.Linkage, how Change) {
	at := jsonapi.Pointer(l.Pointer)
	if !c.mayChangeMembers(rel, at) {
		return
	}
	m := &Members{Relationship: rel, Change: how}
	lists := make([][]any, len(rel.Target.Key))
	var sources []jsonapi.Source
	seen := make(map[string]bool)
	for i := range l.Identifiers {
		id := &l.Identifiers[i]
		target, ok := c.identifier(rel, id)
		switch {
		case !ok:
		case target.made > 0:
			if !slices.Contains(m.Made, target.made) {
				m.Made = append(m.Made, target.made)
			}
		case !seen[textOf(target.given)]:
			seen[textOf(target.given)] = true
			for part, v := range target.given {
				lists[part] = append(lists[part], v)
			}
			sources = append(sources, jsonapi.Pointer(id.Pointer))
		}
	}
	m.Keys = c.lists(lists, at, sources)
	if how != RemoveMembers && len(sources) > 0 {
		c.targets = append(c.targets, &Targets{Model: rel.Target, Fields: rel.Target.Key, Types: typesOf(rel.Target.Key), Keys: m.Keys})
	}
	if how != RemoveMembers {
		m.Moved = c.moved(rel)
	}
	c.members = append(c.members, m)
}

// moved are the foreign keys that change with one of the relationship's.
func (c *change) moved(rel *schema.Relationship) []Linked {
	if rel.Through != nil {
		return nil
	}
	var out []Linked
	for _, ref := range rel.Target.References {
		shares := slices.ContainsFunc(ref.From, func(f *schema.Field) bool {
			return slices.Contains(rel.To, f) && !slices.Contains(rel.Target.Key, f)
		})
		if shares && (rel.Inverse == nil || ref != rel.Inverse.Over()) {
			out = append(out, Linked{Reference: ref, Stays: true, Blind: !c.view.Sees(ref)})
		}
	}
	return out
}

// mayChangeMembers refuses a relationship whose foreign key the caller may not
// write, or which is all part of its members' ids, which would become others.
func (c *change) mayChangeMembers(rel *schema.Relationship, at jsonapi.Source) bool {
	if rel.Through != nil {
		return true
	}
	target, moves := c.view.Of(rel.Target), false
	for _, f := range rel.To {
		switch {
		case slices.Contains(rel.Target.Key, f): // members that have the value already can be added
		case !target.Updatable(f):
			c.refuse(membersFixed(at, rel))
			return false
		default:
			moves = true
		}
	}
	if !moves {
		c.refuse(partOfIDs(at, rel))
	}
	return moves
}

// relate resolves a request that changes one relationship.
func (b *builder) relate() *Update {
	mv, rel, ok := b.target()
	if !ok {
		return nil
	}
	b.noParameters()
	key, ok := b.targetKey(mv.Model)
	if !ok {
		return nil
	}
	if rel.Own && !mv.Update {
		b.refuse(mayNot("change resources of type %q", mv.Model.Type))
		return nil
	}
	if rel.Own && !slices.ContainsFunc(rel.From, mv.Updatable) {
		b.refuse(mayNot("change the relationship %q of type %q", rel.Name, mv.Model.Type))
		return nil
	}
	c := b.changeOf(mv)
	c.relationship(rel, b.request.Body.Linkage, changeOf(b.request.Verb))
	return c.updated(key, c.linkageAnswer(rel, key))
}

func changeOf(v parse.Verb) Change {
	switch v {
	case parse.Add:
		return AddMembers
	case parse.Replace:
		return ReplaceMembers
	case parse.Remove:
		return RemoveMembers
	default:
		panic("plan: a verb that changes no members")
	}
}

// linkageAnswer reads the relationship as a request for it would. Of the
// operations of a batch only those over the row's own foreign key have it: it
// tells a row that is not there from one that may not be written.
func (c *change) linkageAnswer(rel *schema.Relationship, key []Cell) *Read {
	slots, ok := spelled(key)
	switch {
	case rel.Own && c.batch != nil:
		q := c.room.rows.bare(c.mv.Model)
		q.Relationships = []*schema.Relationship{rel}
		return &Read{Form: ToOneLinkage, Query: q}
	case c.batch != nil || !ok:
		return nil
	case rel.Many:
		return c.linkage(&Parent{Relationship: rel, Key: slots}, c.view.Of(rel.Target))
	default:
		return c.toOneLinkage(c.mv, rel, slots)
	}
}
