package parse_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

var documentSeeds = []string{
	"", " ", "\ufeff{}", "{", "null", "1e400", `{"data":1,"data":2}`, `{"data":{}} {}`,
	`{"data":null}`, `{"data":[]}`, `{"data":[null,1,{}]}`, `{"data":{"type":"a"}}`,
	`{"data":{"type":"post","id":7,"lid":"x","attributes":{"a":1e400,"b":[{"c":-0.0}],"":"\u0000","d/~":"\ud83d\ude00"}}}`,
	`{"data":{"type":"post","attributes":{"a":"\ud800"}}}`, "{\"data\":{\"type\":\"\xff\"}}",
	`{"data":{"type":"post","relationships":{"a/b":{"data":null},"c":{"data":[{"type":"x","id":"1"},{"type":"x","id":-2}]},"d":{}}}}`,
	`{"data":{"type":"x","lid":"y"}}`, `{"data":{"type":"x","id":"1","lid":"y"}}`, `{"data":{"type":"x","id":1.5}}`,
	`{"meta":{"operation":"upsert","matchFields":["a","b"]},"data":{"type":"x","relationships":[],"attributes":null}}`,
	`{"data":{"type":"x","attributes":{"a.b":{"c":1}}},"meta":{"serialization":{"values":{"data.attributes.a\\.b.c":["Date"],"data.attributes.a\\.b":[["custom","a b"]],"x":["map",{"0":["set"]}]}}}}`,
	`{"meta":{"operation":1,"serialization":{"values":{"":[],"~/":1}}}}`,
	`{"data":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`,
}

var operationSeeds = []string{
	"", "[]", "{}", `{"atomic:operations":[]}`, `{"atomic:operations":[1,{},{"op":"x"}],"data":1,"meta":{"operation":0}}`,
	`{"atomic:operations":[{"op":"add","data":{"type":"a","lid":"x","attributes":{"b":1}},"meta":{"operation":"upsert","matchFields":["c"]}},{"op":"add","data":{"type":"A","relationships":{"p":{"data":{"type":"a","lid":"x"}}}}}],"meta":{"serialization":{"values":{"atomic:operations.0.data.attributes.b":["Date"]}}}}`,
	`{"atomic:operations":[{"op":"update","data":{"type":"a","id":"1"}},{"op":"update","ref":{"type":"a","id":1},"data":{"type":"a"}},{"op":"remove","ref":{"type":"a","id":"%"}},{"op":"remove","href":"/a/1"}]}`,
	`{"atomic:operations":[{"op":"add","ref":{"type":"a","id":"1","relationship":"r"},"data":[]},{"op":"update","href":"https://example.org/api/a/1/r","data":null},{"op":"remove","href":"//example.org/api/a/%2e/relationships/r","data":[{"type":"b","id":"1"}]}]}`,
	`{"atomic:operations":[{"op":"update","ref":{"type":"a","lid":"x"},"data":{"type":"a","lid":"y"}},{"op":"remove","href":"?"},{"op":"add","href":"post:1"},{"op":"remove","href":"/a/1#b"},{"op":"add","data":[]},{"op":"add"}]}`,
	`{"atomic:operations":[{"op":"add","data":{"type":"Operations","attributes":{"b.":[1]}},"meta":{"serialization":{"values":{"data.attributes.b\\..0":["Date"]}}}}],"meta":{"serialization":{"values":{"atomic:operations.0.data.attributes.b\\..0":["bigint"]}}}}`,
	`{"atomic:operations":[{"op":"add","href":"a","data":{"type":"b","id":""}},{"op":"add","data":1},{"op":"update","data":2},{"op":"update","href":"/a","data":{}},{"op":"add","href":"/a/1"},{"op":"remove","data":0}]}`,
}

// documentText writes a body as a document.
func documentText(b *parse.Body) string {
	return "{" + bodyMembers(b) + "}"
}

// batchText writes requests as operations, their targets by ref alone.
func batchText(requests []*parse.Request) string {
	var operations, notes []string
	for i, r := range requests {
		operations = append(operations, operationText(r))
		if r.Body != nil && r.Body.Resource != nil {
			prefix := "atomic:operations." + strconv.Itoa(i) + "."
			notes = append(notes, notesText(r.Body.Resource, prefix, secondNotes)...)
		}
	}
	return `{"atomic:operations":[` + strings.Join(operations, ",") + `],"meta":{"serialization":{"values":{` + strings.Join(notes, ",") + "}}}}"
}

func operationText(r *parse.Request) string {
	codes := map[parse.Verb]string{
		parse.Create: "add", parse.Update: "update", parse.Delete: "remove",
		parse.Add: "add", parse.Replace: "update", parse.Remove: "remove",
	}
	members := []string{`"op":` + quote(codes[r.Verb])}
	switch r.Target.Shape {
	case parse.Collection:
		members = append(members, `"href":`+quote(r.Target.Path()))
	case parse.Relationship:
		members = append(members, `"ref":{`+name(r.Target.Type, r.Target.ID, r.Target.LID)+`,"relationship":`+quote(r.Target.Relationship)+"}")
	default:
		members = append(members, `"ref":{`+name(r.Target.Type, r.Target.ID, r.Target.LID)+"}")
	}
	// A collection is named by data where it has no path, as that of operations.
	if at, err := parse.Path(r.Target.Path()); r.Target.Shape == parse.Collection && (err != nil || at != r.Target) {
		members = members[:1]
	}
	if r.Body != nil {
		members = append(members, bodyMembers(r.Body))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func bodyMembers(b *parse.Body) string {
	var data string
	var meta []string
	if b.Resource != nil {
		data = resourceText(b.Resource)
		meta = append(meta, `"serialization":{"values":{`+strings.Join(notesText(b.Resource, "", firstNotes), ",")+"}}")
	} else {
		data = linkageText(b.Linkage)
	}
	if b.Upsert != nil {
		var fields []string
		for _, f := range b.Upsert.Fields {
			fields = append(fields, quote(f))
		}
		meta = append(meta, `"operation":"upsert","matchFields":[`+strings.Join(fields, ",")+"]")
	}
	return `"data":` + data + `,"meta":{` + strings.Join(meta, ",") + "}"
}

func resourceText(o *parse.ResourceObject) string {
	members := []string{`"type":` + quote(o.Type)}
	if o.ID != nil {
		members = append(members, `"id":`+quote(*o.ID))
	}
	if o.LID != "" {
		members = append(members, `"lid":`+quote(o.LID))
	}
	if o.HasAttributes {
		var attributes []string
		for _, a := range o.Attributes {
			attributes = append(attributes, quote(a.Name)+":"+string(a.Value))
		}
		members = append(members, `"attributes":{`+strings.Join(attributes, ",")+"}")
	}
	var relationships []string
	for _, r := range o.Relationships {
		relationships = append(relationships, quote(r.Name)+`:{"data":`+linkageText(&r.Linkage)+"}")
	}
	return "{" + strings.Join(append(members, `"relationships":{`+strings.Join(relationships, ",")+"}"), ",") + "}"
}

func linkageText(l *parse.Linkage) string {
	var identifiers []string
	for _, i := range l.Identifiers {
		identifiers = append(identifiers, "{"+name(i.Type, i.ID, i.LID)+"}")
	}
	switch {
	case l.Many:
		return "[" + strings.Join(identifiers, ",") + "]"
	case len(identifiers) == 0:
		return "null"
	default:
		return identifiers[0]
	}
}

// Of the notes about one value, the operation has the first and the document the
// second.
const (
	firstNotes = iota
	secondNotes
)

// notesText writes the first or the second annotation of each path, all in the
// form of custom ones, as names alone are kept.
func notesText(o *parse.ResourceObject, prefix string, turn int) (members []string) {
	seen := map[string]int{}
	for _, a := range o.Attributes {
		for _, n := range a.Notes {
			path := prefix + "data.attributes"
			for _, part := range append([]string{a.Name}, n.Path...) {
				path += "." + strings.ReplaceAll(part, ".", `\.`)
			}
			if seen[path] == turn {
				members = append(members, quote(path)+`:[["custom",`+quote(n.Name)+"]]")
			}
			seen[path]++
		}
	}
	return members
}

func name(typ, id, lid string) string {
	if lid != "" {
		return `"type":` + quote(typ) + `,"lid":` + quote(lid)
	}
	return `"type":` + quote(typ) + `,"id":` + quote(id)
}

func quote(s string) string {
	text, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// checkPointers has every pointer of the body lead to something.
func checkPointers(t *testing.T, text string, b *parse.Body) {
	t.Helper()
	there := pointers(text)
	check := func(pointer string) {
		t.Helper()
		if !there[pointer] {
			t.Fatalf("%s has nothing at %s", text, pointer)
		}
	}
	linkage := func(l *parse.Linkage) {
		check(l.Pointer)
		for _, i := range l.Identifiers {
			check(i.Pointer)
		}
	}
	if o := b.Resource; o != nil {
		check(o.Pointer)
		for _, a := range o.Attributes {
			check(a.Pointer)
		}
		for _, r := range o.Relationships {
			check(r.Pointer)
			linkage(&r.Linkage)
		}
	}
	if b.Linkage != nil {
		linkage(b.Linkage)
	}
	if b.Upsert != nil {
		check(b.Upsert.Pointer)
	}
}

// checkErrorPointers has every error point to something, or to the member that
// the document needs.
func checkErrorPointers(t *testing.T, text string, err error) {
	t.Helper()
	there := pointers(text)
	for _, e := range jsonapi.AsErrors(err) {
		at := e.Source.Pointer
		if at != "" && !there[at] {
			t.Fatalf("%s has nothing at %s: %v", text, at, e)
		}
	}
}

// pointers lists what the JSON has, up to where it stops being JSON.
func pointers(text string) map[string]bool {
	there := map[string]bool{}
	d := jsontext.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.ReadToken(); err != nil {
			return there
		}
		there[string(d.StackPointer())] = true
	}
}
