package encode

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
)

// A keyTable numbers keys in the order in which they first come. It takes no
// memory for each key, and reset keeps what it has; that is what it is for, beside
// a map of strings. The zero table has to be reset first.
type keyTable struct {
	// slots has each key's number plus one in the lower half, at the place that its
	// hash chooses or the next free one, and in the upper half a part of the hash.
	// Its length is a power of two.
	slots []uint64
	keys  []byte
	ends  []int // of each key in keys
}

// keySeed is chosen anew by each process, so that nobody can choose keys that
// collide.
var keySeed = maphash.MakeSeed()

// reset empties the table, and makes room for that many keys.
func (t *keyTable) reset(keys int) {
	size := 1 << bits.Len(uint(2*keys))
	t.slots = resized(t.slots, size)
	clear(t.slots)
	t.keys, t.ends = t.keys[:0], t.ends[:0]
}

// number returns the key's number, a new one where the key was not there. There
// must be room.
func (t *keyTable) number(key []byte) (n int, isNew bool) {
	place, n := t.place(key)
	if n >= 0 {
		return n, false
	}
	n = len(t.ends)
	t.slots[place.at] = place.tag | uint64(n+1)
	t.keys = append(t.keys, key...)
	t.ends = append(t.ends, len(t.keys))
	return n, true
}

// find returns the key's number, -1 where it is not there.
func (t *keyTable) find(key []byte) int {
	_, n := t.place(key)
	return n
}

// A keyPlace is where a key's slot is, and the part of the hash that goes there.
type keyPlace struct {
	at  int
	tag uint64
}

// place returns where the key is, or where it would be: then the number is -1.
func (t *keyTable) place(key []byte) (keyPlace, int) {
	const number = 1<<32 - 1
	hash := maphash.Bytes(keySeed, key)
	tag, mask := hash&^number, len(t.slots)-1
	for at := int(hash) & mask; ; at = (at + 1) & mask {
		slot := t.slots[at]
		if slot == 0 {
			return keyPlace{at, tag}, -1
		}
		if slot&^number == tag {
			if n := int(slot&number) - 1; bytes.Equal(t.key(n), key) {
				return keyPlace{at, tag}, n
			}
		}
	}
}

func (t *keyTable) key(n int) []byte {
	start := 0
	if n > 0 {
		start = t.ends[n-1]
	}
	return t.keys[start:t.ends[n]]
}

// size is about how many bytes the table keeps.
func (t *keyTable) size() int { return 8*cap(t.slots) + cap(t.keys) + 8*cap(t.ends) }

// resized returns s with that many elements. What these are is left over from
// before.
func resized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
