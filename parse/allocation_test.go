//go:build !race

package parse_test

import (
	"strings"
	"testing"
)

// What a request may cost: the tree and its lists, each allocated once, and the
// two texts of its address. Names and values that need no decoding are parts of
// the URL, so nothing is allocated for each of them. The race detector allocates
// by itself, so it is left out.
func TestRequestAllocations(t *testing.T) {
	most := map[string]float64{
		"one":      2,  // the request, the path
		"page":     8,  // and parameters, sort key and its names, pages twice, the query
		"included": 9,  // and include, paths and their names in place of the sort key
		"filtered": 14, // and filters twice, the selectors of each, an operator
	}
	for _, w := range workloads {
		path, query, _ := strings.Cut(w.url, "?")
		if n := testing.AllocsPerRun(100, func() { parsed(t, path, query) }); n > most[w.name] {
			t.Errorf("%s: %v allocations, at most %v are expected", w.url, n, most[w.name])
		}
	}
}
