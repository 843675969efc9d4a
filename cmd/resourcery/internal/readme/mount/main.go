// Command mount serves the API from a Go program of its own: the example of the
// README.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// userID is the context key under which a middleware keeps who is logged in.
type userID struct{}

func newAPI(ctx context.Context, dsn string) (http.Handler, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	exec.Configure(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	catalog, err := introspect.Load(ctx, pool, introspect.Options{Schemas: []string{"public"}})
	if err != nil {
		return nil, err
	}
	s, err := schema.FromCatalog(catalog)
	if err != nil {
		return nil, err
	}
	db, err := exec.Open(ctx, pool, exec.Options{
		Schema:        s,
		Variables:     []string{"request.jwt.claims"},
		AnonymousRole: "publishing_anon",
	})
	if err != nil {
		return nil, err
	}
	style, err := httpapi.REST(httpapi.RESTOptions{Endpoint: "http://127.0.0.1:8080/api"})
	if err != nil {
		return nil, err
	}
	return httpapi.NewHost(httpapi.HostOptions{
		Schema:  s,
		Handler: style,
		Client: func(r *http.Request) (exec.Client, error) {
			user, ok := r.Context().Value(userID{}).(string)
			if !ok {
				return db.As(exec.Session{Role: "publishing_anon"}), nil
			}
			claims, err := json.Marshal(map[string]string{"sub": user})
			if err != nil {
				return exec.Client{}, err
			}
			return db.As(exec.Session{
				Role: "publishing_member",
				Vars: map[string]string{"request.jwt.claims": string(claims)},
			}), nil
		},
	})
}

func main() {
	api, err := newAPI(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", api)
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", mux))
}
