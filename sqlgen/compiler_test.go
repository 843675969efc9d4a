package sqlgen

import (
	"math/rand"
	"strings"
	"sync"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// Requests that differ in values alone share one pipeline; what else differs
// keeps them apart.
func TestCompileShares(t *testing.T) {
	s, c := golden.Schema(t), NewCompiler()
	for _, urls := range [][]string{
		{"/post", "/post?page[limit]=100", "/post?page[offset]=0", "/Post?sort=id"},
		{"/post?filter[title]=a", "/post?filter[title]=b", "/post?filter[title]="},
		{"/post?filter[id]=1,2", "/post?filter[id]=3,4,5", "/post?filter[id][]=1&filter[id][]=2"},
		{"/post?filter[published]=true", "/post?filter[published]=true,true"},
		{"/post?filter[published]=false"},
		{"/post?filter[published]=true,false", "/post?filter[published]=false,true"},
		{"/post?page[limit]=5", "/post?page[limit]=5&page[offset]=0"},
		{"/post?page[offset]=5", "/post?page[offset]=6"},
		{"/post/1", "/post/2"},
		{"/post/1/comments", "/post/2/comments", "/post/2/relationships/comments?include=comments"},
		{"/post/1/relationships/comments"},
		{"/post?fields[post]=title,status", "/post?fields[post]=status,title"},
		{"/post?fields[post]=title"},
		{"/post?fields[post]=author"},
		{"/post?fields[post]=authorId"},
		{"/post?fields[post]="},
		{"/post?fields[post]=comments"},
		{"/post?include=author,comments", "/post?include=author,comments,author"},
		{"/post?include=comments,author"},
		{"/post?sort=title", "/post?sort=title,id"},
		{"/post?sort=-title"},
		{"/user/1/relationships/profile", "/user/2/relationships/profile"},
		{"/user/1?fields[user]=profile&include=profile&fields[profile]="},
	} {
		first := c.Compile(action(t, s, urls[0]))
		for _, url := range urls[1:] {
			if c.Compile(action(t, s, url)) != first {
				t.Errorf("%s does not share the pipeline of %s", url, urls[0])
			}
		}
	}
	if got, want := c.pipelines.Len(), 23; got != want {
		t.Errorf("%d shapes, want one for each line: %d", got, want)
	}
}

// Each total has a shape of its own, as it has a statement of its own.
func TestTotalIsOfTheShape(t *testing.T) {
	s, c := golden.Schema(t), NewCompiler()
	seen := map[string]bool{}
	for _, total := range []string{"exact", "none", "5", "6", "estimate"} {
		p, err := request.Plan(s.FullView(), "/post?page[total]="+total, plan.Options{AllowEstimates: true})
		if err != nil {
			t.Fatal(err)
		}
		pipeline := c.Compile(p.Action)
		if want := map[bool]int{true: 1, false: 2}[total == "none"]; len(pipeline.Statements) != want {
			t.Errorf("total %s: %d statements, want %d", total, len(pipeline.Statements), want)
		}
		seen[pipeline.String()] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d pipelines for five totals", len(seen))
	}
}

// Both caches forget: shapes are the clients' choice. What was forgotten comes
// back the same.
func TestCachesAreBounded(t *testing.T) {
	s, c := golden.Schema(t), NewCompiler()
	url := func(n int) string { return "/user/1?include=posts&fields[user]=&fields[post]=" + subset(s, "post", n) }
	first := c.Compile(action(t, s, url(0)))
	for n := range max(keptPipelines, keptEdges) + 10 {
		c.Compile(action(t, s, url(n)))
	}
	if got := c.pipelines.Len(); got != keptPipelines {
		t.Errorf("%d pipelines are kept, want %d", got, keptPipelines)
	}
	if got := c.edgeCache.Len(); got != keptEdges {
		t.Errorf("%d edges are kept, want %d", got, keptEdges)
	}
	again := c.Compile(action(t, s, url(0)))
	if again == first {
		t.Error("the first shape is still there")
	}
	if again.String() != first.String() {
		t.Errorf("lowered again, it is\n%s\nnot\n%s", again, first)
	}
}

// subset names the attributes of a type whose bits are set in n.
func subset(s *schema.Schema, typ string, n int) string {
	m, _ := s.Model(typ)
	var names []string
	for i, f := range m.Attributes {
		if n&(1<<i) != 0 {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ",")
}

// An edge does not depend on the page that it starts from.
func TestEdgesAreSharedBetweenPages(t *testing.T) {
	s, c := golden.Schema(t), NewCompiler()
	one := c.Compile(action(t, s, "/post?filter[title]=a&include=comments&sort=title"))
	other := c.Compile(action(t, s, "/post?filter[author][name]=b&include=comments&page[limit]=7&page[offset]=3"))
	if one == other || c.edgeCache.Len() != 1 {
		t.Fatalf("%d edges for two pages, want one", c.edgeCache.Len())
	}
	if a, b := one.Statements[1], other.Statements[1]; a.SQL != b.SQL {
		t.Errorf("the edge of one page is\n%s\nof the other\n%s", a.SQL, b.SQL)
	}
	c.Compile(action(t, s, "/post?include=comments&fields[comment]=body"))
	if c.edgeCache.Len() != 2 {
		t.Errorf("%d edges, want another one for other fields", c.edgeCache.Len())
	}
}

// An edge from the cache takes as many numbers for its keys as it took when it
// was lowered, so that those after it never write over its variables.
func TestCachedEdgesKeepTheirNumbers(t *testing.T) {
	s := golden.Schema(t)
	warm := NewCompiler()
	for _, url := range []string{
		"/post?include=tags",
		"/post?filter[title]=a&include=tags,comments.author",
		"/post?filter[title]=a&include=comments.author,tags",
		"/post?sort=title&include=comments.author.city,tags.posts.tags,likes.user",
		"/user?include=posts.comments.author,postsViaLike.tags",
	} {
		for range 2 {
			a := action(t, s, url)
			if got, want := warm.Compile(a).String(), NewCompiler().Compile(a).String(); got != want {
				t.Errorf("%s: with warm caches it is\n%s\nnot\n%s", url, got, want)
			}
		}
	}
}

// A compiler serves all requests of a process at once.
func TestCompileConcurrently(t *testing.T) {
	s := golden.Schema(t)
	r := &requester{Rand: rand.New(rand.NewSource(3)), schema: s}
	actions, want := make([]plan.Action, 60), make([]string, 60)
	for i := range actions {
		actions[i] = action(t, s, r.url())
		want[i] = NewCompiler().Compile(actions[i]).String()
	}
	c := NewCompiler()
	var wg sync.WaitGroup
	for start := range 8 {
		wg.Go(func() {
			for i := range 10 * len(actions) {
				n := (i + 7*start) % len(actions)
				if got := c.Compile(actions[n]).String(); got != want[n] {
					t.Errorf("lowered beside others, it is\n%s\nnot\n%s", got, want[n])
					return
				}
			}
		})
	}
	wg.Wait()
}
