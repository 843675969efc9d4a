// Package evaluate_test holds the way over Postgres against the evaluator, over
// databases and requests at random.
package evaluate_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

var (
	casesFlag = flag.Int("evaluate.cases", 10_000, "how many requests are compared")
	seedFlag  = flag.Int64("evaluate.seed", 1, "the seed of the first database")
)

// perWorld is how many requests each database gets.
const perWorld = 100

func TestMain(m *testing.M) { pgtest.Main(m) }

// Every answer of the server is that of the evaluator.
func TestAgrees(t *testing.T) {
	t.Parallel()
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
	few := func(n, of int) bool { return n*of < *casesFlag }
	if few(seen.documents, 2) || few(seen.resources, 2) || few(seen.refused, 20) || few(seen.cursors, 50) ||
		few(seen.windows, 100) || few(seen.expressions, 50) || few(seen.filters, 20) {
		t.Errorf("%+v: too few to show anything", seen)
	}
}

// A tally says what the cases were.
type tally struct {
	cases, documents, refused, absent int
	resources                         int // primary and included
	cursors, windows                  int // pages that follow cursors, relationships with a next
	expressions, filters              int // in requests that found something
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
	c := client{s.world, role, view}
	r := c.request()
	for again := true; again; {
		got, want := s.served(role, r), s.evaluated(view, role, r)
		seen.count(r, got)
		if fault := disagreement(r, got, want); fault != "" {
			t.Errorf("case %d: %s", seen.cases, s.report(view, role, s.shrunk(view, role, r)))
			return
		}
		if r, again = c.beside(r, got.document); again {
			again = !c.one(3)
		}
	}
}

// An answer is a document, or the status and the codes of a refusal.
type answer struct {
	status   int
	codes    []string
	document map[string]any
}

func (s *tally) count(r request, a answer) {
	s.cases++
	switch a.status {
	case http.StatusOK:
	case http.StatusNotFound:
		s.absent++
		return
	default:
		s.refused++
		return
	}
	s.documents++
	resources, _ := a.document["included"].([]any)
	switch data := a.document["data"].(type) {
	case []any:
		resources = append(data, resources...)
		if len(data) > 0 {
			s.found(r, data[0])
		}
	case map[string]any:
		resources = append(resources, data)
	}
	s.resources += len(resources)
	for _, resource := range resources {
		relationships, _ := resource.(map[string]any)["relationships"].(map[string]any)
		for _, rel := range relationships {
			if rel.(map[string]any)["links"].(map[string]any)["next"] != nil {
				s.windows++
			}
		}
	}
}

// found counts a request whose list has items.
func (s *tally) found(r request, first any) {
	if token, _ := cursorOf(first); token != "" {
		s.cursors++
	}
	for _, p := range r.params {
		switch {
		case p.name == "filter":
			s.expressions++
		case p.means != nil:
			s.filters++
		}
	}
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
	p, err := plan.Build(view, parsed, s.settings.plan(r))
	if err != nil {
		return refusal(err)
	}
	if foreseen := r.codes(); len(foreseen) > 0 {
		return answer{codes: foreseen} // but the plan takes it
	}
	mv, _ := view.Model(target.Type)
	target.Type = mv.Model.Type
	at := evaluate.Address{
		Endpoint: endpoint, Path: target.Path(), Params: r.parameters(),
		PageSize: max(s.pageSize, 0), Divider: s.divider, StringIDs: s.strict,
	}
	doc, err := evaluate.Document(s.database(), s.policies(role), s.meant(view, r, p), at)
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
		if code != "not-found" && code != "too-many-included" && !slices.Contains(foreseen, code) {
			return fmt.Sprintf("the answer is %d %v, but right were %v", got.status, got.codes, foreseen)
		}
	}
	if len(foreseen) > 0 && got.status == http.StatusOK {
		return fmt.Sprintf("the answer is %d, but right were %v", got.status, foreseen)
	}
	if got.status == http.StatusOK {
		return difference("", normal("", any(named(got.document))), normal("", any(want.document)))
	}
	return ""
}

// shrunk leaves parameters out as long as the answers differ, and have the same
// status as before: the rest may make no sense without what is left out.
func (s *site) shrunk(view *schema.View, role string, r request) request {
	status := s.served(role, r).status
	for i := 0; i < len(r.params); {
		smaller := r
		smaller.params = slices.Delete(slices.Clone(r.params), i, i+1)
		got := s.served(role, smaller)
		if got.status == status && disagreement(smaller, got, s.evaluated(view, role, smaller)) != "" {
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
	fmt.Fprintf(&b, "seed %d: GET %s (%s) as %s: %s\n", s.seed, r.url(), r.accept(), role, disagreement(r, got, want))
	fmt.Fprintf(&b, "decoded: %s %v\n%+v\n\n%s\n", r.path, r.parameters(), s.settings, s.sql())
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
			if p, err := plan.Build(view, parsed, s.settings.plan(r)); err == nil {
				fmt.Fprintf(&b, "\n%s", p)
			}
		}
	}
	return b.String()
}
