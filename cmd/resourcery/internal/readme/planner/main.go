// Command planner asks the stages for SQL and for structs, without HTTP: the
// example of the README.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
	"github.com/resourcery/resourcery/sqlgen"
)

// Post takes the attributes that its fields are tagged with.
type Post struct {
	ID        int       `db:"id"`
	Title     string    `db:"title"`
	CreatedAt time.Time `db:"createdAt"`
}

func latestPosts(ctx context.Context, pool *pgxpool.Pool, out io.Writer) ([]Post, error) {
	catalog, err := introspect.Load(ctx, pool, introspect.Options{Schemas: []string{"public"}})
	if err != nil {
		return nil, err
	}
	s, err := schema.FromCatalog(catalog)
	if err != nil {
		return nil, err
	}
	db, err := exec.Open(ctx, pool, exec.Options{Schema: s, AnonymousRole: "publishing_anon"})
	if err != nil {
		return nil, err
	}
	client := db.As(exec.Session{Role: "publishing_anon"})
	view, err := client.View(ctx, s) // what that role may read
	if err != nil {
		return nil, err
	}

	target, err := parse.Path("/post")
	if err != nil {
		return nil, err
	}
	request, err := parse.Query(target, "filter[author][name]=Ann&sort=-createdAt&page[limit]=2", parse.Options{})
	if err != nil {
		return nil, err
	}
	p, err := plan.Build(view, request, plan.Options{})
	if err != nil {
		return nil, err
	}
	for _, statement := range sqlgen.NewCompiler().Compile(p.Action).Statements {
		fmt.Fprintln(out, statement.Bound.SQL)
		for i, param := range statement.Bound.Params {
			fmt.Fprintf(out, "  $%d = %v\n", i+1, p.Values[param.Slot])
		}
	}
	return exec.Select[Post](ctx, client, p)
}

func main() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	posts, err := latestPosts(ctx, pool, os.Stdout)
	if err != nil {
		log.Fatal(err)
	}
	for _, post := range posts {
		fmt.Println(post.ID, post.CreatedAt.Format(time.DateOnly), post.Title)
	}
}
