package evaluate_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

var sequencesFlag = flag.Int("evaluate.sequences", 2000, "how many sequences of writes are compared")

// Each world gets so many sequences, each of them so many requests at least, and
// as many at most.
const (
	sequencesPerWorld = 40
	shortest, longest = 6, 10
)

// Sequences of writes by two users have the answers that the evaluator gives, and
// leave the rows that it leaves.
func TestWritesAgree(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	seen := writeTally{Of: map[string]int{}, Refused: map[string]int{}}
	for n := 0; n < *sequencesFlag; n += sequencesPerWorld {
		seed := *seedFlag + int64(n/sequencesPerWorld)
		w := newWriteWorld(seed, fmt.Sprintf("v%d", seed))
		site := w.serve(t, pool, seed, w.writableSQL())
		if site == nil {
			continue
		}
		s := &writeSite{site: site, rules: site.rules(), seen: &seen, views: map[string]*schema.View{}}
		for _, role := range roles {
			view, err := s.client(role).View(t.Context(), s.schema)
			if err != nil {
				t.Fatal(err)
			}
			s.views[role] = view
		}
		for range min(sequencesPerWorld, *sequencesFlag-n) {
			if fault := s.sequence(t); fault != "" {
				t.Error(fault)
				return
			}
		}
		s.drop(t)
	}
	t.Logf("%+v", seen)
	seen.enough(t)
}

// A writeSite is a site whose rows change.
type writeSite struct {
	*site
	rules map[schema.Table]*evaluate.Rules
	views map[string]*schema.View
	seen  *writeTally
	tags  []tag
}

// A writeTally says what the requests were.
type writeTally struct {
	Requests, Reads, Done, Matched int
	Of                             map[string]int // what was done
	Refused                        map[string]int // by the first code
}

func (s *writeTally) done(w writeRequest, created bool) {
	s.Done++
	switch {
	case w.what == "upsert" && created:
		w.what = "upsert that creates"
	case w.what == "upsert":
		w.what = "upsert that updates"
	}
	s.Of[w.what]++
}

func (s *writeTally) enough(t *testing.T) {
	t.Helper()
	few := func(n, of int) bool { return n*of < *sequencesFlag }
	if few(s.Done, 1) || few(s.Reads, 5) || few(s.Matched, 50) {
		t.Errorf("%+v: too few to show anything", *s)
	}
	for _, what := range []string{
		"create", "upsert that creates", "upsert that updates", "update", "delete", "operations",
		"PATCH own", "PATCH own by another key", "PATCH one other's", "PATCH others'", "POST others'", "DELETE others'",
		"PATCH joined", "POST joined", "DELETE joined", "POST others' that need it",
	} {
		if few(s.Of[what], 400) {
			t.Errorf("%d times %s: too few to show anything", s.Of[what], what)
		}
	}
	for _, code := range []string{"not-found", "related-not-found", "forbidden", "conflict", "required-relationship", "validation-error", "invalid-payload", "precondition-failed"} {
		if few(s.Refused[code], 400) {
			t.Errorf("%d refusals are %s: too few to show anything", s.Refused[code], code)
		}
	}
}

// reset puts the world back to how it began.
func (s *writeSite) reset() string {
	s.tags = nil
	for _, t := range s.tables {
		t.rows = t.initial
	}
	if _, err := s.pool.Exec(context.Background(), s.resetSQL()); err != nil {
		return fmt.Sprintf("%v in\n%s", err, s.resetSQL())
	}
	return ""
}

// sequence makes a sequence of requests, and says what went wrong.
func (s *writeSite) sequence(t *testing.T) string {
	t.Helper()
	if fault := s.reset(); fault != "" {
		return fault
	}
	var done []writeRequest
	fault := ""
	for range shortest + s.Intn(longest-shortest+1) {
		role := roles[s.Intn(2)]
		c := client{s.world, role, s.views[role]}
		done = append(done, c.writeRequest(s.tags))
		if fault = s.step(done[len(done)-1]); fault != "" {
			break
		}
	}
	if fault == "" {
		fault = s.state()
	}
	if fault == "" {
		return ""
	}
	at := fmt.Sprintf("request %d, ", s.seen.Requests)
	return at + s.story(s.shorter(done))
}

// replay makes the requests again, from the start.
func (s *writeSite) replay(requests []writeRequest) string {
	if fault := s.reset(); fault != "" {
		return fault
	}
	for _, w := range requests {
		if fault := s.step(w); fault != "" {
			return fault
		}
	}
	return s.state()
}

// shorter leaves requests out as long as something goes wrong.
func (s *writeSite) shorter(requests []writeRequest) []writeRequest {
	for i := 0; i < len(requests); {
		fewer := slices.Delete(slices.Clone(requests), i, i+1)
		if s.replay(fewer) != "" {
			requests, i = fewer, 0
		} else {
			i++
		}
	}
	return requests
}

// story tells everything about a sequence.
func (s *writeSite) story(requests []writeRequest) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %+v\n%s\n", s.seed, s.settings, s.writableSQL())
	if fault := s.reset(); fault != "" {
		return fault
	}
	for _, w := range requests {
		fault := s.step(w)
		body, _ := json.MarshalIndent(w.body, "", " ")
		if w.read != nil {
			fmt.Fprintf(&b, "\nas %s: GET %s\n%s\n", w.role, w.read.url(), fault)
			continue
		}
		fmt.Fprintf(&b, "\nas %s: %s %s If-Match: %s\n%s\n%s\n", w.role, w.method, w.url(), w.ifMatch, body, fault)
		if fault != "" {
			fmt.Fprintf(&b, "the plan that is meant:\n%s\n", w.plan)
		}
	}
	fmt.Fprintf(&b, "in the end: %s\n", s.state())
	return b.String()
}

// state says how the rows in Postgres differ from those in memory.
func (s *writeSite) state() string {
	rows, err := s.pool.Query(context.Background(), s.differencesSQL())
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err.Error()
		}
		out = append(out, line)
	}
	if err := rows.Err(); err != nil {
		return err.Error() + " in " + s.differencesSQL()
	}
	return strings.Join(out, "\n")
}

// step makes one request, and says in what the answers differ.
func (s *writeSite) step(w writeRequest) string {
	s.seen.Requests++
	if w.read != nil {
		s.seen.Reads++
		got, want := s.served(w.role, *w.read), s.evaluated(s.views[w.role], w.role, *w.read)
		return disagreement(*w.read, got, want)
	}
	got := s.sent(w)
	after, err := s.meantBy(w, got)
	if refused, ok := errors.AsType[*evaluate.Refused](err); ok {
		return s.refusedAs(got, refused)
	}
	if fault := s.doneAs(w, got, after); fault != "" {
		return fault
	}
	for _, t := range s.tables {
		t.rows = after.Rows[schema.Table{Schema: s.namespace, Name: t.name}]
	}
	s.remember(w, got)
	return ""
}

// meantBy is what the request does, in memory.
func (s *writeSite) meantBy(w writeRequest, got reply) (evaluate.Written, error) {
	if len(w.wrong) > 0 {
		return evaluate.Written{}, &evaluate.Refused{Answers: [][]evaluate.Problem{w.wrong}}
	}
	at := evaluate.Address{Endpoint: endpoint, Path: w.path, Params: request{params: w.params}.parameters(), PageSize: max(s.pageSize, 0), Divider: s.divider, StringIDs: s.strict}
	if read := w.plan.Read(); read != nil && read.Form == plan.Linkage && !strings.Contains(w.path, "/relationships/") {
		i := strings.LastIndex(w.path, "/")
		at.Path = w.path[:i] + "/relationships" + w.path[i:]
	}
	n := 0
	generate := func(table schema.Table, column string) any {
		m := w.makes[n]
		n++
		return s.madeKey(m, got, n)
	}
	return evaluate.Write(evaluate.Store{Rows: s.database(), Rules: s.rules}, s.guards(w.role), w.plan, at, generate)
}

// madeKey is the key that the database has made, as the reply tells it, or one
// of no row where it does not.
func (s *writeSite) madeKey(m made, got reply, n int) any {
	data := got.document["data"]
	if results, ok := got.document["atomic:results"].([]any); ok {
		data = results[m.result].(map[string]any)["data"]
	}
	if object, ok := data.(map[string]any); ok {
		if id, err := strconv.ParseInt(fmt.Sprint(object["id"]), 10, 64); err == nil {
			return id
		}
	}
	return int64(20_000 + n)
}
