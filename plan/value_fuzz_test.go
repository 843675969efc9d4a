package plan

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// FuzzJSONValue converts any JSON to any type, with any annotations: there is a
// value, or problems that point at something which is there and say so in a
// sentence of ordinary length. What is converted stays as it was.
func FuzzJSONValue(f *testing.F) {
	var types []string
	for _, name := range storedTypes {
		types = append(types, name, name+"[]")
	}
	for i := range types {
		f.Add(uint8(i), []byte(`{"street":"a\u0000","zip":[1],"a/b~c":null}`), "street=Date zip.0=bigint")
		f.Add(uint8(i), []byte(`[[1,"2",null],[{"x":"y"},1e400,[]]]`), "0.1=Date 1=set =map")
		f.Add(uint8(i), []byte(`"2024-01-31T15:04:05Z"`), "=Date")
		f.Add(uint8(i), []byte(`9223372036854775808`), "")
		f.Add(uint8(i), []byte(`"\ud800"`), "")
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte, notes string) {
		v := jsontext.Value(bytes.TrimSpace(text))
		if !v.IsValid() {
			return
		}
		before := string(v)
		field := &schema.Field{Name: "v", Type: valueType(types[int(which)%len(types)]), Length: 3, Precision: 4, Scale: 2}
		value, problems := jsonValue(field, v, valueNotes(notes))
		if string(v) != before {
			t.Fatalf("%s became %s", before, v)
		}
		if null := before == "null"; len(problems) == 0 && (value == nil) != null || len(problems) > 0 && value != nil || len(problems) > maxProblems {
			t.Errorf("%s: %v, %v", before, value, problems)
		}
		for _, p := range problems {
			if p.code != jsonapi.WrongPayload && p.code != jsonapi.InvalidValue {
				t.Errorf("%s: %v", before, p.code)
			}
			if !utf8.ValidString(p.detail) || len(p.detail) > 1000 {
				t.Errorf("%s: %q", before, p.detail)
			}
			if !leads(t, v, p.pointer) {
				t.Errorf("%s has nothing at %q", before, p.pointer)
			}
		}
	})
}

// leads reports whether the pointer leads to something in the value.
func leads(t *testing.T, v jsontext.Value, pointer string) bool {
	t.Helper()
	var at any
	decoder := json.NewDecoder(bytes.NewReader(v))
	decoder.UseNumber()
	if err := decoder.Decode(&at); err != nil {
		t.Fatalf("%s: %v", v, err)
	}
	for i, part := range strings.Split(pointer, "/") {
		if i == 0 {
			continue
		}
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch parent := at.(type) {
		case map[string]any:
			member, ok := parent[part]
			if !ok {
				return false
			}
			at = member
		case []any:
			index, err := strconv.Atoi(part)
			if err != nil || index >= len(parent) {
				return false
			}
			at = parent[index]
		default:
			return false
		}
	}
	return true
}
