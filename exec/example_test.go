package exec_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// A Book is a resource as a struct: its id, and the attributes by their names.
type Book struct {
	ID    int64  `db:"id"`
	Title string `db:"title"`
	Pages *int   `db:"pageCount"` // may be NULL
}

// Books answers a query of the API with structs, as the session's role sees them.
func Books(ctx context.Context, client exec.Client, s *schema.Schema, query string) ([]Book, error) {
	view, err := client.View(ctx, s)
	if err != nil {
		return nil, err
	}
	request, err := parse.Query(parse.Target{Shape: parse.Collection, Type: "book"}, query, parse.Options{})
	if err != nil {
		return nil, err
	}
	p, err := plan.Build(view, request, plan.Options{})
	if err != nil {
		return nil, err
	}
	return exec.Select[Book](ctx, client, p)
}

// OpenLibrary opens the database behind a pool, with the schema that it has now.
func OpenLibrary(ctx context.Context, pool *pgxpool.Pool) (*exec.DB, *schema.Schema, error) {
	catalog, err := introspect.Load(ctx, pool, introspect.Options{})
	if err != nil {
		return nil, nil, err
	}
	s, err := schema.FromCatalog(catalog)
	if err != nil {
		return nil, nil, err
	}
	db, err := exec.Open(ctx, pool, exec.Options{
		Schema: s, Variables: []string{"app.user_id"}, AnonymousRole: "exec_test_reader",
	})
	return db, s, err
}

// The example needs a server: TestExampleSelect runs its functions on one.
func ExampleSelect() {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	exec.Configure(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	db, s, err := OpenLibrary(ctx, pool)
	if err != nil {
		log.Fatal(err)
	}
	client := db.As(exec.Session{Role: "exec_test_reader", Vars: map[string]string{"app.user_id": "1"}})
	books, err := Books(ctx, client, s, "filter[author][fullName]=Ann&sort=-title")
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range books {
		fmt.Println(b.ID, b.Title)
	}
}
