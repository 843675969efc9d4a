package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestLatestPosts(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), pgtest.Database(t, sample.Script(sample.Small)))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var out bytes.Buffer
	posts, err := latestPosts(t.Context(), pool, &out)
	if err != nil {
		t.Fatal(err)
	}
	if len(posts) != 2 || posts[0].CreatedAt.Before(posts[1].CreatedAt) || posts[0].Title == "" || posts[0].ID == 0 {
		t.Errorf("posts are %+v", posts)
	}
	for _, part := range []string{`FROM "public"."Post"`, "LIMIT 2", "\n  $1 = Ann\n"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, &out)
		}
	}
}
