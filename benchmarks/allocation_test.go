//go:build !race

package benchmarks_test

import (
	"testing"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// ceilings are the most allocations that the stages of a request make, and all of
// them together, pgx's included: they are told apart by nothing but what the
// request is, so that more of them means new work in every request. The race
// detector allocates too.
var ceilings = map[string]map[string]float64{
	"W1":  {"parse": 1, "plan": 9, "compiled": 0, "exec": 20, "encode": 0, "serve": 32},
	"W2":  {"parse": 8, "plan": 3, "compiled": 0, "exec": 20, "encode": 0, "serve": 27},
	"W3":  {"parse": 9, "plan": 7, "compiled": 0, "exec": 46, "encode": 0, "serve": 53},
	"W3t": {"parse": 7, "plan": 7, "compiled": 0, "exec": 54, "encode": 0, "serve": 61},
	"W4":  {"parse": 18, "plan": 30, "compiled": 0, "exec": 72, "encode": 0, "serve": 80},
	"W5":  {"parse": 6, "plan": 2, "compiled": 0, "exec": 20, "encode": 0, "serve": 27},
}

func TestAllocations(t *testing.T) {
	all := newBench(t)
	for _, w := range blog.Workloads {
		if w.Writes {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			for _, s := range all.stages(t, w.Requests(blog.Small)[0]) {
				ceiling, bounded := ceilings[w.Name][s.name]
				if !bounded {
					continue
				}
				var err error
				got := testing.AllocsPerRun(200, func() {
					if e := s.run(); e != nil {
						err = e
					}
				})
				if err != nil {
					t.Fatalf("%s: %v", s.name, err)
				}
				if got > ceiling {
					t.Errorf("%s: %.0f allocations, at most %.0f are expected", s.name, got, ceiling)
				}
				t.Logf("%s: %.0f allocations of at most %.0f", s.name, got, ceiling)
			}
		})
	}
}
