package metrics

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Whatever requests say, the series are those of the forms of paths; an answer
// that is aborted counts too, and is not running any more.
func TestCounting(t *testing.T) {
	// A pool connects when it is used, and this one is not.
	pool, err := pgxpool.New(t.Context(), "postgres://nobody@127.0.0.1:1/nothing")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	m := New("/v1/api", pool)
	h := m.Counting(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.RawQuery {
		case "abort":
			panic(http.ErrAbortHandler)
		case "body":
			_, _ = w.Write([]byte("answer"))
		default:
			w.WriteHeader(http.StatusTeapot)
			w.WriteHeader(http.StatusOK) // comes too late
		}
	}))
	for _, c := range []struct{ method, target, series string }{
		{"GET", "/v1/api/post", `method="GET",route="/{type}",status="418"`},
		{"PATCH", "/v1/api/post/a%2Fb", `method="PATCH",route="/{type}/{id}",status="418"`},
		{"GET", "/v1/api/post/1/author", `method="GET",route="/{type}/{id}/{relationship}",status="418"`},
		{"DELETE", "/v1/api/post/1/relationships/tags", `method="DELETE",route="/{type}/{id}/relationships/{relationship}",status="418"`},
		{"POST", "/v1/api/operations", `method="POST",route="/operations",status="418"`},
		{"GET", "/v1/api", `method="GET",route="other",status="418"`},
		{"OPTIONS", "/elsewhere", `method="OPTIONS",route="other",status="418"`},
		{"BREW", "/v1/api/tea", `method="other",route="/{type}",status="418"`},
		{"GET", "/v1/api/post?body", `method="GET",route="/{type}",status="200"`},
		{"GET", "/v1/api/post?abort", `method="GET",route="/{type}",status="aborted"`},
	} {
		func() {
			defer func() {
				if v := recover(); v != nil && v != http.ErrAbortHandler {
					t.Errorf("%s: panic %v", c.target, v)
				}
			}()
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(c.method, c.target, nil))
		}()
		w := httptest.NewRecorder()
		m.ServeHTTP(w, httptest.NewRequest("GET", Path, nil))
		if line := "\nresourcery_http_requests_total{" + c.series + "} 1\n"; !strings.Contains(w.Body.String(), line) {
			t.Errorf("%s %s: no %s", c.method, c.target, line)
		}
		if !strings.Contains(w.Body.String(), "\nresourcery_http_requests_in_flight 0\n") {
			t.Errorf("%s %s: it is running still", c.method, c.target)
		}
	}
}
