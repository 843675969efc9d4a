package httpapi_test

import (
	"context"
	"log"
	"log/slog"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/schema"
)

// A program that serves a database below /api. The host's own login
// finds out who is calling; the database's policies read app.user_id.
func ExampleNewHost() {
	ctx := context.Background()
	served, err := schema.Load(httpapi.DefaultSchema)
	if err != nil {
		log.Fatal(err)
	}
	config, err := pgxpool.ParseConfig("postgres://web@localhost/blog")
	if err != nil {
		log.Fatal(err)
	}
	exec.Configure(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	db, err := exec.Open(ctx, pool, exec.Options{Schema: served, Variables: []string{"app.user_id"}})
	if err != nil {
		log.Fatal(err)
	}

	style, err := httpapi.REST(httpapi.RESTOptions{Endpoint: "https://example.org/api"})
	if err != nil {
		log.Fatal(err)
	}
	handler, err := httpapi.NewHost(httpapi.HostOptions{
		Client: func(r *http.Request) (exec.Client, error) {
			user, ok := r.Context().Value(userKey{}).(string)
			if !ok {
				return exec.Client{}, httpapi.Unauthorized("Log in first.")
			}
			return db.As(exec.Session{Role: "web_user", Vars: map[string]string{"app.user_id": user}}), nil
		},
		Logger:  slog.Default(),
		Schema:  served,
		Handler: style,
	})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/api/", handler)
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}

// userKey is where the host's login, a middleware in front of the handler, has
// put the id of the user that it authenticated.
type userKey struct{}
