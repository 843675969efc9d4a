package exec_test

import (
	"testing"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/sqlgen"
)

// TestRows reads values back: NULL is nil, an empty value is not.
func TestRows(t *testing.T) {
	data := [][][]byte{
		{nil, {}, []byte("a")},
		{[]byte("bc"), nil, nil},
		{{}, {}, {}},
		{nil, nil, nil},
		{[]byte("d"), []byte("e"), {0}},
	}
	r := exec.NewRows(3, data...)
	if r.Len() != len(data) {
		t.Fatalf("%d rows", r.Len())
	}
	for i, row := range data {
		for j, want := range row {
			got := r.Value(i, j)
			if (got == nil) != (want == nil) || string(got) != string(want) {
				t.Errorf("row %d, column %d: %#v, want %#v", i, j, got, want)
			}
			if cap(got) != len(got) {
				t.Errorf("row %d, column %d: an append would write into its neighbour", i, j)
			}
		}
	}
	if r := exec.NewRows(2); r.Len() != 0 {
		t.Errorf("of no rows: %d", r.Len())
	}
	if r := (exec.Rows{}); r.Len() != 0 {
		t.Errorf("of nothing: %d", r.Len())
	}
}

// TestPart has the row taken away that is read past a page's limit, wherever it
// stands.
func TestPart(t *testing.T) {
	rows := [][][]byte{{[]byte("a"), nil}, {nil, []byte("bc")}, {[]byte("d"), {}}}
	for _, c := range []struct {
		peek sqlgen.Peek
		from int // the first of the rows that stay
		to   int
	}{
		{sqlgen.Peek{}, 0, 3},
		{sqlgen.Peek{Limit: 3}, 0, 3},
		{sqlgen.Peek{Limit: 3, First: true}, 0, 3},
		{sqlgen.Peek{Limit: 2}, 0, 2},
		{sqlgen.Peek{Limit: 2, First: true}, 1, 3},
	} {
		r := exec.NewPart(&sqlgen.Statement{Columns: make([]sqlgen.Column, 2), Peek: c.peek}, rows...)
		if r.Len() != c.to-c.from || r.More() != (r.Len() < 3) {
			t.Errorf("%+v: %d rows, more: %v", c.peek, r.Len(), r.More())
			continue
		}
		for i, row := range rows[c.from:c.to] {
			for j, want := range row {
				if got := r.Value(i, j); (got == nil) != (want == nil) || string(got) != string(want) {
					t.Errorf("%+v: row %d, column %d: %#v, want %#v", c.peek, i, j, got, want)
				}
			}
		}
	}
}
