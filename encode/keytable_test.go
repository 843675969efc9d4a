package encode

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// The table numbers keys as a map of strings does, also where it is full, and
// knows nothing of what was there before it was reset.
func TestKeyTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var table keyTable
	for range 100 {
		size := random.IntN(300)
		table.reset(size)
		want := map[string]int{}
		for range size {
			key := binary.AppendUvarint(nil, random.Uint64N(uint64(2*size)))
			n, seen := want[string(key)]
			if !seen {
				n = len(want)
				want[string(key)] = n
			}
			if got, isNew := table.number(key); got != n || isNew == seen {
				t.Fatalf("key %x: number %d, new %v; want %d, %v", key, got, isNew, n, !seen)
			}
		}
		for v := range uint64(2 * size) {
			key := binary.AppendUvarint(nil, v)
			n, ok := want[string(key)]
			if !ok {
				n = noKey
			}
			if got := table.find(key); got != n {
				t.Fatalf("key %x: found %d, want %d", key, got, n)
			}
		}
	}
}
