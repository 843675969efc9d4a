package plan

import (
	"fmt"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// Admit refuses a request that writes, ahead of whatever it brings, where its
// path leads nowhere or its target has not the verb (contract 2.2, 2.5). Errors
// are those of Build.
func Admit(v *schema.View, t parse.Target, verb parse.Verb) error {
	b := &builder{view: v, request: &parse.Request{Target: t, Verb: verb}}
	b.target()
	if b.unavailable != nil {
		return b.unavailable
	}
	return b.errs.Err()
}

// target resolves the path of a request that writes: its model and, of the
// verbs that change members, its relationship.
func (b *builder) target() (*schema.ModelView, *schema.Relationship, bool) {
	t := b.request.Target
	mv, ok := b.model(t.Type)
	if !ok {
		return nil, nil, false
	}
	resources := fmt.Sprintf("resources of type %q", mv.Model.Type)
	switch b.request.Verb {
	case parse.Create:
		return mv, nil, b.has(resources, verbsOfCollection(mv.Model))
	case parse.Update, parse.Delete:
		return mv, nil, b.has(resources, verbsOfResource(mv.Model))
	case parse.Add, parse.Replace, parse.Remove:
		rel, ok := mv.Relationship(t.Relationship)
		if !ok {
			b.refuse(unsupportedRelationship(t.Relationship, mv))
			return nil, nil, false
		}
		return mv, rel, b.has("the relationship "+rel.String(), verbsOfRelationship(rel))
	default:
		panic("plan: a verb that writes nothing")
	}
}
