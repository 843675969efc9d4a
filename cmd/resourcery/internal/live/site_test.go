package live

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

var quiet = slog.New(slog.DiscardHandler)

// echo stands in the API's place and answers with the path that it was given.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, "api "+r.URL.EscapedPath())
})

func TestSite(t *testing.T) {
	up := func(context.Context) error { return nil }
	down := func(context.Context) error { return errors.New("down") }
	for _, test := range []struct {
		name, method, path string
		ping               func(context.Context) error
		status             int
		body               string
	}{
		{"the API", "GET", "/v1/api/post", up, 200, "api /v1/api/post"},
		{"the API's root", "GET", "/v1/api", up, 200, "api /v1/api"},
		{"paths as they are", "GET", "/v1/api//post/../a%2Fb", up, 200, "api /v1/api//post/../a%2Fb"},
		{"every method", "PATCH", "/v1/api/post/1", down, 200, "api /v1/api/post/1"},
		{"a longer name", "GET", "/v1/apis", up, 404, "There is nothing here; the API is at /v1/api.\n"},
		{"the root", "GET", "/", up, 404, "There is nothing here; the API is at /v1/api.\n"},
		{"alive", "GET", "/healthz", down, 200, "ok\n"},
		{"alive, head", "HEAD", "/healthz", up, 200, ""},
		{"alive, post", "POST", "/healthz", up, 405, "use GET\n"},
		{"ready", "GET", "/readyz", up, 200, "ok\n"},
		{"not ready", "GET", "/readyz", down, 503, "the database cannot be reached\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := &Site{Base: "/v1/api", API: echo, Ping: test.ping, Log: quiet}
			w := httptest.NewRecorder()
			site.ServeHTTP(w, httptest.NewRequest(test.method, test.path, nil))
			if w.Code != test.status || w.Body.String() != test.body {
				t.Errorf("%d %q", w.Code, w.Body)
			}
		})
	}
}
