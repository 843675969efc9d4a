//go:build !race

package sqlgen

import (
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
)

// Looking the pipeline of a known shape up allocates nothing: the shape is
// spelled into a buffer that is kept, and looked up without a copy. The race
// detector allocates by itself, so it is left out.
func TestCompileHitAllocations(t *testing.T) {
	s, c := golden.Schema(t), NewCompiler()
	for _, w := range workloads {
		a := action(t, s, w.url)
		if n := testing.AllocsPerRun(100, func() { c.Compile(a) }); n > 0 {
			t.Errorf("%s: %v allocations", w.url, n)
		}
	}
}

// From the text of a request to the statements of a known shape: what parse and
// plan allocate, and no more.
func TestPipelineAllocations(t *testing.T) {
	most := map[string]float64{"one": 9, "page": 9, "included": 14, "filtered": 41}
	view, c := golden.Schema(t).FullView(), NewCompiler()
	for _, w := range workloads {
		if n := testing.AllocsPerRun(100, func() { compiled(t, c, view, w.url) }); n > most[w.name] {
			t.Errorf("%s: %v allocations, at most %v are expected", w.url, n, most[w.name])
		}
	}
}
