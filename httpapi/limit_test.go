package httpapi

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/schema"
)

// newLimited returns a handler with limits.
func newLimited(t *testing.T, o HostOptions) http.Handler {
	t.Helper()
	style, err := REST(RESTOptions{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	o.Schema, o.Handler = &schema.Schema{}, style
	h, err := NewHost(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// errServed stands for an answer: what was let in got as far as the client.
var errServed = Unauthorized("Log in.")

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newLimited(t, HostOptions{Client: refuse(errServed), Rate: &Rate{
			PerSecond: 0.5, Burst: 3, Key: func(r *http.Request) string { return r.Header.Get("Authorization") },
		}})
		send := func(method, path, who string) *httptest.ResponseRecorder {
			return do(h, method, path, http.Header{"Authorization": {who}})
		}
		check := func(name, method, path, who string, status int, retry string) {
			t.Helper()
			w := send(method, path, who)
			if w.Code != status || w.Header().Get("Retry-After") != retry {
				t.Errorf("%s: %d, Retry-After %q; want %d, %q", name, w.Code, w.Header().Get("Retry-After"), status, retry)
			}
			if w.Header().Get("X-Request-Id") == "" {
				t.Errorf("%s: no X-Request-Id", name)
			}
		}
		for range 3 {
			check("the bucket", "GET", "/api/post", "a", 401, "")
		}
		check("past it", "GET", "/api/post", "a", 429, "2")
		check("past it, elsewhere", "POST", "/api/", "a", 429, "2")
		check("OPTIONS", "OPTIONS", "/api/post", "a", 204, "")
		check("another caller", "GET", "/api/post", "b", 401, "")
		check("mistakes count", "GET", "/api/", "b", 404, "")
		check("mistakes count", "TRACE", "/api/post", "b", 405, "")
		check("mistakes count", "GET", "/api/post", "b", 429, "2")
		errs := decode(t, send("GET", "/api/post", "a").Body.Bytes())
		if len(errs) != 1 || errs[0].Code != "too-many-requests" {
			t.Errorf("%+v", errs)
		}
		time.Sleep(time.Second)
		check("half a request later", "GET", "/api/post", "a", 429, "1")
		time.Sleep(time.Second)
		check("a request later", "GET", "/api/post", "a", 401, "")
		check("and no more", "GET", "/api/post", "a", 429, "2")
		time.Sleep(time.Hour)
		for range 3 {
			check("a full bucket", "GET", "/api/post", "a", 401, "")
		}
		check("no fuller than full", "GET", "/api/post", "a", 429, "2")
	})
}

func TestRateByAddress(t *testing.T) {
	h := newLimited(t, HostOptions{Client: refuse(errServed), Rate: &Rate{PerSecond: 0.0001}})
	for _, c := range []struct {
		addr   string
		status int
	}{
		{"192.0.2.1:1000", 401},
		{"192.0.2.1:2000", 429},
		{"[::ffff:192.0.2.1]:1000", 429},
		{"192.0.2.2:1000", 401},
		{"[2001:db8::1]:1000", 401},
		{"[2001:db8::2]:1000", 429},
		{"[2001:db8:0:1::1]:1000", 401},
		{"[fe80::1%eth0]:1000", 401},
		{"[fe80::1%eth1]:1000", 429},
		{"@", 401},
		{"@", 429},
	} {
		r := httptest.NewRequest("GET", "/api/post", nil)
		r.RemoteAddr = c.addr
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d, want %d", c.addr, w.Code, c.status)
		}
	}
}

// However many callers there are, the memory for them is bounded.
func TestRateForgets(t *testing.T) {
	s := newRates(&Rate{PerSecond: 1, Key: func(r *http.Request) string { return r.Header.Get("Authorization") }})
	r := &http.Request{Header: http.Header{}}
	for i := range maxBuckets + 10 {
		r.Header.Set("Authorization", fmt.Sprint(i))
		if _, ok := s.take(r, time.Now()); !ok {
			t.Fatalf("caller %d was refused", i)
		}
	}
	if n := s.buckets.Len(); n != maxBuckets {
		t.Errorf("%d buckets", n)
	}
}

func TestMaxInFlight(t *testing.T) {
	arrived, stay := make(chan struct{}), make(chan struct{})
	h := newLimited(t, HostOptions{MaxInFlight: 2, Client: func(r *http.Request) (exec.Client, error) {
		if r.URL.RawQuery == "panic" {
			panic("of the client")
		}
		if r.URL.RawQuery == "stay" {
			arrived <- struct{}{}
			<-stay
		}
		return exec.Client{}, errServed
	}})
	answers := make(chan int, 2)
	for range 2 {
		go func() { answers <- do(h, "GET", "/api/post?stay", nil).Code }()
		<-arrived
	}
	for _, c := range []struct {
		method string
		status int
		retry  string
	}{{"GET", 429, "1"}, {"POST", 429, "1"}, {"OPTIONS", 204, ""}} {
		w := do(h, c.method, "/api/post", nil)
		if w.Code != c.status || w.Header().Get("Retry-After") != c.retry {
			t.Errorf("%s: %d, Retry-After %q", c.method, w.Code, w.Header().Get("Retry-After"))
		}
	}
	close(stay)
	for range 2 {
		if status := <-answers; status != 401 {
			t.Errorf("who was in got %d", status)
		}
	}
	for range 3 {
		if w := do(h, "GET", "/api/post?panic", nil); w.Code != 500 {
			t.Errorf("panic: %d", w.Code)
		}
	}
	if w := do(h, "GET", "/api/post", nil); w.Code != 401 {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
}

func TestLimitsRefused(t *testing.T) {
	style, err := REST(RESTOptions{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options HostOptions
		want    string
	}{
		{HostOptions{MaxInFlight: -1}, "HostOptions.MaxInFlight is -1: write a positive number"},
		{HostOptions{Rate: &Rate{}}, "HostOptions.Rate.PerSecond is 0: write a positive number"},
		{HostOptions{Rate: &Rate{PerSecond: math.NaN()}}, "HostOptions.Rate.PerSecond is NaN"},
		{HostOptions{Rate: &Rate{PerSecond: math.Inf(1)}}, "HostOptions.Rate.PerSecond is +Inf"},
		{HostOptions{Rate: &Rate{PerSecond: 1, Burst: -1}}, "HostOptions.Rate.Burst is -1"},
	} {
		c.options.Client, c.options.Schema, c.options.Handler = refuse(errors.New("nobody")), &schema.Schema{}, style
		if _, err := NewHost(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
