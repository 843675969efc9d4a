package httpapi

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/jsonapi"
)

func TestUnderstood(t *testing.T) {
	const own = "application/vnd.api+json"
	for _, c := range []struct {
		name        string
		contentType []string
		bare        bool // a request without a body is admitted
		body        bool // one with a body is
		strict      bool // and under Strict
	}{
		{"absent", nil, true, true, false},
		{"JSON:API", []string{own}, true, true, true},
		{"JSON:API in other case", []string{"Application/Vnd.API+JSON"}, true, true, true},
		{"a profile", []string{own + `; profile="https://example.org/p https://example.org/q"`}, true, true, true},
		{"no extension in ext", []string{own + `;ext=""`}, true, true, true},
		{"JSON", []string{"application/json"}, true, true, false},
		{"JSON with a charset", []string{"application/json; charset=utf-8"}, true, true, false},
		{"JSON with a parameter that is none", []string{"application/json; charset"}, true, true, false},
		{"text", []string{"text/plain"}, true, false, false},
		{"other JSON", []string{"application/ld+json"}, true, false, false},
		{"a form", []string{"application/x-www-form-urlencoded"}, true, false, false},
		{"no type at all", []string{"json"}, true, false, false},
		{"empty", []string{""}, true, false, false},

		{"a charset", []string{own + "; charset=utf-8"}, false, false, false},
		{"a weight", []string{own + ";q=1"}, false, false, false},
		{"a parameter that is none", []string{own + "; charset"}, false, false, false},
		{"a profile without quotes", []string{own + "; profile=https://example.org/p"}, false, false, false},
		{"a profile twice", []string{own + "; profile=a; profile=b"}, false, false, false},
		{"an extension", []string{own + `; ext="https://jsonapi.org/ext/atomic"`}, false, false, false},
		{"extensions", []string{own + `; ext="https://example.org/x https://example.org/y"`}, false, false, false},
		{"a profile and an extension", []string{own + `;profile="https://example.org/p";ext="https://example.org/x"`}, false, false, false},
		{"two lines", []string{own, own + ";charset=utf-8"}, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, sent := range []struct {
				what   string
				body   string
				strict bool
				want   bool
			}{
				{"no body", "", false, c.bare}, {"no body, strictly", "", true, c.bare},
				{"a body", "{}", false, c.body}, {"a body, strictly", "{}", true, c.strict},
			} {
				r := httptest.NewRequest("GET", "/api/post", strings.NewReader(sent.body))
				r.Header["Content-Type"] = c.contentType
				err := (&rest{strict: sent.strict}).understood(r, nil)
				if got := err == nil; got != sent.want {
					t.Errorf("%s: %v", sent.what, err)
				}
				if err != nil && (!strings.HasPrefix(err.Error(), "415 unsupported-media-type at Content-Type: ") || !strings.Contains(err.Error(), own)) {
					t.Errorf("%s: %v, want a 415 that names the header and the media type", sent.what, err)
				}
			}
		})
	}
}

// A body with atomic operations names the extension (contract 5.10, 10.6).
func TestUnderstoodExtensions(t *testing.T) {
	const own = "application/vnd.api+json"
	const atomic = own + `; ext="https://jsonapi.org/ext/atomic"`
	for _, c := range []struct {
		name        string
		contentType []string
		body        bool // one with a body is admitted
		strict      bool // and under Strict
	}{
		{"the extension", []string{atomic}, true, true},
		{"the extension and a profile", []string{atomic + `; profile="https://example.org/p"`}, true, true},
		{"absent", nil, true, false},
		{"JSON", []string{"application/json"}, true, false},
		{"JSON:API alone", []string{own}, false, false},
		{"JSON:API with a profile", []string{own + `; profile="https://example.org/p"`}, false, false},
		{"another extension", []string{own + `; ext="https://example.org/x"`}, false, false},
		{"another extension too", []string{own + `; ext="https://jsonapi.org/ext/atomic https://example.org/x"`}, false, false},
		{"a charset", []string{atomic + "; charset=utf-8"}, false, false},
		{"text", []string{"text/plain"}, false, false},
	} {
		for strict, want := range map[bool]bool{false: c.body, true: c.strict} {
			r := httptest.NewRequest("POST", "/api/operations", strings.NewReader("{}"))
			r.Header["Content-Type"] = c.contentType
			err := (&rest{strict: strict}).understood(r, []string{jsonapi.AtomicExtension})
			if got := err == nil; got != want {
				t.Errorf("%s, strict %v: %v", c.name, strict, err)
			}
			if err != nil && (!strings.HasPrefix(err.Error(), "415 unsupported-media-type at Content-Type: ") || !strings.Contains(err.Error(), atomic)) {
				t.Errorf("%s, strict %v: %v, want a 415 that says what to send", c.name, strict, err)
			}
		}
	}
}
