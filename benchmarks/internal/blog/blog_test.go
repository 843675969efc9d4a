package blog_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
	"github.com/resourcery/resourcery/internal/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func install(t *testing.T) (*pgx.Conn, *blog.Site) {
	t.Helper()
	dsn := pgtest.Database(t, "")
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if err := blog.Install(t.Context(), conn, blog.Small); err != nil {
		t.Fatal(err)
	}
	site, err := blog.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(site.Close)
	return conn, site
}

func TestInstallAgain(t *testing.T) {
	conn, _ := install(t)
	if err := blog.Install(t.Context(), conn, blog.Small); err != nil {
		t.Errorf("a data set that is there: %v", err)
	}
	if err := blog.Install(t.Context(), conn, blog.Full); err == nil {
		t.Error("another size than the one that is there was not refused")
	}
}

func TestWorkloads(t *testing.T) {
	conn, site := install(t)
	handler, err := site.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range blog.Workloads {
		t.Run(w.Name, func(t *testing.T) {
			size := 0
			requests := w.Requests(blog.Small)
			for _, r := range requests {
				answer := httptest.NewRecorder()
				request := httptest.NewRequest(r.Method, r.URI(), strings.NewReader(r.Body))
				request.Header.Set("Content-Type", "application/vnd.api+json")
				handler.ServeHTTP(answer, request)
				if answer.Code != http.StatusOK && (answer.Code != http.StatusCreated || r.Method != "POST") {
					t.Fatalf("%s %s: %d %s", r.Method, r.URI(), answer.Code, answer.Body)
				}
				size += answer.Body.Len()
			}
			t.Logf("%d requests, documents of %d bytes", len(requests), size/len(requests))
		})
	}
	if err := blog.Restore(t.Context(), conn, blog.Small); err != nil {
		t.Error(err)
	}
	var posts, last int
	if err := conn.QueryRow(t.Context(), `SELECT count(*)::int, max(id) FROM "Post"`).Scan(&posts, &last); err != nil {
		t.Fatal(err)
	}
	if posts != blog.Small.Posts() || last != posts {
		t.Errorf("%d posts up to %d after all is restored, want %d", posts, last, blog.Small.Posts())
	}
}
