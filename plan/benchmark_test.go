package plan_test

import (
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
)

// workloads are requests of the kinds that services answer all day.
var workloads = []struct{ name, url string }{
	{"one", "/post/1"},
	{"page", "/post?sort=-createdAt&page[limit]=20&page[total]=none"},
	{"included", "/post?page[limit]=100&page[total]=none&include=author,comments"},
	{"filtered", "/post?filter[author][name$contains]=ann&filter[tags][name]=t1&include=author,tags,comments.author&page[limit]=20&page[total]=none"},
}

func parsed(tb testing.TB, url string) *parse.Request {
	tb.Helper()
	path, query, _ := strings.Cut(url, "?")
	target, err := parse.Path(path)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := parse.Query(target, query, parse.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func BenchmarkBuild(b *testing.B) {
	v := golden.Schema(b).FullView()
	o := plan.Options{Digests: true}
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			r := parsed(b, w.url)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := plan.Build(v, r, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
