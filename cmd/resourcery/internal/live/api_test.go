package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// readings counts the readings of a schema and fails where told to.
type readings struct {
	begun   chan int
	fail    chan error
	started int
}

func (r *readings) load(context.Context) (http.Handler, error) {
	r.started++
	n := r.started
	r.begun <- n
	if err := <-r.fail; err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, n) }), nil
}

func (r *readings) next(t *testing.T, want int, err error) {
	t.Helper()
	if got := <-r.begun; got != want {
		t.Fatalf("reading %d, want %d", got, want)
	}
	r.fail <- err
}

func TestAPI(t *testing.T) {
	r := &readings{begun: make(chan int), fail: make(chan error)}
	go func() { <-r.begun; r.fail <- errors.New("no database") }()
	if _, err := NewAPI(t.Context(), r.load, quiet); err == nil {
		t.Error("the first reading failed and nobody said so")
	}
	go func() { <-r.begun; r.fail <- nil }()
	a, err := NewAPI(t.Context(), r.load, quiet)
	if err != nil {
		t.Fatal(err)
	}
	serves := func(want string) {
		t.Helper()
		w := httptest.NewRecorder()
		a.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Body.String() != want {
			t.Errorf("serves reading %s, want %s", w.Body, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { a.Run(ctx); close(done) }()
	serves("2")

	a.Reload()
	if got := <-r.begun; got != 3 {
		t.Fatalf("reading %d", got)
	}
	serves("2") // while the third is under way
	for range 5 {
		a.Reload() // all of them are one more
	}
	r.fail <- errors.New("half a migration")
	if got := <-r.begun; got != 4 {
		t.Fatalf("reading %d", got)
	}
	serves("2") // the third failed
	r.fail <- nil
	a.Reload()
	r.next(t, 5, errors.New("again"))
	serves("4")
	cancel()
	<-done
}
