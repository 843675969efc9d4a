package benchmarks_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// TestCachesAreBounded asks three times as many different things as the caches of
// the compiler and the encoder keep, each of them large: what they keep does not
// grow past their bounds.
func TestCachesAreBounded(t *testing.T) {
	const kept, most = 1024, 200 << 20
	v := golden.Schema(t).FullView()
	compiler := sqlgen.NewCompiler()
	encoder := encode.NewEncoder(encode.Options{Endpoint: "https://example.org/api", Divider: plan.DefaultDivider})
	fields := []string{"title", "content", "status", "published", "viewCount", "rating", "price", "keywords", "data", "createdAt", "updatedAt", "author"}
	include := "author.city.country,comments.author.city.country,comments.post.author,tags.posts.author,tags.posts.comments.author"
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var at [3]uint64
	for n := range 3 * kept {
		var some []string
		for i, f := range fields {
			if (n+1)&(1<<i) != 0 {
				some = append(some, f)
			}
		}
		p, err := request.Plan(v, fmt.Sprintf("/post?page[total]=none&include=%s&fields[post]=%s", include, strings.Join(some, ",")), plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		result := &exec.Result{Pipeline: compiler.Compile(p.Action)}
		for _, st := range result.Pipeline.Statements {
			result.Parts = append(result.Parts, exec.NewPart(st))
		}
		if _, err := encoder.AppendDocument(nil, encode.Address{Path: "/post"}, p, result); err != nil {
			t.Fatal(err)
		}
		if (n+1)%kept == 0 {
			at[n/kept] = heap() - before
		}
	}
	t.Logf("%d requests with %d include paths: %d kB for each that is kept, %d MiB after them, %d MiB after three times as many",
		kept, strings.Count(include, ",")+1, at[0]/kept/1000, at[0]>>20, at[2]>>20)
	if at[2] > at[0]+at[0]/4 || at[2] > most {
		t.Errorf("the caches hold %v bytes after each %d requests", at, kept)
	}
	runtime.KeepAlive(compiler)
	runtime.KeepAlive(encoder)
}
