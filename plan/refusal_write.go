package plan

import (
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

func unavailable(r *parse.Request, what string) *jsonapi.Error {
	doing := [...]string{
		parse.Fetch: "read", parse.Create: "created", parse.Update: "changed", parse.Delete: "deleted",
		parse.Add: "added to", parse.Replace: "replaced", parse.Remove: "removed from",
	}[r.Verb]
	return jsonapi.Errorf(jsonapi.MethodNotAllowed, jsonapi.Source{}, "Here %s cannot be %s.", what, doing)
}

func mayNot(format string, args ...any) *jsonapi.Error {
	e := jsonapi.Errorf(jsonapi.Forbidden, jsonapi.Source{}, "You may not "+format+".", args...)
	e.ORMCode = insufficientPrivilege
	return e
}

func meaninglessOnWrite(parameter string) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidParameter, jsonapi.Parameter(parameter),
		"%s means nothing on this write; leave it out.", parameter)
}

func typeMismatch(pointer, typ string, m *schema.Model) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.TypeMismatch, jsonapi.Pointer(pointer), "The type %q must be %q here.", typ, m.Type)
}

func idMismatch(at jsonapi.Source, id, path string) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.IDMismatch, at, "The id %q is not that of the path, %q.", id, path)
}

func keyIsFixed(at jsonapi.Source, f *schema.Field, m *schema.Model) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.IDMismatch, at,
		"The attribute %q is the id of resources of type %q, which stays as it is; leave it out.", f.Name, m.Type)
}

func invalidBodyID(at jsonapi.Source, m *schema.Model, id string, why error) *jsonapi.Error {
	e := invalidID(m, id, why)
	e.Source = at
	return e
}

func mayNotChooseID(at jsonapi.Source, m *schema.Model) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.Forbidden, at, "You may not choose the id of a resource of type %q; leave it out.", m.Type)
}

func unknownAttribute(at jsonapi.Source, name string, mv *schema.ModelView) *jsonapi.Error {
	if _, ok := mv.Relationship(name); ok {
		return jsonapi.Errorf(jsonapi.WrongPayload, at,
			"The type %q has no attribute %q but a relationship of that name; write it under `relationships`.", mv.Model.Type, name)
	}
	if name == idName {
		return jsonapi.Errorf(jsonapi.WrongPayload, at, "The id is no attribute; write it beside `type`.")
	}
	return jsonapi.Errorf(jsonapi.WrongPayload, at,
		"The type %q has no attribute %q.%s", mv.Model.Type, name, near(name, attributes(mv)))
}

func unknownRelationship(at jsonapi.Source, name string, mv *schema.ModelView) *jsonapi.Error {
	if _, ok := mv.Attribute(name); ok {
		return jsonapi.Errorf(jsonapi.WrongPayload, at,
			"The type %q has no relationship %q but an attribute of that name; write it under `attributes`.", mv.Model.Type, name)
	}
	return jsonapi.Errorf(jsonapi.WrongPayload, at,
		"The type %q has no relationship %q.%s", mv.Model.Type, name, near(name, relationships(mv)))
}

func readOnly(at jsonapi.Source, name string, mv *schema.ModelView) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at, "The attribute %q of type %q is read-only; leave it out.", name, mv.Model.Type)
}

func readOnlyRelationship(at jsonapi.Source, rel *schema.Relationship) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at, "The relationship %q of type %q is read-only; leave it out.", rel.Name, rel.Model.Type)
}

func disagree(at, other jsonapi.Source, f *schema.Field) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at,
		"The field %q is given here and at %s with different values; leave one of them out.", f.Name, other)
}

// givenTwice is the answer where whether two values agree only the database
// could tell: one of them is that of a row which the request names by its id.
func givenTwice(at, other jsonapi.Source, f *schema.Field) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at,
		"The field %q is given here and at %s; leave one of them out.", f.Name, other)
}

func wantsArray(at jsonapi.Source, rel *schema.Relationship) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at, "The relationship %q is to-many; write an array of identifiers, [] for none.", rel.Name)
}

func wantsOne(at jsonapi.Source, rel *schema.Relationship) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at, "The relationship %q is to-one; write one identifier, or null for none.", rel.Name)
}

func requiredRelationship(at jsonapi.Source, rel *schema.Relationship) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.RequiredRelationship, at, "The relationship %q of type %q cannot be empty.", rel.Name, rel.Model.Type)
}

func partOfIDs(at jsonapi.Source, rel *schema.Relationship) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.Forbidden, at,
		"The relationship %q is part of the ids of its members, which stay as they are; create and delete resources of type %q instead.", rel.Name, rel.Target.Type)
}

func membersFixed(at jsonapi.Source, rel *schema.Relationship) *jsonapi.Error {
	e := jsonapi.Errorf(jsonapi.Forbidden, at, "You may not change which resources of type %q the relationship %q leads to.", rel.Target.Type, rel.Name)
	e.ORMCode = insufficientPrivilege
	return e
}

// unseen is the answer where a target does not exist or the caller may not see
// it, which look alike.
func unseen(at jsonapi.Source) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.RelatedNotFound, at, "The resource does not exist, or you may not see it.")
}

func unknownLID(at jsonapi.Source, m *schema.Model, lid string) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at,
		"No operation before this one creates a resource of type %q with the local id %q.", m.Type, lid)
}

func unknownMatchField(at jsonapi.Source, name string, mv *schema.ModelView) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at,
		"The type %q has no attribute %q to match.%s", mv.Model.Type, name, near(name, append(attributes(mv), idName)))
}

func notUnique(at jsonapi.Source, names []string, mv *schema.ModelView) *jsonapi.Error {
	var keys []string
	for _, k := range mv.Model.Unique {
		if named, ok := keyNames(k, mv); ok && !k.Deferrable {
			keys = append(keys, named)
		}
	}
	has := "which has none"
	if len(keys) > 0 {
		has = "which has " + strings.Join(keys, "; ")
	}
	return jsonapi.Errorf(jsonapi.WrongPayload, at, "The fields %s are no unique key of type %q, %s.",
		strings.Join(names, ", "), mv.Model.Type, has)
}

// keyNames spells a unique key of which the caller may see every field.
func keyNames(k schema.UniqueKey, mv *schema.ModelView) (string, bool) {
	names := make([]string, len(k.Fields))
	for i, f := range k.Fields {
		_, shown := mv.Attribute(f.Name)
		switch {
		case len(mv.Model.Key) == 1 && f == mv.Model.Key[0]:
			names[i] = idName
		case shown:
			names[i] = f.Name
		default:
			return "", false
		}
	}
	return strings.Join(names, ", "), true
}

func matchFieldMissing(at jsonapi.Source, name string) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at, "The field %q is to be matched and not given; give it a value.", name)
}

func readOnlyInUpsert(at jsonapi.Source, f *schema.Field) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.WrongPayload, at,
		"The attribute %q may be given on create only, and an upsert may have to change it; leave it out.", f.Name)
}

func attributes(mv *schema.ModelView) []string {
	out := make([]string, len(mv.Attributes))
	for i, f := range mv.Attributes {
		out[i] = f.Name
	}
	return out
}
