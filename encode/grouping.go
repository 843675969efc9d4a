package encode

import (
	"encoding/binary"

	"github.com/resourcery/resourcery/exec"
)

// A grouping has the rows of a statement by the values of some of its columns.
// The zero grouping is to be built.
type grouping struct {
	keys keyTable
	// rows are the statement's, key by key, and within one as they came; those of a
	// key begin at starts of its number and end where the next one's begin.
	rows   []int32
	starts []int32
	of     []int32 // by row: its key's number; noKey where one of its values is NULL
}

const noKey = -1

func (g *grouping) build(rows *exec.Rows, columns []int) {
	n := rows.Len()
	g.keys.reset(n)
	g.of = resized(g.of, n)
	// A key's rows are counted two places behind its start. The sums up to one
	// place behind are where it starts, and when its rows have been filled in there,
	// where it ends.
	g.starts = resized(g.starts, n+2)
	clear(g.starts)
	var scratch [keyScratch]byte
	for row := range n {
		g.of[row] = noKey
		if key, ok := rowKey(scratch[:0], rows, row, columns); ok {
			number, _ := g.keys.number(key)
			g.of[row] = int32(number)
			g.starts[number+2]++
		}
	}
	for i := 2; i < len(g.starts); i++ {
		g.starts[i] += g.starts[i-1]
	}
	g.rows = resized(g.rows, n)
	for row, number := range g.of {
		if number != noKey {
			g.rows[g.starts[number+1]] = int32(row)
			g.starts[number+1]++
		}
	}
}

// rowsOf returns the rows with the values that a row, of any statement, has in the
// columns.
func (g *grouping) rowsOf(rows *exec.Rows, row int, columns []int) []int32 {
	var scratch [keyScratch]byte
	key, ok := rowKey(scratch[:0], rows, row, columns)
	if !ok {
		return nil
	}
	number := g.keys.find(key)
	if number == noKey {
		return nil
	}
	return g.rows[g.starts[number]:g.starts[number+1]:g.starts[number+1]]
}

// size is about how many bytes the grouping keeps.
func (g *grouping) size() int {
	return g.keys.size() + 4*(cap(g.rows)+cap(g.starts)+cap(g.of))
}

// keyScratch is room for the keys of most rows.
const keyScratch = 64

// rowKey returns the values of a row's columns so that different lists of values
// never look alike: the one value itself, or what dst becomes. It reports false
// where one of them is NULL.
func rowKey(dst []byte, rows *exec.Rows, row int, columns []int) ([]byte, bool) {
	if len(columns) == 1 {
		v := rows.Value(row, columns[0])
		return v, v != nil
	}
	for _, c := range columns {
		v := rows.Value(row, c)
		if v == nil {
			return dst, false
		}
		dst = binary.AppendUvarint(dst, uint64(len(v)))
		dst = append(dst, v...)
	}
	return dst, true
}
