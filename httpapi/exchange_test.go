package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

func TestHeadAnswersLikeGet(t *testing.T) {
	h, _ := newHost(t, refuse(Unauthorized("Log in.")))
	server := httptest.NewServer(h)
	defer server.Close()
	var answers [2]*http.Response
	for i, method := range []string{"GET", "HEAD"} {
		r, err := http.NewRequest(method, server.URL+"/api/post", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Request-Id", "same")
		if answers[i], err = server.Client().Do(r); err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answers[i].Body)
		if err != nil {
			t.Fatal(err)
		}
		answers[i].Body.Close()
		answers[i].Header.Del("Date")
		if want := method == "GET"; len(body) > 0 != want {
			t.Errorf("%s has the body %q", method, body)
		}
	}
	get, head := answers[0], answers[1]
	if get.StatusCode != head.StatusCode || fmt.Sprint(get.Header) != fmt.Sprint(head.Header) || get.ContentLength != head.ContentLength {
		t.Errorf("GET:  %s %v\nHEAD: %s %v", get.Status, get.Header, head.Status, head.Header)
	}
}

func TestRequestID(t *testing.T) {
	h, log := newHost(t, refuse(errPassed))
	for _, c := range []struct {
		name string
		sent []string
		kept bool
	}{
		{"none", nil, false},
		{"a UUID", []string{"6d0d8a4e-6d0c-4b0e-9d1c-2b8b0a3f6a11"}, true},
		{"the longest", []string{strings.Repeat("a", 128)}, true},
		{"too long", []string{strings.Repeat("a", 129)}, false},
		{"empty", []string{""}, false},
		{"a space", []string{"a b"}, false},
		{"a line break", []string{"a\nb"}, false},
		{"a quote", []string{`a"b`}, false},
		{"two", []string{"a", "b"}, false},
	} {
		log.Reset()
		got := do(h, "GET", "/api/post", http.Header{"X-Request-Id": c.sent}).Header().Values("X-Request-Id")
		if len(got) != 1 || !isRequestID(got[0]) || (len(c.sent) == 1 && got[0] == c.sent[0]) != c.kept {
			t.Errorf("%s: sent %q, got %q", c.name, c.sent, got)
			continue
		}
		if !strings.Contains(log.String(), "request_id="+got[0]) {
			t.Errorf("%s: %s is not in the log:\n%s", c.name, got[0], log)
		}
	}

	w := httptest.NewRecorder()
	w.Header().Set("X-Request-Id", "the-middleware's")
	h.ServeHTTP(w, httptest.NewRequest("GET", "/api/post", nil))
	if got := w.Header().Values("X-Request-Id"); len(got) != 1 || got[0] != "the-middleware's" {
		t.Errorf("a middleware's id became %q", got)
	}
}

func TestVaryIsAdded(t *testing.T) {
	h, _ := newHost(t, refuse(errPassed))
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Origin")
	h.ServeHTTP(w, httptest.NewRequest("GET", "/api/post", nil))
	if got := w.Header().Values("Vary"); fmt.Sprint(got) != "[Origin Accept]" {
		t.Errorf("Vary is %q", got)
	}
}

func TestPanicIsAnswered(t *testing.T) {
	h, log := newHost(t, func(*http.Request) (exec.Client, error) { panic("a secret invariant") })
	w := do(h, "GET", "/api/post", nil)
	errs := decode(t, w.Body.Bytes())
	if w.Code != 500 || len(errs) != 1 || errs[0].Code != "unknown-error" || errs[0].ID == "" {
		t.Errorf("%d %+v", w.Code, errs)
	}
	if strings.Contains(w.Body.String(), "secret") {
		t.Errorf("the panic went to the client: %s", w.Body)
	}
	for _, want := range []string{"panic: a string", "TestPanicIsAnswered", errs[0].ID, "status=500"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %q:\n%s", want, log)
		}
	}
	if strings.Contains(log.String(), "invariant") {
		t.Errorf("the panic's text is in the log unasked for:\n%s", log)
	}
}

func TestAbortPassesThrough(t *testing.T) {
	h, log := newHost(t, func(*http.Request) (exec.Client, error) { panic(http.ErrAbortHandler) })
	if w, v := abort(h, context.Background()); v != http.ErrAbortHandler || w.Body.Len() != 0 || strings.Contains(log.String(), "ERROR") {
		t.Errorf("panic %v, answer %q, log\n%s", v, w.Body, log)
	}
}

func TestNothingIsSentToWhoHasLeft(t *testing.T) {
	ctx, leave := context.WithCancel(context.Background())
	h, log := newHost(t, func(r *http.Request) (exec.Client, error) {
		leave()
		return exec.Client{}, fmt.Errorf("look up: %w", r.Context().Err())
	})
	w, v := abort(h, ctx)
	if v != http.ErrAbortHandler || w.Body.Len() != 0 || len(w.Header()) != 0 {
		t.Errorf("panic %v, answer %v %q", v, w.Header(), w.Body)
	}
	if !strings.Contains(log.String(), "client left") || strings.Contains(log.String(), "ERROR") {
		t.Errorf("the log is\n%s", log)
	}
}

func TestDeadlineIsAnswered(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	h, _ := newHost(t, refuse(&jsonapi.Error{Code: jsonapi.QueryTimeout}))
	if w, v := abort(h, ctx); v != nil || w.Code != 503 {
		t.Errorf("panic %v, status %d", v, w.Code)
	}
}

// A request that takes longer than the style allows is answered, also where it
// is the host's client that takes its time (contract 10.3).
func TestTimeout(t *testing.T) {
	style, err := REST(RESTOptions{Endpoint: endpoint, Timeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		err  func(error) error // what the client makes of the deadline
		code string
	}{
		{"as it is", func(err error) error { return err }, "query-timeout"},
		{"wrapped", func(err error) error { return fmt.Errorf("look up: %w", err) }, "query-timeout"},
		{"an error of its own", func(err error) error { return &jsonapi.Error{Code: jsonapi.DatabaseUnavailable, Cause: err} }, "database-unavailable"},
	} {
		h, err := NewHost(HostOptions{Schema: &schema.Schema{}, Handler: style, Client: func(r *http.Request) (exec.Client, error) {
			<-r.Context().Done()
			return exec.Client{}, c.err(r.Context().Err())
		}})
		if err != nil {
			t.Fatal(err)
		}
		w := do(h, "GET", "/api/post", nil)
		errs := decode(t, w.Body.Bytes())
		if w.Code != 503 || len(errs) != 1 || errs[0].Code != c.code || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d %v %+v", c.name, w.Code, w.Header(), errs)
		}
	}
}

// abort serves a request and returns what the handler panicked with.
func abort(h http.Handler, ctx context.Context) (w *httptest.ResponseRecorder, v any) {
	w = httptest.NewRecorder()
	defer func() { v = recover() }()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/api/post", nil))
	return w, nil
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/api/post/1?a=b", "/api/post/%2e%2E/relationships/x", "/%61pi//", "*", "http://other.example/api/post", "/api/post/%ff%00", "/api/Operations"} {
		f.Add(seed)
	}
	style, err := REST(RESTOptions{Endpoint: endpoint})
	if err != nil {
		f.Fatal(err)
	}
	h, err := NewHost(HostOptions{Client: refuse(errPassed), Schema: &schema.Schema{}, Handler: style})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		u, err := url.ParseRequestURI(uri)
		if err != nil {
			return // the server refuses it before any handler
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, &http.Request{Method: "GET", URL: u})
		if w.Code != 404 && w.Code != 405 && w.Code != 414 && w.Code != 429 {
			t.Errorf("%q: %d %s", uri, w.Code, w.Body)
		}
		decode(t, w.Body.Bytes())
	})
}

// What the host itself costs, up to the client's refusal and with its answer.
func BenchmarkHost(b *testing.B) {
	style, err := REST(RESTOptions{Endpoint: endpoint})
	if err != nil {
		b.Fatal(err)
	}
	h, err := NewHost(HostOptions{Client: refuse(errPassed), Schema: &schema.Schema{}, Handler: style})
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/api/post/1?include=author", nil)
	r.Header.Set("Accept", "application/json, text/plain, */*")
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}
