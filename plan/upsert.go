package plan

import (
	"maps"
	"slices"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// upsert resolves `meta.matchFields` (contract 5.9): the names of the attributes,
// or id, that make a unique key, all of which the request gives.
func (c *change) upsert() *Upsert {
	u := c.request.Body.Upsert
	if u == nil {
		return nil
	}
	at := jsonapi.Pointer(u.Pointer)
	var match []*schema.Field
	for _, name := range u.Fields {
		fields, ok := c.matchField(name)
		if !ok {
			c.refuse(unknownMatchField(at, name, c.mv))
			return nil
		}
		match = append(match, fields...)
	}
	match = inOrder(match)
	if !c.uniquely(match) {
		c.refuse(notUnique(at, u.Fields, c.mv))
		return nil
	}
	if len(c.errs) > 0 {
		return nil // what was refused is not missing
	}
	for _, f := range match {
		if a, ok := c.assigned[f]; !ok || a.text == textOf(nil) {
			c.refuse(matchFieldMissing(at, f.Name))
			return nil
		}
	}
	return &Upsert{Match: match, Set: c.updatedBy(match)}
}

// matchField finds the columns of one name.
func (c *change) matchField(name string) ([]*schema.Field, bool) {
	if name == idName {
		return c.mv.Model.Key, true
	}
	if f, ok := c.mv.Attribute(name); ok {
		return []*schema.Field{f}, true
	}
	if key := c.mv.Model.Key; len(key) == 1 && key[0].Name == name {
		return key, true
	}
	if rel, ok := c.mv.Relationship(name); ok && rel.Own {
		return rel.From, true
	}
	return nil, false
}

// uniquely reports whether the columns are those of a unique key on which an
// insert can turn into an update.
func (c *change) uniquely(match []*schema.Field) bool {
	return slices.ContainsFunc(c.mv.Model.Unique, func(k schema.UniqueKey) bool {
		return !k.Deferrable && slices.Equal(inOrder(k.Fields), match)
	})
}

// updatedBy are the columns that an update writes: those that are given, do not
// choose the row and are no part of its id. A row that is only to be there has
// one of those that choose it, which stays as it is.
func (c *change) updatedBy(match []*schema.Field) []*schema.Field {
	var set []*schema.Field
	for _, f := range inOrder(slices.Collect(maps.Keys(c.assigned))) {
		switch {
		case slices.Contains(match, f) || slices.Contains(c.mv.Model.Key, f):
		case !c.mv.Updatable(f):
			c.refuse(readOnlyInUpsert(c.assigned[f].at, f))
		default:
			set = append(set, f)
		}
	}
	if len(set) > 0 {
		return set
	}
	if i := slices.IndexFunc(match, c.mv.Updatable); i >= 0 {
		return match[i : i+1]
	}
	return match[:1]
}
