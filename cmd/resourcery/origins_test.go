package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// echoAPI stands in the API's place.
var echoAPI = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"1"`)
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = io.WriteString(w, r.Method)
})

func TestCrossOrigin(t *testing.T) {
	const app, preflight = "https://app.example.org", "PATCH"
	for _, test := range []struct {
		name    string
		origins []string
		origin  string
		allowed string // Access-Control-Allow-Origin
	}{
		{"none", nil, app, ""},
		{"listed", []string{"http://localhost:3000", app}, app, app},
		{"not listed", []string{"http://localhost:3000"}, app, ""},
		{"another scheme", []string{"http://app.example.org"}, app, ""},
		{"another port", []string{app + ":8443"}, app, ""},
		{"any", []string{"*"}, app, "*"},
		{"below a host", []string{"https://*.example.org"}, app, app},
		{"that ends alike", []string{"https://*.example.org"}, "https://evilexample.org", ""},
		{"that begins alike", []string{app}, app + ".evil.org", ""},
		{"a script without origin", []string{app}, "null", ""},
	} {
		h, err := crossOrigin(test.origins, echoAPI)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		for _, asks := range []string{"", preflight} {
			r := httptest.NewRequest("PATCH", "/api/post/1", nil)
			r.Header.Set("Origin", test.origin)
			if asks != "" {
				r.Method = http.MethodOptions
				r.Header.Set("Access-Control-Request-Method", asks)
				r.Header.Set("Access-Control-Request-Headers", "authorization,content-type,if-match")
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			header := w.Header()
			if got := header.Get("Access-Control-Allow-Origin"); got != test.allowed {
				t.Errorf("%s: allowed is %q", test.name, got)
			}
			if _, ok := header["Access-Control-Allow-Credentials"]; ok {
				t.Errorf("%s: credentials are allowed", test.name)
			}
			switch {
			case test.origins == nil:
				if w.Body.String() != r.Method {
					t.Errorf("%s: the API is not reached", test.name)
				}
			case asks == "":
				exposed := header.Get("Access-Control-Expose-Headers")
				if w.Code != 401 || w.Body.String() != "PATCH" || test.allowed != "" && !strings.EqualFold(exposed, "ETag, Location, X-Request-Id, Retry-After") {
					t.Errorf("%s: %d %v", test.name, w.Code, header)
				}
			default:
				ok := header.Get("Access-Control-Allow-Methods") == "PATCH" && strings.Contains(header.Get("Access-Control-Allow-Headers"), "if-match")
				if w.Code != 204 || w.Body.Len() != 0 || ok != (test.allowed != "") {
					t.Errorf("%s, preflight: %d %v", test.name, w.Code, header)
				}
			}
			if test.origins != nil && test.allowed != "*" && !strings.Contains(strings.Join(header.Values("Vary"), ","), "Origin") {
				t.Errorf("%s: Vary is %q", test.name, header.Values("Vary"))
			}
		}
	}
}

// An OPTIONS request that is no preflight is the API's to answer.
func TestOptionsIsNoPreflight(t *testing.T) {
	h, err := crossOrigin([]string{"*"}, echoAPI)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("OPTIONS", "/api/post", nil))
	if w.Code != 401 {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestOriginsRefused(t *testing.T) {
	for _, origin := range []string{
		"", "null", "app.example.org", "https://app.example.org/", "https://app.example.org/a", "https://", "https://:80",
		"https://u@app.example.org", "https://app.example.org?a", "https://App.example.org", "https://*", "https://*.org", "https://a*.example.org", "https://*.*.example.org", "*.example.org",
	} {
		if _, err := crossOrigin([]string{"*", origin}, echoAPI); err == nil || !strings.HasPrefix(err.Error(), "--cors-origins ") {
			t.Errorf("%q: %v", origin, err)
		}
	}
	for _, origin := range []string{"*", "http://localhost:3000", "http://[::1]:3000", "capacitor://localhost", "https://*.example.org:8443"} {
		if err := checkOrigin(origin); err != nil {
			t.Error(err)
		}
	}
}
