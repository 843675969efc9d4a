package parse_test

import (
	"strings"
	"testing"

	"github.com/resourcery/resourcery/parse"
)

// A workload is a request of one kind that services answer all day.
type workload struct{ name, url string }

var workloads = []workload{
	{"one", "/post/1"},
	{"page", "/post?sort=-createdAt&page[limit]=20&page[total]=none"},
	{"included", "/post?page[limit]=100&page[total]=none&include=author,comments"},
	{"filtered", "/post?filter[author][name$contains]=ann&filter[tags][name]=t1&include=author,tags,comments.author&page[limit]=20&page[total]=none"},
}

// parsed does to a request what a server does: it reads it, and spells its
// address and the parameters that its page links keep.
func parsed(tb testing.TB, path, query string) {
	target, err := parse.Path(path)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := parse.Query(target, query, parse.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if path := r.Target.Path(); path == "" {
		tb.Fatal("no path")
	}
	if len(parse.Encode(r.Params)) < len(query) {
		tb.Fatal("the link is short")
	}
}

func BenchmarkRequest(b *testing.B) {
	for _, w := range workloads {
		path, query, _ := strings.Cut(w.url, "?")
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				parsed(b, path, query)
			}
		})
	}
}
