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

func TestContentType(t *testing.T) {
	if got, want := ContentType(), "application/vnd.api+json"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got := ContentType("https://example.org/a", "https://example.org/b")
	if want := `application/vnd.api+json; profile="https://example.org/a https://example.org/b"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if m, ok := ParseMedia(got); !ok || !m.Supported() || len(m.Profiles()) != 2 {
		t.Errorf("%s reads back as %+v", got, m)
	}
}
