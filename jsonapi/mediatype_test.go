package jsonapi

import (
	"fmt"
	"testing"
)

func TestParseMedia(t *testing.T) {
	for _, c := range []struct {
		text      string
		ok        bool
		typ       string
		ext       string
		profile   string
		supported bool
	}{
		{"application/vnd.api+json", true, MediaType, "[]", "[]", true},
		{" Application/VND.api+json ; Profile=a", true, MediaType, "[]", "[a]", true},
		{`application/vnd.api+json;profile="a b  c"`, true, MediaType, "[]", "[a b c]", true},
		{`application/vnd.api+json;ext="a b"; profile="c"`, true, MediaType, "[a b]", "[c]", false},
		{`application/vnd.api+json;ext=" "`, true, MediaType, "[]", "[]", true},
		{"application/vnd.api+json;charset=utf-8", true, MediaType, "[]", "[]", false},
		{"application/vnd.api+json;charset", true, MediaType, "[]", "[]", false},
		{"application/vnd.api+json;ext=a;ext=b", true, MediaType, "[]", "[]", false},
		{"application/vnd.api+json;", true, MediaType, "[]", "[]", true},
		{"*/*", true, "*/*", "[]", "[]", true},
		{"json", false, "json", "[]", "[]", true},
		{"application/", false, "application/", "[]", "[]", false},
		{"/json", false, "/json", "[]", "[]", false},
		{"", false, "", "[]", "[]", false},
	} {
		m, ok := ParseMedia(c.text)
		if ok != c.ok || m.Type != c.typ || fmt.Sprint(m.Extensions()) != c.ext || fmt.Sprint(m.Profiles()) != c.profile || m.Supported() != c.supported {
			t.Errorf("ParseMedia(%q) = %+v, %v, supported %v, want %+v", c.text, m, ok, m.Supported(), c)
		}
	}
}

func TestSupportedExtensions(t *testing.T) {
	for _, c := range []struct {
		text          string
		without, with bool
	}{
		{"application/vnd.api+json", true, true},
		{`application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"`, false, true},
		{`application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"; profile="a"`, false, true},
		{`application/vnd.api+json; ext="https://jsonapi.org/ext/atomic https://example.org/x"`, false, false},
		{`application/vnd.api+json; ext="https://jsonapi.org/ext/atomic/"`, false, false},
		{`application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"; charset=utf-8`, false, false},
	} {
		m, _ := ParseMedia(c.text)
		if m.Supported() != c.without || m.Supported(AtomicExtension) != c.with {
			t.Errorf("%s: supported %v without the extension and %v with it, want %+v", c.text, m.Supported(), m.Supported(AtomicExtension), c)
		}
	}
}

func TestContentType(t *testing.T) {
	profiles := []string{"https://example.org/a", "https://example.org/b"}
	extensions := []string{AtomicExtension}
	for _, c := range []struct {
		extensions, profiles []string
		want                 string
	}{
		{nil, nil, "application/vnd.api+json"},
		{nil, profiles, `application/vnd.api+json; profile="https://example.org/a https://example.org/b"`},
		{extensions, nil, `application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"`},
		{extensions, profiles, `application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"; profile="https://example.org/a https://example.org/b"`},
	} {
		got := ContentType(c.extensions, c.profiles)
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		m, ok := ParseMedia(got)
		if !ok || !m.Supported(c.extensions...) || len(m.Profiles()) != len(c.profiles) || len(m.Extensions()) != len(c.extensions) {
			t.Errorf("%s reads back as %+v", got, m)
		}
	}
}
