// Package evaluate_test holds the way over Postgres against the evaluator, over
// databases and requests at random.
package evaluate_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

var (
	casesFlag = flag.Int("evaluate.cases", 10_000, "how many requests are compared")
	seedFlag  = flag.Int64("evaluate.seed", 1, "the seed of the first database")
)

// perWorld is how many requests each database gets.
const perWorld = 100

func TestMain(m *testing.M) { pgtest.Main(m) }

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

// Every answer of the server is that of the evaluator.
func TestAgrees(t *testing.T) {
	pool := newPool(t)
	seen := tally{}
	for n := 0; n < *casesFlag; n += perWorld {
		seed := *seedFlag + int64(n/perWorld)
		s := newSite(t, pool, seed)
		if s == nil {
			continue
		}
		for range min(perWorld, *casesFlag-n) {
			s.compare(t, &seen)
			if t.Failed() {
				return
			}
		}
		s.drop(t)
	}
	t.Logf("%+v", seen)
	if seen.documents*2 < *casesFlag || seen.refused == 0 || seen.resources < *casesFlag {
		t.Errorf("%+v: too few to show anything", seen)
	}
}

// A tally says what the cases were.
type tally struct{ cases, documents, refused, absent, resources int }

func newPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(pgtest.Database(t, rolesSQL))
	if err != nil {
		t.Fatal(err)
	}
	exec.Configure(config)
	config.MaxConns = 1
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

// pageSize is the default limit: small, so that pages are there.
const pageSize = 5

// newSite makes the world of a seed, nil for one whose names cannot be served.
func newSite(t *testing.T, pool *pgxpool.Pool, seed int64) *site {
	t.Helper()
	s := &site{world: newWorld(seed, fmt.Sprintf("w%d", seed)), seed: seed, pool: pool}
	ctx := t.Context()
	if _, err := pool.Exec(ctx, s.sql()); err != nil {
		t.Fatalf("seed %d: %v in\n%s", seed, err, s.sql())
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
	s.db, err = exec.Open(ctx, pool, exec.Options{Schema: s.schema, Variables: []string{ownerVar}, AnonymousRole: readerRole})
	if err != nil {
		t.Fatal(err)
	}
	style, err := httpapi.REST(httpapi.RESTOptions{Endpoint: endpoint, PageSize: pageSize, MaxPageSize: 2 * pageSize})
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
	return s.db.As(exec.Session{Role: role, Vars: map[string]string{ownerVar: owner}})
}

func (s *site) drop(t *testing.T) {
	t.Helper()
	if _, err := s.pool.Exec(t.Context(), "DROP SCHEMA "+s.namespace+" CASCADE"); err != nil {
		t.Fatal(err)
	}
}

// compare makes a request and holds both answers against each other.
func (s *site) compare(t *testing.T, seen *tally) {
	t.Helper()
	role := roles[s.Intn(2)]
	view, err := s.client(role).View(t.Context(), s.schema)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(s.schema.Models(), func(m *schema.Model) bool { return view.Of(m).Readable }) {
		return
	}
	r := client{s.world, role, view}.request()
	got, want := s.served(role, r), s.evaluated(view, role, r)
	seen.count(got)
	if fault := disagreement(r, got, want); fault != "" {
		t.Errorf("case %d: %s", seen.cases, s.report(view, role, s.shrunk(view, role, r)))
	}
}

// An answer is a document, or the status and the codes of a refusal.
type answer struct {
	status   int
	codes    []string
	document map[string]any
}

func (s *tally) count(a answer) {
	s.cases++
	switch {
	case a.status == http.StatusOK:
		s.documents++
		included, _ := a.document["included"].([]any)
		s.resources += len(included)
		switch data := a.document["data"].(type) {
		case []any:
			s.resources += len(data)
		case map[string]any:
			s.resources++
		}
	case a.status == http.StatusNotFound:
		s.absent++
	default:
		s.refused++
	}
}

// served is the server's answer.
func (s *site) served(role string, r request) answer {
	q := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/api"+r.url(), nil)
	q.Header.Set("X-Role", role)
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

// evaluated is the evaluator's answer, or the plan's refusal.
func (s *site) evaluated(view *schema.View, role string, r request) answer {
	path, query, _ := strings.Cut(r.url(), "?")
	target, err := parse.Path(path)
	if err != nil {
		return refusal(err)
	}
	parsed, err := parse.Query(target, query, parse.Options{})
	if err != nil {
		return refusal(err)
	}
	p, err := plan.Build(view, parsed, plan.Options{PageSize: pageSize, MaxPageSize: 2 * pageSize})
	if err != nil {
		return refusal(err)
	}
	mv, _ := view.Model(target.Type)
	target.Type = mv.Model.Type
	at := evaluate.Address{Endpoint: endpoint, Path: target.Path(), Params: r.parameters(), PageSize: pageSize, Divider: "_"}
	doc, err := evaluate.Document(s.database(), s.policies(role), meant(p, r), at)
	if refused, ok := err.(evaluate.Refusal); ok {
		status := http.StatusBadRequest
		if refused == evaluate.NotFound {
			status = http.StatusNotFound
		}
		return answer{status: status, codes: []string{string(refused)}}
	}
	return answer{status: http.StatusOK, document: doc}
}

func refusal(err error) answer {
	errs := jsonapi.AsErrors(err)
	a := answer{status: errs.Status()}
	for _, e := range errs {
		a.codes = append(a.codes, e.Code.String())
	}
	return a
}

// disagreement says what the answers differ in, "" for nothing. That a request
// is refused is foreseen by who made it.
func disagreement(r request, got, want answer) string {
	if got.status != want.status || !slices.Equal(got.codes, want.codes) {
		return fmt.Sprintf("the server answers %d %v, the evaluator %d %v", got.status, got.codes, want.status, want.codes)
	}
	foreseen := r.codes()
	for _, code := range got.codes {
		if code != "not-found" && !slices.Contains(foreseen, code) {
			return fmt.Sprintf("the answer is %d %v, but right were %v", got.status, got.codes, foreseen)
		}
	}
	if len(foreseen) > 0 && got.status == http.StatusOK {
		return fmt.Sprintf("the answer is %d, but right were %v", got.status, foreseen)
	}
	if got.status == http.StatusOK {
		return difference("", normal("", any(got.document)), normal("", any(want.document)))
	}
	return ""
}

// shrunk leaves parameters out as long as the answers differ.
func (s *site) shrunk(view *schema.View, role string, r request) request {
	for i := 0; i < len(r.params); {
		smaller := r
		smaller.params = slices.Delete(slices.Clone(r.params), i, i+1)
		if disagreement(smaller, s.served(role, smaller), s.evaluated(view, role, smaller)) != "" {
			r, i = smaller, 0
		} else {
			i++
		}
	}
	return r
}

// report tells everything about a case.
func (s *site) report(view *schema.View, role string, r request) string {
	got, want := s.served(role, r), s.evaluated(view, role, r)
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: GET %s as %s: %s\n", s.seed, r.url(), role, disagreement(r, got, want))
	fmt.Fprintf(&b, "decoded: %s %v\n\n%s\n", r.path, r.parameters(), s.sql())
	for name, a := range map[string]answer{"server": got, "evaluator": want} {
		text, err := json.MarshalIndent(a.document, "", " ")
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s: %d %v %s\n", name, a.status, a.codes, text)
	}
	if path, query, _ := strings.Cut(r.url(), "?"); got.status == http.StatusOK {
		target, _ := parse.Path(path)
		if parsed, err := parse.Query(target, query, parse.Options{}); err == nil {
			if p, err := plan.Build(view, parsed, plan.Options{PageSize: pageSize, MaxPageSize: 2 * pageSize}); err == nil {
				fmt.Fprintf(&b, "\n%s", p)
			}
		}
	}
	return b.String()
}
