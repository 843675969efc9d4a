package httpapi

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/jsonapi"
)

func TestAcceptable(t *testing.T) {
	const (
		own     = "application/vnd.api+json"
		atomic  = `ext="https://jsonapi.org/ext/atomic"`
		browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
	)
	for _, c := range []struct {
		name   string
		accept []string
		want   bool
	}{
		{"absent", nil, true},
		{"empty", []string{""}, true},
		{"blank", []string{" "}, true},
		{"JSON:API", []string{own}, true},
		{"JSON:API in other case", []string{"Application/Vnd.API+JSON"}, true},
		{"anything", []string{"*/*"}, true},
		{"anything, weighed", []string{"*/*;q=0.1"}, true},
		{"any application", []string{"application/*"}, true},
		{"JSON", []string{"application/json"}, true},
		{"JSON with a charset", []string{"application/json; charset=utf-8"}, true},
		{"a browser", []string{browser}, true},
		{"a library", []string{"application/json, text/plain, */*"}, true},
		{"the second line", []string{"text/html", own}, true},
		{"empty elements", []string{", ," + own + ","}, true},
		{"an element that is none", []string{"json, " + own}, true},

		{"text only", []string{"text/html"}, false},
		{"any text", []string{"text/*"}, false},
		{"other JSON", []string{"application/ld+json"}, false},
		{"no range at all", []string{"json"}, false},
		{"a weight that is none", []string{own + ";q=much"}, false},
		{"a weight over one", []string{own + ";q=2"}, false},

		{"JSON:API excluded", []string{own + ";q=0"}, false},
		{"JSON:API excluded to three digits", []string{own + "; q=0.000"}, false},
		{"JSON:API excluded, anything else", []string{own + ";q=0, */*"}, false},
		{"JSON:API excluded, JSON by name", []string{own + ";q=0, application/json"}, true},
		{"anything excluded", []string{"*/*;q=0"}, false},
		{"anything else excluded", []string{own + ", */*;q=0"}, true},
		{"applications excluded", []string{"application/*;q=0, */*"}, false},
		{"applications excluded but JSON", []string{"application/*;q=0, application/json"}, true},
		{"JSON excluded", []string{"application/json;q=0"}, false},
		{"JSON excluded, anything else", []string{"application/json;q=0, */*"}, true},
		{"the better of two weights", []string{own + ";q=0, " + own + ";q=0.3"}, true},

		{"a charset", []string{own + "; charset=utf-8"}, false},
		{"a charset, weighed", []string{own + ";charset=utf-8;q=0.5"}, false},
		{"a charset, and without", []string{own + "; charset=utf-8, " + own}, true},
		{"a charset, and anything", []string{own + "; charset=utf-8, */*"}, false},
		{"a charset, and JSON", []string{own + "; charset=utf-8, application/json"}, false},
		{"a parameter twice", []string{own + `; profile="a"; profile="b"`}, false},
		{"a parameter that is none", []string{own + "; charset"}, false},
		{"an extension", []string{own + ";" + atomic}, false},
		{"an extension, and anything", []string{own + ";" + atomic + ", */*"}, false},
		{"an extension, and without", []string{own + ";" + atomic + ", " + own + ";q=0.9"}, true},
		{"an extension, and excluded without", []string{own + ";" + atomic + ", " + own + ";q=0"}, false},
		{"no extension in ext", []string{own + `;ext=""`}, true},
		{"a profile", []string{own + `;profile="https://example.org/p"`}, true},
		{"several profiles", []string{own + `;profile="https://example.org/p https://example.org/q"`}, true},
		{"a profile with a comma", []string{own + `;profile="https://example.org/a,b"`}, true},
		{"a profile with a quote", []string{own + `;profile="https://example.org/\",text/html"`}, true},
		{"a profile and an extension", []string{own + `;profile="https://example.org/p";` + atomic}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := acceptable(c.accept, nil)
			if got := err == nil; got != c.want {
				t.Fatalf("acceptable(%q) = %v", c.accept, err)
			}
			if err == nil {
				return
			}
			e, ok := errors.AsType[*jsonapi.Error](err)
			if !ok || e.Code != jsonapi.NotAcceptable || e.Source != jsonapi.Header("Accept") || !strings.Contains(e.Detail, own) {
				t.Errorf("acceptable(%q) = %v, want a 406 that names the header and the media type", c.accept, err)
			}
		})
	}
}

// Where an extension is supported, ranges that name it count, and so do those
// that do not.
func TestAcceptableExtensions(t *testing.T) {
	const own = "application/vnd.api+json"
	for _, c := range []struct {
		name   string
		accept string
		want   bool
	}{
		{"the extension", own + `; ext="https://jsonapi.org/ext/atomic"`, true},
		{"the extension and a profile", own + `;ext="https://jsonapi.org/ext/atomic";profile="https://example.org/p"`, true},
		{"without it", own, true},
		{"anything", "*/*", true},
		{"JSON", "application/json", true},
		{"another", own + `;ext="https://example.org/x"`, false},
		{"another too", own + `;ext="https://jsonapi.org/ext/atomic https://example.org/x"`, false},
		{"another, and the extension", own + `;ext="https://example.org/x", ` + own + `;ext="https://jsonapi.org/ext/atomic"`, true},
		{"another parameter", own + `;ext="https://jsonapi.org/ext/atomic";charset=utf-8`, false},
		{"excluded", own + `;ext="https://jsonapi.org/ext/atomic";q=0`, false},
		{"text", "text/html", false},
	} {
		_, err := acceptable([]string{c.accept}, []string{jsonapi.AtomicExtension})
		if got := err == nil; got != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	_, err := acceptable([]string{own + `;ext="https://example.org/x"`}, []string{jsonapi.AtomicExtension})
	if want := `name it as application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want it to say %s", err, want)
	}
}

func TestProfiles(t *testing.T) {
	const (
		own    = "application/vnd.api+json"
		cursor = `;profile="https://jsonapi.org/profiles/ethanresnick/cursor-pagination/"`
	)
	for _, c := range []struct {
		name   string
		accept []string
		want   []string
	}{
		{"absent", nil, nil},
		{"none", []string{own}, nil},
		{"one", []string{own + cursor}, []string{jsonapi.CursorProfile}},
		{"several", []string{own + `;profile="a  b a"`}, []string{"a", "b"}},
		{"of two ranges", []string{own + `;profile="a", ` + own + `;profile=b`}, []string{"a", "b"}},
		{"of two lines", []string{own + `;profile="a"`, own + `;profile="b a"`}, []string{"a", "b"}},
		{"of the range that weighs more", []string{own + `;profile="a";q=0.5, ` + own + `;profile="b";q=0.7`}, []string{"b"}},
		{"rather without", []string{own + `;profile="a";q=0.5, ` + own}, nil},
		{"rather with", []string{own + `;q=0.5, ` + own + `;profile="a"`}, []string{"a"}},
		{"excluded with", []string{own + `;profile="a";q=0, ` + own}, nil},
		{"of a range that does not count", []string{own + `;profile="a";charset=utf-8, ` + own}, nil},
		{"of another type", []string{`application/json;profile="a"`}, nil},
		{"name in other case", []string{own + `;PROFILE="a"`}, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := acceptable(c.accept, nil)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("acceptable(%q) asks for %q, %v, want %q", c.accept, got, err, c.want)
			}
		})
	}
}

func TestSplitList(t *testing.T) {
	for _, c := range []struct {
		list string
		want []string
	}{
		{`a`, []string{`a`}},
		{`a,b`, []string{`a`, `b`}},
		{`a;x="1,2",b`, []string{`a;x="1,2"`, `b`}},
		{`a;x="\",",b`, []string{`a;x="\","`, `b`}},
		{`a;x="open,b`, []string{`a;x="open,b`}},
		{`a;x="\`, []string{`a;x="\`}},
	} {
		if got := splitList(c.list); !slices.Equal(got, c.want) {
			t.Errorf("splitList(%q) = %q, want %q", c.list, got, c.want)
		}
	}
}

func FuzzAcceptable(f *testing.F) {
	for _, seed := range []string{"", "*/*", `application/vnd.api+json;profile="a,b";q=0.5, text/html`, `a/b;c*0="x`, "\"\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		if _, err := acceptable([]string{accept, "application/vnd.api+json"}, nil); err != nil && strings.Count(accept, `"`)%2 == 0 &&
			!strings.ContainsAny(accept, `\`) && !strings.Contains(strings.ToLower(accept), "application/vnd.api+json") {
			t.Errorf("Accept %q makes the plain JSON:API range of the next line unacceptable", accept)
		}
	})
}
