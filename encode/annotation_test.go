package encode

import (
	"encoding/json"
	"testing"

	"github.com/resourcery/resourcery/schema"
)

func TestAnnotations(t *testing.T) {
	var n annotations
	if got := string(n.appendTo(nil)); got != "{}" || !n.empty() {
		t.Errorf("nothing annotated: %s", got)
	}
	data := n.enter("data")
	row := n.enterIndex(12)
	attributes := n.enter("attributes")
	created := n.enter("createdAt")
	n.add(annotateDate)
	n.leave(created)
	odd := n.enter(`.a.b"c\`)
	n.enterIndex(0)
	n.add(annotateBigint)
	n.leave(odd)
	n.leave(attributes)
	n.leave(row)
	n.leave(data)
	n.enter("included")
	n.add(annotateBytes)

	got := n.appendTo([]byte("x"))
	want := `x{"data.12.attributes.createdAt":["Date"],"data.12.attributes.\\.a\\.b\"c\\.0":["bigint"],"included":[["custom","Bytes"]]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !json.Valid(got[1:]) {
		t.Errorf("no JSON: %s", got)
	}
	if n.empty() {
		t.Error("annotated, and yet empty")
	}
	n.reset()
	if !n.empty() || len(n.path) > 0 {
		t.Error("not empty after reset")
	}
}

func TestAnnotationsOfNobody(t *testing.T) {
	var n *annotations
	mark := n.enter("data")
	n.enterIndex(1)
	n.add(annotateDate)
	n.leave(mark)
	if got := string(n.appendTo(nil)); got != "{}" || !n.empty() {
		t.Errorf("got %s", got)
	}
}

func TestComplex(t *testing.T) {
	for _, name := range []string{
		"int8", "float4", "float8", "numeric", "timestamptz", "timestamp", "bytea", "int8[]", "matrix", "matrix[]", "place", "place[]", "stay", "host",
	} {
		if !complex(valueTypes[name]) {
			t.Errorf("%s: not complex", name)
		}
	}
	for _, name := range []string{
		"text", "bool", "int2", "int4", "uuid", "mood", "date", "time", "timetz", "interval", "json", "jsonb", "inet",
		"int8range", "tstzrange", "tstzrange[]", "text[]", "positive", "positive[]",
	} {
		if complex(valueTypes[name]) {
			t.Errorf("%s: complex", name)
		}
	}
	if complex(&schema.Type{Kind: schema.Composite}) {
		t.Error("composite of no members: complex")
	}
}
