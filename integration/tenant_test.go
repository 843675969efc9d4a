package integration

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/httpapi"
)

var (
	tenantRequests = flag.Int("tenant-requests", 5000, "how many requests TestTenantsAreIsolated sends")
	tenantSeed     = flag.Uint64("tenant-seed", 1, "which requests these are")
)

// refillEvery is after how many requests the tenants' rows are made anew, and
// compared with what was there.
const refillEvery = 500

// TestTenantsAreIsolated sends one tenant's requests to two databases: in one
// there is nobody else, in the other there is another tenant with ten times as
// much. Every answer is the same, byte for byte, and so is what writes leave.
func TestTenantsAreIsolated(t *testing.T) {
	alone, shared := newTenants(t, "false"), newTenants(t, "true")
	a := newAsker(t, *tenantSeed, alone, shared)
	blues := shared.rows(t, blueRows)
	outcomes, faults := make(map[string]int), 0
	for n := range *tenantRequests {
		if n > 0 && n%refillEvery == 0 {
			compareRows(t, n, alone, shared, blues)
			alone.run(t, "CALL fill(false)")
			shared.run(t, "CALL fill(true)")
			a.pages, a.tagged = nil, nil
		}
		w, who := a.wish(), acme
		if a.one(40) {
			who = caller{role: "reader"} // nobody's tenant
		}
		one, other := alone.deliver(t, who, w), shared.deliver(t, who, w)
		outcomes[fmt.Sprint(w.method, " ", one.Code)]++
		if fault := compareAnswers(one, other); fault != "" {
			t.Errorf("request %d of seed %d, %s: %s\nalone: %d %v\n%.3000s\nshared: %d %v\n%.3000s",
				n, *tenantSeed, w, fault, one.Code, one.Header(), one.Body, other.Code, other.Header(), other.Body)
			if faults++; faults == 3 {
				t.FailNow()
			}
			continue
		}
		a.note(w, one)
	}
	compareRows(t, *tenantRequests, alone, shared, blues)
	checkVariety(t, outcomes)
}

// newTenants serves the tenants' tables, with the rows that fill makes.
func newTenants(t *testing.T, shared string) *site {
	t.Helper()
	s := newSite(t, siteOptions{
		sql: tenants + "CALL fill(" + shared + "); ANALYZE;", models: tenantModels,
		rest: httpapi.RESTOptions{
			PageSize: 7, MaxPageSize: 1000, AllowEstimates: true, AllowRegexp: true, SearchLanguage: "simple",
			Limits: httpapi.Limits{MaxIncluded: 150},
		},
	})
	s.warmViews(t, "reader")
	return s
}

// deliver hands a request to the site's handler, without a connection between.
func (s *site) deliver(t *testing.T, who caller, w wish) *httptest.ResponseRecorder {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), w.method, endpoint+w.path, strings.NewReader(w.body))
	if err != nil {
		t.Fatalf("%s: %v", w, err)
	}
	if w.body == "" {
		r.Body = http.NoBody
	}
	maps.Copy(r.Header, w.header)
	r.Header.Set(callerHeader, who.encoded(t))
	answer := httptest.NewRecorder()
	s.server.Config.Handler.ServeHTTP(answer, r)
	return answer
}

// compareAnswers says what tells two answers apart, or what is wrong with them.
func compareAnswers(alone, shared *httptest.ResponseRecorder) string {
	for _, header := range []http.Header{alone.Header(), shared.Header()} {
		header.Del("X-Request-Id")
		header.Del("Date")
	}
	switch {
	case alone.Code != shared.Code:
		return "the status differs"
	case !bytes.Equal(alone.Body.Bytes(), shared.Body.Bytes()):
		return "the document differs"
	case !maps.EqualFunc(alone.Header(), shared.Header(), slices.Equal):
		return "the headers differ"
	case strings.Contains(shared.Body.String()+fmt.Sprint(shared.Header()), marker):
		return "the other tenant's rows show"
	case alone.Code >= http.StatusInternalServerError:
		return "a fault"
	default:
		return ""
	}
}

// compareRows checks that writes have left the same, and have not touched the
// other tenant.
func compareRows(t *testing.T, n int, alone, shared *site, blues string) {
	t.Helper()
	if one, other := alone.rows(t, acmeRows), shared.rows(t, acmeRows); one != other {
		t.Errorf("after request %d of seed %d Acme's rows differ:\n%s", n, *tenantSeed, firstDifference(one, other))
	}
	if now := shared.rows(t, blueRows); now != blues {
		t.Errorf("after request %d of seed %d Blue's rows have changed:\n%s", n, *tenantSeed, firstDifference(blues, now))
	}
}

func firstDifference(one, other string) string {
	left, right := strings.Split(one, "\n"), strings.Split(other, "\n")
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return left[i] + "\n" + right[i]
		}
	}
	return "one has more rows"
}

// note keeps links and the entity tag of an answer for later requests.
func (a *asker) note(w wish, answer *httptest.ResponseRecorder) {
	if tag := answer.Header().Get("ETag"); tag != "" && w.method == http.MethodGet {
		a.tagged = append(a.tagged, tagged{path: w.path, tag: tag})
	}
	var d struct{ Links map[string]any }
	if json.Unmarshal(answer.Body.Bytes(), &d) != nil {
		return
	}
	for _, name := range []string{"next", "prev", "last"} {
		link, _ := d.Links[name].(string)
		if o, ok := d.Links[name].(map[string]any); ok {
			link, _ = o["href"].(string)
		}
		if path, ok := strings.CutPrefix(link, endpoint); ok {
			a.pages = append(a.pages, path)
		}
	}
	a.pages = a.pages[max(0, len(a.pages)-50):]
	a.tagged = a.tagged[max(0, len(a.tagged)-50):]
}

// checkVariety fails where the requests have come down to few kinds.
func checkVariety(t *testing.T, outcomes map[string]int) {
	t.Helper()
	var counted []string
	for _, outcome := range slices.SortedFunc(maps.Keys(outcomes), cmp.Compare[string]) {
		counted = append(counted, fmt.Sprint(outcome, ": ", outcomes[outcome]))
	}
	t.Log(strings.Join(counted, ", "))
	for _, outcome := range []string{
		"GET 200", "GET 304", "GET 400", "GET 404", "HEAD 200", "POST 200", "POST 201", "POST 400", "POST 403", "POST 404", "POST 409",
		"PATCH 200", "PATCH 400", "PATCH 404", "PATCH 412", "DELETE 204", "DELETE 200", "DELETE 404",
	} {
		if want := *tenantRequests / 1000; outcomes[outcome] < want {
			t.Errorf("%q came %d times, want %d at least", outcome, outcomes[outcome], want)
		}
	}
}
