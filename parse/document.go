package parse

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// longestName bounds the names of relationships, which every identifier below
// them has in its pointer.
const longestName = 128

// Document parses the document that a writing request brings: of Create and
// Update a resource object, of Add, Replace and Remove resource linkage. What is
// wrong with the JSON is refused by itself; else everything is in one answer
// (jsonapi.Errors), which holds the first 32.
//
// Members that JSON:API does not know, and `jsonapi`, `links` and `included`, are
// passed over (contract 5.1). A single request has no earlier operation, so no
// identifier can have a local id. The result holds parts of body, which must not
// be changed.
func Document(verb Verb, body []byte) (*Body, error) {
	if err := checkSyntax(body); err != nil {
		return nil, err
	}
	var refused refusals
	r := bodyReader{cursor: newCursor(body, &refused)}
	var (
		out  *Body
		meta metaObject
	)
	if kind := r.kind(); kind != jsontext.KindBeginObject {
		return nil, invalidBody("", "The body is %s; a document is an object with the member data.", kindName(kind))
	}
	for name := range r.members() {
		switch name {
		case "data":
			out = r.data(verb, "/data")
		case "meta":
			meta = r.meta("/meta")
		}
	}
	if out == nil {
		refused.add("", "The document has no member data; %s.", expected(verb))
		out = &Body{}
	}
	out.Upsert = meta.upsert(verb, &refused)
	if err := refused.errors.Err(); err != nil {
		return nil, err
	}
	annotate(out.Resource, meta.notes)
	return out, nil
}

// A bodyReader reads primary data.
type bodyReader struct {
	*cursor
	locals localIDs
}

// localIDs are the local ids that earlier operations have given. The type is in
// lower case, as types match in any (contract 1.3).
type localIDs map[localID]bool

type localID struct{ typ, lid string }

func local(typ, lid string) localID { return localID{strings.ToLower(typ), lid} }

// data reads primary data, which the verb says the form of.
func (r *bodyReader) data(verb Verb, at string) *Body {
	kind := r.kind()
	switch verb {
	case Create, Update:
		if kind == jsontext.KindBeginObject {
			return &Body{Resource: r.resource(verb, at)}
		}
	case Add, Remove:
		if kind == jsontext.KindBeginArray {
			return &Body{Linkage: r.linkage(at)}
		}
	case Replace:
		return &Body{Linkage: r.linkage(at)}
	default:
		panic("parse: a request that brings no document")
	}
	r.refused.add(at, "The member data is %s; %s.", kindName(kind), expected(verb))
	return &Body{}
}

// expected says what the data of a request with the verb is.
func expected(verb Verb) string {
	switch verb {
	case Create:
		return "a request that creates takes one resource object"
	case Update:
		return "a request that updates takes one resource object"
	case Add:
		return "a request that adds members takes an array of resource identifiers"
	case Replace:
		return "a request that replaces takes an array of resource identifiers, or of a to-one relationship one of them or null"
	case Remove:
		return "a request that removes members takes an array of resource identifiers"
	default:
		panic("parse: a request that brings no document")
	}
}

func (r *bodyReader) resource(verb Verb, at string) *ResourceObject {
	o := &ResourceObject{Pointer: at}
	start, typed := r.offset(), false
	for name := range r.members() {
		here := at + "/" + name
		switch name {
		case "type":
			o.Type, typed = r.typeName(here), true
		case "id":
			if id, ok := r.id(here, "The id"); ok {
				o.ID = &id
			}
		case "lid":
			o.LID, _ = r.word(here, "The local id")
		case "attributes":
			o.HasAttributes = true
			r.attributes(o, here)
		case "relationships":
			r.relationships(o, here)
		}
	}
	o.Raw = r.since(start)
	if !typed {
		r.refused.add(at, "The resource object has no member type.")
	}
	switch {
	case verb == Create || o.LID == "":
	case o.ID != nil:
		r.refused.add(at+"/lid", "The resource object has an id and a local id; leave one of the two.")
	default:
		r.known(o.Type, o.LID, at+"/lid")
	}
	return o
}

func (r *bodyReader) typeName(at string) string {
	name, _ := r.word(at, "The type")
	return name
}

// known refuses a local id that no earlier operation gives.
func (r *bodyReader) known(typ, lid, at string) {
	if typ != "" && !r.locals[local(typ, lid)] {
		r.refused.add(at, "No operation before this one creates a resource of type %q with the local id %q.", typ, lid)
	}
}

func (r *bodyReader) attributes(o *ResourceObject, at string) {
	for name := range r.object(at, "The member attributes") {
		if isAtMember(name) {
			continue
		}
		o.Attributes = append(o.Attributes, Attribute{Name: name, Pointer: below(at, name), Value: r.value()})
	}
}

func (r *bodyReader) relationships(o *ResourceObject, at string) {
	for name := range r.object(at, "The member relationships") {
		if isAtMember(name) {
			continue
		}
		if len(name) > longestName {
			r.refused.add(at, "The name of a relationship has %d bytes; none has more than %d.", len(name), longestName)
			continue
		}
		here := below(at, name)
		if linkage := r.relationship(here); linkage != nil {
			o.Relationships = append(o.Relationships, RelationshipObject{Name: name, Pointer: here, Linkage: *linkage})
		}
	}
}

// isAtMember reports whether a member is no attribute or relationship, whatever
// it holds. https://jsonapi.org/format/1.1/#document-member-names-at-members
func isAtMember(name string) bool { return strings.HasPrefix(name, "@") }

// relationship reads a relationship object, which has to have data where it is
// written. https://jsonapi.org/format/1.1/#crud-creating
func (r *bodyReader) relationship(at string) *Linkage {
	if kind := r.kind(); kind != jsontext.KindBeginObject {
		r.refused.add(at, `The relationship is %s; it has to be an object such as {"data": null}.`, kindName(kind))
		return nil
	}
	var linkage *Linkage
	for name := range r.members() {
		if name == "data" {
			linkage = r.linkage(at + "/data")
		}
	}
	if linkage == nil {
		r.refused.add(at, "The relationship has no member data; it takes null, a resource identifier or an array of these.")
	}
	return linkage
}

func (r *bodyReader) linkage(at string) *Linkage {
	l := &Linkage{Pointer: at}
	switch kind := r.kind(); kind {
	case jsontext.KindNull:
		r.token()
	case jsontext.KindBeginObject:
		l.Identifiers = []Identifier{r.identifier(at)}
	case jsontext.KindBeginArray:
		l.Many = true
		for i := range r.elements() {
			l.Identifiers = append(l.Identifiers, r.identifier(at+"/"+strconv.Itoa(i)))
		}
	default:
		r.refused.add(at, "The linkage is %s; it takes null, a resource identifier or an array of these.", kindName(kind))
	}
	return l
}

// identifier reads a resource identifier object.
// https://jsonapi.org/format/1.1/#document-resource-identifier-objects
func (r *bodyReader) identifier(at string) Identifier {
	i := Identifier{Pointer: at}
	if kind := r.kind(); kind != jsontext.KindBeginObject {
		r.refused.add(at, "The resource identifier is %s; it has to be an object with type and id.", kindName(kind))
		return i
	}
	typed, byID, byLID := false, false, false
	for name := range r.members() {
		here := at + "/" + name
		switch name {
		case "type":
			i.Type, typed = r.typeName(here), true
		case "id":
			i.ID, _ = r.id(here, "The id")
			byID = true
		case "lid":
			i.LID, _ = r.word(here, "The local id")
			byLID = true
		}
	}
	if !typed {
		r.refused.add(at, "The resource identifier has no member type.")
	}
	switch {
	case byID && byLID:
		r.refused.add(at, "The resource identifier has an id and a local id; leave one of the two.")
	case i.LID != "":
		r.known(i.Type, i.LID, at+"/lid")
	case !byID && !byLID:
		r.refused.add(at, "The resource identifier has no member id.")
	}
	return i
}
