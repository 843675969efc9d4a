package parse

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A metaObject is what the `meta` of a document, or of an operation, asks for.
type metaObject struct {
	at          string
	operation   jsontext.Value // nil: none
	matchFields jsontext.Value // nil: none
	notes       []placedNote
}

func (r *bodyReader) meta(at string) metaObject {
	m := metaObject{at: at}
	for name := range r.object(at, "The member meta") {
		switch name {
		case "operation":
			m.operation = r.value()
		case "matchFields":
			m.matchFields = r.value()
		case "serialization":
			m.notes = r.serialization(at + "/serialization")
		}
	}
	return m
}

const upsertOperation = "upsert"

// upsert returns the upsert that a request with the verb asks for, nil where it
// asks for none. Of other operations there are none (contract 5.1, 5.9).
func (m metaObject) upsert(verb Verb, refused *refusals) *Upsert {
	if m.operation == nil {
		return nil
	}
	c := newCursor(m.operation, refused)
	here := m.at + "/operation"
	name, ok := c.string(here, "The operation")
	switch {
	case !ok:
		return nil
	case name != upsertOperation:
		refused.add(here, "There is no operation %q; there is %s.", name, upsertOperation)
		return nil
	case verb != Create:
		refused.add(here, "The operation %s goes with the creation of a resource alone.", upsertOperation)
		return nil
	case m.matchFields == nil:
		refused.add(m.at, "The operation %s needs matchFields, an array of the fields of a unique key.", upsertOperation)
		return nil
	}
	return matchFields(m.matchFields, m.at+"/matchFields", refused)
}

func matchFields(value jsontext.Value, at string, refused *refusals) *Upsert {
	c := newCursor(value, refused)
	if kind := c.kind(); kind != jsontext.KindBeginArray {
		refused.add(at, "The member matchFields is %s; it takes an array of the fields of a unique key.", kindName(kind))
		return nil
	}
	u := &Upsert{Pointer: at}
	seen := map[string]bool{}
	count := 0
	for i := range c.elements() {
		count++
		here := at + "/" + strconv.Itoa(i)
		name, ok := c.word(here, "The field")
		switch {
		case !ok:
		case seen[name]:
			refused.add(here, "The field %q is named twice.", name)
		default:
			seen[name] = true
			u.Fields = append(u.Fields, name)
		}
	}
	if count == 0 {
		refused.add(at, "The member matchFields is empty; name the fields of a unique key.")
	}
	return u
}
