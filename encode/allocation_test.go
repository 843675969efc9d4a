//go:build !race

package encode_test

import (
	"testing"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/plan"
)

// A document is made in memory that was used before, so that what it allocates
// does not grow with its rows. The race detector has pools forget at random.
func TestAllocations(t *testing.T) {
	at, p, result := single(t)
	t.Run("resource", func(t *testing.T) {
		// The collector may take the pooled document in the middle of the runs.
		atMost(t, 1, documentOf(t, at, p, result))
	})
	t.Run("etag", func(t *testing.T) {
		o := plan.Options{Digests: true}
		_, p, err := request(golden.Schema(t), "/user/7?fields[user]=name", o)
		if err != nil {
			t.Fatal(err)
		}
		result, err := spelled(p, "page\n 7 Ann 00112233445566778899aabbccddeeff\n")
		if err != nil {
			t.Fatal(err)
		}
		atMost(t, 1, func() { // the tag itself
			if encode.ETag(result, []byte("a document")) == "" {
				t.Fatal("no tag")
			}
		})
	})
	t.Run("page with included", func(t *testing.T) {
		at, p, result := large(t)
		atMost(t, 2, documentOf(t, at, p, result))
	})
	t.Run("page that follows cursors", func(t *testing.T) {
		at, p, err := request(golden.Schema(t), "/user?page[after]=&page[size]=2&fields[user]=name", plan.Options{CursorProfile: true})
		if err != nil {
			t.Fatal(err)
		}
		result, err := spelled(p, "page\n 1 Ann\n 2 Bob\n 3 Cleo\ncount\n 9\n")
		if err != nil {
			t.Fatal(err)
		}
		// plan allocates once for a cursor: those of both items, and of the next page.
		atMost(t, 4, documentOf(t, at, p, result))
	})
}

func documentOf(t *testing.T, at encode.Address, p *plan.Plan, result *exec.Result) func() {
	e := newEncoder()
	var out []byte
	return func() {
		var err error
		if out, err = e.AppendDocument(out[:0], at, p, result); err != nil {
			t.Fatal(err)
		}
	}
}

func atMost(t *testing.T, most float64, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(100, f); n > most {
		t.Errorf("%v allocations, more than %v", n, most)
	}
}
