package evaluate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

const rolesSQL = `
DO $$ BEGIN
	CREATE ROLE ` + readerRole + ` NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
	CREATE ROLE ` + guestRole + ` NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
`

func newPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(pgtest.Database(t, rolesSQL))
	if err != nil {
		t.Fatal(err)
	}
	exec.Configure(config)
	config.MaxConns = 1
	config.ConnConfig.RuntimeParams["TimeZone"] = "America/St_Johns" // which answers do not show
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// A site is a world, in Postgres and served.
type site struct {
	*world
	seed   int64
	pool   *pgxpool.Pool
	schema *schema.Schema
	db     *exec.DB
	server http.Handler
}

const endpoint = "http://test/api"

// settings are what the host of a world chose.
type settings struct {
	pageSize, maxPageSize int // small, so that there are pages
	divider               string
	strict                bool
	keys                  exec.Keys
	maxIncluded           int // 0: the default
}

func (w *world) newSettings() settings {
	s := settings{
		pageSize:    []int{5, 5, 3, plan.Unlimited}[w.Intn(4)],
		maxPageSize: 10,
		divider:     []string{"_", "_", "-", "~"}[w.Intn(4)],
		strict:      w.Intn(4) == 0,
		keys:        []exec.Keys{exec.KeysInSession, exec.KeysBound}[w.Intn(2)],
		maxIncluded: []int{0, 0, 4}[w.Intn(3)],
	}
	if s.pageSize == plan.Unlimited {
		s.maxPageSize = 0
	}
	return s
}

// plan returns the options of the request's plan.
func (s settings) plan(r request) plan.Options {
	return plan.Options{
		CursorProfile: r.profile,
		PageSize:      s.pageSize, MaxPageSize: s.maxPageSize, Divider: s.divider, Limits: plan.Limits{Included: s.maxIncluded},
	}
}

// newSite makes the world of a seed, nil for one whose names cannot be served.
func newSite(t *testing.T, pool *pgxpool.Pool, seed int64) *site {
	t.Helper()
	w := newWorld(seed, fmt.Sprintf("w%d", seed))
	return w.serve(t, pool, seed, w.sql())
}

// serve makes the world by the SQL, and serves it.
func (w *world) serve(t *testing.T, pool *pgxpool.Pool, seed int64, sql string) *site {
	t.Helper()
	s := &site{world: w, seed: seed, pool: pool}
	ctx := t.Context()
	if _, err := pool.Exec(ctx, sql); err != nil {
		t.Fatalf("seed %d: %v in\n%s", seed, err, sql)
	}
	catalog, err := introspect.Load(ctx, pool, introspect.Options{Schemas: []string{s.namespace}})
	if err != nil {
		t.Fatal(err)
	}
	if s.schema, err = schema.FromCatalog(catalog); err != nil {
		t.Logf("seed %d is passed over: %v", seed, err)
		s.drop(t)
		return nil
	}
	s.db, err = exec.Open(ctx, pool, exec.Options{Schema: s.schema, Variables: []string{ownerVar}, AnonymousRole: readerRole, Keys: s.keys})
	if err != nil {
		t.Fatal(err)
	}
	style, err := httpapi.REST(httpapi.RESTOptions{
		Endpoint: endpoint, PageSize: s.pageSize, MaxPageSize: s.maxPageSize, IDDivider: s.divider, Strict: s.strict,
		Limits: httpapi.Limits{MaxIncluded: s.maxIncluded},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.server, err = httpapi.NewHost(httpapi.HostOptions{Handler: style, Schema: s.schema, Client: func(r *http.Request) (exec.Client, error) {
		return s.client(r.Header.Get("X-Role")), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) client(role string) exec.Client {
	return s.db.As(exec.Session{Role: role, Vars: map[string]string{ownerVar: s.owners[role]}})
}

func (s *site) drop(t *testing.T) {
	t.Helper()
	if _, err := s.pool.Exec(t.Context(), "DROP SCHEMA "+s.namespace+" CASCADE"); err != nil {
		t.Fatal(err)
	}
}

// served is the server's answer.
func (s *site) served(role string, r request) answer {
	a := s.got(role, r.url(), r.accept())
	s.followed(role, a.document["data"])
	s.followed(role, a.document["included"])
	return a
}

func (s *site) got(role, url, accept string) answer {
	q := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/api"+url, nil)
	q.Header.Set("X-Role", role)
	q.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, q)
	a := answer{status: w.Code}
	d := json.NewDecoder(w.Body)
	d.UseNumber()
	if err := d.Decode(&a.document); err != nil {
		a.codes = []string{"no JSON: " + err.Error()}
		return a
	}
	if errors, ok := a.document["errors"].([]any); ok {
		for _, e := range errors {
			a.codes = append(a.codes, e.(map[string]any)["code"].(string))
		}
	}
	return a
}

// unreachable stands for what no path leads to (contract 1.5).
const unreachable = "unreachable"

// accept is the header that asks for the answer.
func (r request) accept() string {
	if r.profile {
		return jsonapi.MediaType + `; profile="` + jsonapi.CursorProfile + `"`
	}
	return jsonapi.MediaType
}

// followed puts in the place of links to the rest of a relationship what is
// there, as the evaluator has it.
func (s *site) followed(role string, v any) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			s.followed(role, inner)
		}
	case map[string]any:
		relationships, _ := v["relationships"].(map[string]any)
		for _, rel := range relationships {
			links := rel.(map[string]any)["links"].(map[string]any)
			if next, ok := links["next"].(string); ok {
				links["next"] = s.got(role, strings.TrimPrefix(next, endpoint), jsonapi.MediaType).document["data"]
				if !carried(fmt.Sprint(v["id"])) {
					links["next"] = unreachable
				}
			}
		}
	}
}
