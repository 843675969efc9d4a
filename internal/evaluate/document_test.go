package evaluate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// normal is a JSON value without what has no meaning: how numbers are written,
// and how links are escaped.
func normal(member string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			if member == "links" {
				out[name] = link(inner)
			} else {
				out[name] = normal(name, inner)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = normal("", inner)
		}
		return out
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return number(r.RatString())
		}
		return v
	default:
		return v
	}
}

type number string

// link is an address without its escapes, its parts kept apart.
func link(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	path, query, _ := strings.Cut(text, "?")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err == nil {
			parts[i] = plain
		}
	}
	for _, p := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' }) {
		plain, err := url.QueryUnescape(p)
		if err != nil {
			plain = p
		}
		parts = append(parts, plain)
	}
	return strings.Join(parts, " | ")
}

// difference finds the first place where two values differ, "" for none.
func difference(path string, got, want any) string {
	switch got := got.(type) {
	case map[string]any:
		other, ok := want.(map[string]any)
		if !ok {
			break
		}
		names := slices.Collect(maps.Keys(got))
		for name := range other {
			if _, both := got[name]; !both {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			a, inGot := got[name]
			b, inWant := other[name]
			if inGot != inWant {
				return fmt.Sprintf("%s.%s: the server has it: %t, the evaluator: %t", path, name, inGot, inWant)
			}
			if d := difference(path+"."+name, a, b); d != "" {
				return d
			}
		}
		return ""
	case []any:
		other, ok := want.([]any)
		if !ok || len(other) != len(got) {
			break
		}
		for i := range got {
			if d := difference(fmt.Sprintf("%s.%d", path, i), got[i], other[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if reflect.DeepEqual(got, want) || got == unreachable {
		return ""
	}
	return fmt.Sprintf("%s: the server has %s, the evaluator %s", path, brief(got), brief(want))
}

func brief(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(text) > 300 {
		return string(text[:300]) + "…"
	}
	return string(text)
}

// A comparison that cannot fail shows nothing, so it is shown what it must see.
func TestDifference(t *testing.T) {
	for _, c := range []struct {
		got, want string
		differ    bool
	}{
		{`{"data": {"id": "1"}}`, `{"data": {"id": "1"}}`, false},
		{`{"data": {"id": "1"}}`, `{"data": {"id": 1}}`, true},
		{`{"data": {"n": 1.50}}`, `{"data": {"n": 1.5}}`, false},
		{`{"data": {"n": 1.50}}`, `{"data": {"n": "1.5"}}`, true},
		{`{"data": {"n": null}}`, `{"data": {}}`, true},
		{`{"data": [1, 2]}`, `{"data": [2, 1]}`, true},
		{`{"data": [1]}`, `{"data": [1, 1]}`, true},
		{`{"links": {"self": "/a?page%5Blimit%5D=1&sort=a,b"}}`, `{"links": {"self": "/a?page[limit]=1&sort=a%2Cb"}}`, false},
		{`{"links": {"self": "/a?page%5Blimit%5D=1"}}`, `{"links": {"self": "/a?page%5Blimit%5D=2"}}`, true},
		{`{"links": {"self": "/a?b=1&c=2"}}`, `{"links": {"self": "/a?c=2&b=1"}}`, true},
		{`{"links": {"self": "/a/b"}}`, `{"links": {"self": "/a%2Fb"}}`, true},
		{`{"links": {"next": null}}`, `{"links": {"next": "/a"}}`, true},
	} {
		var got, want any
		for text, into := range map[string]*any{c.got: &got, c.want: &want} {
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if err := d.Decode(into); err != nil {
				t.Fatal(err)
			}
		}
		if c.got == c.want {
			want = got
		}
		if d := difference("", normal("", got), normal("", want)); (d != "") != c.differ {
			t.Errorf("%s and %s: %q", c.got, c.want, d)
		}
	}
}
