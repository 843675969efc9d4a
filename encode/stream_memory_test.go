//go:build !race

package encode_test

import (
	"io"
	"runtime"
	"testing"
)

// A million rows go out in bounded memory, and so do their annotations.
func TestStreamMemory(t *testing.T) {
	at, p, result := chunk(t)
	end := pieceOf(result, pageOf(result), nil)
	s := newEncoder().Stream(io.Discard, at, p)
	defer s.Close()
	before, most := heap(), uint64(0)
	for i := range 10_000 {
		if err := s.Rows(result); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 0 {
			most = max(most, heap())
		}
	}
	if err := s.End(end); err != nil {
		t.Fatal(err)
	}
	most = max(most, heap())
	if most > before+16<<20 {
		t.Errorf("the heap grew by %d bytes", most-before)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A streamed document takes the same few allocations whatever rows it has.
func TestStreamAllocations(t *testing.T) {
	at, p, result := chunk(t)
	end := pieceOf(result, pageOf(result), nil)
	e := newEncoder()
	atMost(t, 4, func() { // the two texts of annotations, and what the collector takes from pools
		s := e.Stream(io.Discard, at, p)
		defer s.Close()
		for range 20 {
			if err := s.Rows(result); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.End(end); err != nil {
			t.Fatal(err)
		}
	})
}
