package bearer

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// claims are a JSON object, valid and compact.
type claims jsontext.Value

// anonymousClaims are those that PostgREST sets for callers without a token.
func anonymousClaims(role string) string {
	text, err := json.Marshal(map[string]string{"role": role})
	if err != nil {
		panic(fmt.Sprintf("bearer: encode role %q: %v", role, err))
	}
	return string(text)
}

// at returns the claim at a path: names joined by dots, each a member of the
// object before it. A claim whose name is the whole path goes first, as names
// may be addresses (`https://example.com/role`). A null counts as a value.
func (c claims) at(path string) (jsontext.Value, bool) {
	if v, ok := member(jsontext.Value(c), path); ok {
		return v, true
	}
	v := jsontext.Value(c)
	for name := range strings.SplitSeq(path, ".") {
		var ok bool
		if v, ok = member(v, name); !ok {
			return nil, false
		}
	}
	return v, true
}

func member(v jsontext.Value, name string) (jsontext.Value, bool) {
	if v.Kind() != jsontext.KindBeginObject {
		return nil, false
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(v, &members); err != nil {
		panic(fmt.Sprintf("bearer: claims were not checked: %v", err))
	}
	m, ok := members[name]
	return m, ok
}

// text returns what a variable gets of the claim at a path: texts as they are,
// nothing for a claim that is missing or null, and JSON for the rest.
func (c claims) text(path string) string {
	v, ok := c.at(path)
	if !ok || v.Kind() == jsontext.KindNull {
		return ""
	}
	if text, ok := unquoted(v); ok {
		return text
	}
	return string(v)
}

// unquoted returns the text that v is, if it is one.
func unquoted(v jsontext.Value) (string, bool) {
	if v.Kind() != jsontext.KindString {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		panic(fmt.Sprintf("bearer: claims were not checked: %v", err))
	}
	return string(text), true
}
