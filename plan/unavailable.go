package plan

import (
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// Unavailable refuses a verb that the target has not, whoever asks: writing to a
// model that is read-only, adding to a to-one relationship (contract 2.2).
type Unavailable struct {
	Refusal *jsonapi.Error
	Verbs   []parse.Verb // those that the target has
}

func (e *Unavailable) Error() string { return e.Refusal.Error() }

// Unwrap returns the refusal.
func (e *Unavailable) Unwrap() error { return e.Refusal }

// has refuses the request's verb where it is not among those of the target.
func (b *builder) has(what string, verbs []parse.Verb) bool {
	for _, v := range verbs {
		if v == b.request.Verb {
			return true
		}
	}
	b.unavailable = &Unavailable{Refusal: unavailable(b.request, what), Verbs: verbs}
	return false
}

// verbsOfCollection are what a model's collection has.
func verbsOfCollection(m *schema.Model) []parse.Verb {
	verbs := []parse.Verb{parse.Fetch}
	if m.Insertable {
		verbs = append(verbs, parse.Create)
	}
	return verbs
}

// verbsOfResource are what a resource has.
func verbsOfResource(m *schema.Model) []parse.Verb {
	verbs := []parse.Verb{parse.Fetch}
	if m.Updatable {
		verbs = append(verbs, parse.Update)
	}
	if m.Deletable {
		verbs = append(verbs, parse.Delete)
	}
	return verbs
}

// verbsOfRelationship are what a relationship has, as far as the tables that
// hold its foreign keys take writes.
func verbsOfRelationship(rel *schema.Relationship) []parse.Verb {
	holder := rel.Model
	switch {
	case rel.Through != nil && rel.Through.Model != nil:
		holder = rel.Through.Model
		if !holder.Insertable || !holder.Deletable {
			return []parse.Verb{parse.Fetch}
		}
	case rel.Through != nil:
	case !rel.Own:
		holder = rel.Target
		fallthrough
	default:
		if !holder.Updatable {
			return []parse.Verb{parse.Fetch}
		}
	}
	if !rel.Many {
		return []parse.Verb{parse.Fetch, parse.Replace}
	}
	return []parse.Verb{parse.Fetch, parse.Add, parse.Replace, parse.Remove}
}
