package blog

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// Endpoint is where the API is served, as links have it.
const Endpoint = "http://blog.example/api"

// The session in whose name every request runs.
const (
	Role     = "blog_member"
	UserID   = "1"
	TenantID = "1"
)

// Variables are the session's, in the order in which they are set.
var Variables = []string{"app.user_id", "app.tenant_id"}

// Session is the same one. Its variables are shared and must not be changed.
func Session() exec.Session { return session }

var session = exec.Session{
	Role: Role,
	Vars: map[string]string{"app.user_id": UserID, "app.tenant_id": TenantID},
}

// A Site is an installed database, opened as the library serves it.
type Site struct {
	Pool   *pgxpool.Pool
	Schema *schema.Schema
	DB     *exec.DB
}

// Open connects to an installed database. Connection strings may say
// pool_max_conns, as those of pgxpool.
func Open(ctx context.Context, dsn string) (*Site, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("open the data set: %w", err)
	}
	return OpenConfig(ctx, config)
}

// OpenConfig does the same, and prepares the configuration for the library.
func OpenConfig(ctx context.Context, config *pgxpool.Config) (*Site, error) {
	exec.Configure(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the data set: %w", err)
	}
	site, err := openPool(ctx, pool)
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the data set: %w", err)
	}
	return site, nil
}

func openPool(ctx context.Context, pool *pgxpool.Pool) (*Site, error) {
	catalog, err := introspect.Load(ctx, pool, introspect.Options{Schemas: []string{"public"}})
	if err != nil {
		return nil, err
	}
	s, err := schema.FromCatalog(catalog)
	if err != nil {
		return nil, err
	}
	// Who logs in may be the owner or a superuser: no request runs as that role.
	db, err := exec.Open(ctx, pool, exec.Options{Schema: s, Variables: Variables, AnonymousRole: Role})
	if err != nil {
		return nil, err
	}
	return &Site{Pool: pool, Schema: s, DB: db}, nil
}

// Close closes the pool.
func (s *Site) Close() { s.Pool.Close() }

// Handler serves the database at Endpoint, with pages of the library's default
// size.
func (s *Site) Handler() (http.Handler, error) {
	return s.Host(httpapi.RESTOptions{Endpoint: Endpoint})
}

// Host serves it with options of the caller's.
func (s *Site) Host(o httpapi.RESTOptions) (http.Handler, error) {
	style, err := httpapi.REST(o)
	if err != nil {
		return nil, err
	}
	return httpapi.NewHost(httpapi.HostOptions{
		Schema:  s.Schema,
		Handler: style,
		Client:  func(*http.Request) (exec.Client, error) { return s.DB.As(session), nil },
	})
}
