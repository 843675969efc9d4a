package integration

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/httpapi"
)

// TestCrawl follows every link of every document, from each type's collection
// on: each leads to a document of the form that its name promises.
func TestCrawl(t *testing.T) {
	for _, who := range []string{"anon", "ann"} {
		c := crawl{site: newSite(t, siteOptions{rest: httpapi.RESTOptions{PageSize: 4}}), who: who, seen: map[string]bool{}}
		for _, m := range c.site.schema.Models() {
			if who == "anon" && m.Type == "revision" {
				continue // not for them
			}
			var names []string
			for _, r := range m.Relationships {
				if who != "anon" || r.Target.Type != "revision" {
					names = append(names, r.Name)
				}
			}
			c.follow("/" + m.Type)
			c.follow("/" + m.Type + "?include=" + strings.Join(names, ","))
		}
		c.run(t)
		if len(c.seen) < 300 {
			t.Errorf("as %s, only %d URLs were found", who, len(c.seen))
		}
	}
}

type crawl struct {
	site *site
	who  string
	seen map[string]bool
	next []string
}

// follow adds a path to those to be read.
func (c *crawl) follow(path string) {
	if !c.seen[path] {
		c.seen[path] = true
		c.next = append(c.next, path)
	}
}

func (c *crawl) run(t *testing.T) {
	t.Helper()
	for len(c.next) > 0 {
		path := c.next[0]
		c.next = c.next[1:]
		c.read(t, path)
	}
}

func (c *crawl) read(t *testing.T, path string) {
	t.Helper()
	d := readDocument(t, path, c.site.get(t, c.who, path))
	_, many := d.data.([]any)
	links := d.members["links"].(map[string]any)
	if self := links["self"]; self != endpoint+path {
		t.Errorf("%s calls itself %v", path, self)
	}
	for _, name := range []string{"first", "last", "next", "prev"} {
		if _, ok := links[name]; ok != many {
			t.Errorf("%s: many %t, link %s %t", path, many, name, ok)
		}
	}
	c.followLinks(links)
	for _, r := range append(d.primary(), d.included...) {
		if own, ok := r["links"]; ok {
			c.resource(t, r, own.(map[string]any)["self"].(string))
		}
	}
}

// resource follows the links of a resource, and reads it by its own.
func (c *crawl) resource(t *testing.T, r map[string]any, self string) {
	t.Helper()
	path := strings.TrimPrefix(self, endpoint)
	if !c.seen[path] {
		c.seen[path] = true
		d := readDocument(t, path, c.site.get(t, c.who, path))
		if one := d.primary(); len(one) != 1 || identity(one[0]) != identity(r) {
			t.Errorf("%s is not %s", path, identity(r))
		}
	}
	relationships, _ := r["relationships"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(relationships)) {
		rel := relationships[name].(map[string]any)
		c.followLinks(rel["links"].(map[string]any))
		c.linkage(t, path+"/relationships/"+name, rel)
	}
}

// linkage compares what a resource says of a relationship with what the
// relationship says of itself.
func (c *crawl) linkage(t *testing.T, path string, rel map[string]any) {
	t.Helper()
	data, ok := rel["data"]
	if !ok || c.seen["linkage "+path] {
		return
	}
	c.seen["linkage "+path] = true
	want, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	d := readDocument(t, path, c.site.get(t, c.who, path+toManyQuery(data)))
	if got, err := json.Marshal(d.data); err != nil || string(got) != string(want) {
		t.Errorf("%s is %s, but its resource says %s (%v)", path, got, want, err)
	}
}

// toManyQuery asks for more of a relationship than the page size.
func toManyQuery(data any) string {
	if _, many := data.([]any); many {
		return "?page[limit]=100"
	}
	return ""
}

func (c *crawl) followLinks(links map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(links)) {
		if link, ok := links[name].(string); ok {
			c.follow(strings.TrimPrefix(link, endpoint))
		}
	}
}

// TestHeaders compares GET and HEAD, right and refused.
func TestHeaders(t *testing.T) {
	s := newSite(t, siteOptions{})
	for _, path := range []string{"/post?include=author", "/post/1", "/post/1/author", "/post/1/relationships/tags", "/post/99", "/post?zzz=1", "/nothing", "/a/b/c/d/e"} {
		get, body := s.headers(t, http.MethodGet, path)
		head, none := s.headers(t, http.MethodHead, path)
		if len(body) == 0 || len(none) > 0 || get.StatusCode != head.StatusCode || get.ContentLength != head.ContentLength {
			t.Errorf("%s: GET %d of %d bytes, HEAD %d of %d bytes with the body %q", path,
				get.StatusCode, get.ContentLength, head.StatusCode, head.ContentLength, none)
		}
		for name, want := range usual {
			if got, again := get.Header.Get(name), head.Header.Get(name); got != want || again != want {
				t.Errorf("%s: %s is %q and %q, want %q", path, name, got, again, want)
			}
		}
		if get.Header.Get("X-Request-Id") == "" || head.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: no X-Request-Id", path)
		}
	}
}

func (s *site) headers(t *testing.T, method, path string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequest(method, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.do(t, people["ann"], r)
}
