package parse

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A placedNote is an annotation with the path that the document gives for it.
type placedNote struct {
	path []string // from the object that has the meta: data, attributes, createdAt
	name string
}

// serialization reads what the client says its values are (contract 6.2):
// `{"values": {"data.attributes.createdAt": ["Date"]}}`, the form of superjson.
func (r *bodyReader) serialization(at string) []placedNote {
	var notes []placedNote
	for name := range r.object(at, "The member serialization") {
		if name != "values" {
			continue
		}
		here := at + "/values"
		for path := range r.object(here, "The member values") {
			if note, ok := annotationName(newCursor(r.value(), r.refused)); ok {
				notes = append(notes, placedNote{path: annotationPath(path), name: note})
				continue
			}
			r.refused.add(below(here, path), `The annotation has to be an array with what the value is, such as ["Date"] or [["custom","Decimal"]].`)
		}
	}
	return notes
}

// annotationName returns what an annotation says, and false where it says
// nothing that could be: `["Date"]` is Date, `[["custom","Decimal"]]` and
// `["custom","Decimal"]` are Decimal, `[["typed-array","Uint8Array"]]` is
// `typed-array Uint8Array`, `["map", {"0": ["Date"]}]` is map.
func annotationName(c *cursor) (string, bool) {
	if c.kind() != jsontext.KindBeginArray {
		return "", false
	}
	words, ok, parts := []string(nil), true, false
	for i := range c.elements() {
		switch kind := c.kind(); {
		case kind == jsontext.KindString:
			words = append(words, c.token())
		case kind == jsontext.KindBeginArray && i == 0:
			pair := pairOfStrings(c)
			words, ok = append(words, pair...), ok && pair != nil
		case kind == jsontext.KindBeginObject && i == 1:
			parts = true
		default:
			ok = false
		}
	}
	switch {
	case !ok, len(words) == 0, len(words) > 2, slices.Contains(words, ""):
		return "", false
	case words[0] == "custom":
		return words[len(words)-1], len(words) == 2 && !parts
	case parts && slices.Contains(scalarNotes, words[0]):
		return "", false
	default:
		return strings.Join(words, " "), true
	}
}

// scalarNotes are about values without parts.
var scalarNotes = []string{"Date", "bigint", "number"}

// pairOfStrings reads an array, and returns nil where it is not two strings.
func pairOfStrings(c *cursor) []string {
	var pair []string
	ok := true
	for range c.elements() {
		if c.kind() != jsontext.KindString {
			ok = false
			continue
		}
		pair = append(pair, c.token())
	}
	if !ok || len(pair) != 2 {
		return nil
	}
	return pair
}

// annotationPath splits a path at its dots; one that belongs to a name is
// preceded by a backslash (contract 6.1).
func annotationPath(dotted string) []string {
	var (
		path []string
		name strings.Builder
	)
	for i := 0; i < len(dotted); i++ {
		switch {
		case strings.HasPrefix(dotted[i:], `\.`):
			name.WriteByte('.')
			i++
		case dotted[i] == '.':
			path = append(path, name.String())
			name.Reset()
		default:
			name.WriteByte(dotted[i])
		}
	}
	return append(path, name.String())
}

// annotate gives the attributes of the resource object, nil where there is none,
// the notes that are about them. Other notes are passed over.
func annotate(o *ResourceObject, notes []placedNote) {
	if o == nil || len(notes) == 0 {
		return
	}
	index := make(map[string]int, len(o.Attributes))
	for i, a := range o.Attributes {
		index[a.Name] = i
	}
	for _, n := range notes {
		if len(n.path) < 3 || n.path[0] != "data" || n.path[1] != "attributes" {
			continue
		}
		if i, ok := index[n.path[2]]; ok {
			o.Attributes[i].Notes = append(o.Attributes[i].Notes, Note{Path: n.path[3:], Name: n.name})
		}
	}
}
