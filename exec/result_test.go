package exec_test

import (
	"testing"

	"github.com/resourcery/resourcery/exec"
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
