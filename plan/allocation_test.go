//go:build !race

package plan_test

import (
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/plan"
)

// What a plan may cost: the room of the plan, an edge with its query for each
// include step and a list of these, a term for each sort key, and what values and
// conditions need. Nothing is allocated for parameters that choose a page, nor for
// what is the same in all plans of a model. The race detector allocates by
// itself, so it is left out.
func TestBuildAllocations(t *testing.T) {
	most := map[string]float64{
		"one":      8,  // the room, a term of the order, the parts of the id and its slots, the condition in four parts
		"page":     3,  // the room, two terms of the order
		"included": 7,  // the room, two edges and their list, three terms of the order
		"filtered": 29, // the room, four edges and their two lists, five terms of the order, two conditions in 17 parts
	}
	v := golden.Schema(t).FullView()
	for _, w := range workloads {
		r := parsed(t, w.url)
		build := func() {
			if _, err := plan.Build(v, r, plan.Options{Digests: true}); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(100, build); n > most[w.name] {
			t.Errorf("%s: %v allocations, at most %v are expected", w.url, n, most[w.name])
		}
	}
}
