package sqlgen

import (
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// workloads are requests of the kinds that services answer all day.
var workloads = []struct{ name, url string }{
	{"one", "/post/1"},
	{"page", "/post?sort=-createdAt&page[limit]=20&page[total]=none"},
	{"included", "/post?page[limit]=100&page[total]=none&include=author,comments"},
	{"filtered", "/post?filter[author][name$contains]=ann&filter[tags][name]=t1&include=author,tags,comments.author&page[limit]=20&page[total]=none"},
}

// A hit is what nearly every request is; a miss compiles everything, and a new
// page over known edges all but these.
func BenchmarkCompile(b *testing.B) {
	s := golden.Schema(b)
	for _, w := range workloads {
		a := action(b, s, w.url)
		b.Run(w.name+"/hit", func(b *testing.B) {
			compiler := NewCompiler()
			b.ReportAllocs()
			for b.Loop() {
				compiler.Compile(a)
			}
		})
		b.Run(w.name+"/miss", func(b *testing.B) {
			compiler := NewCompiler()
			b.ReportAllocs()
			for b.Loop() {
				compiler.pipelines.Purge()
				compiler.edgeCache.Purge()
				compiler.Compile(a)
			}
		})
		b.Run(w.name+"/known edges", func(b *testing.B) {
			compiler := NewCompiler()
			b.ReportAllocs()
			for b.Loop() {
				compiler.pipelines.Purge()
				compiler.Compile(a)
			}
		})
	}
}

// The whole way from the text of a request to its statements, once their shape is
// known.
func BenchmarkPipeline(b *testing.B) {
	view := golden.Schema(b).FullView()
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			compiler := NewCompiler()
			b.ReportAllocs()
			for b.Loop() {
				compiled(b, compiler, view, w.url)
			}
		})
	}
}

func compiled(tb testing.TB, c *Compiler, v *schema.View, url string) *Pipeline {
	p, err := request.Plan(v, url, plan.Options{Digests: true})
	if err != nil {
		tb.Fatal(err)
	}
	return c.Compile(p.Action)
}
