package integration

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Tags names the parts of entity tags after their first appearance in a script,
// as they differ from run to run: "row1-document1", then "row1-document2" for
// another document of the same row. Requests use the names.
type tags struct {
	names map[string]string // by part
	parts map[string]string // by name
	count map[string]int    // of names, by what they name
}

func newTags() *tags {
	return &tags{names: map[string]string{}, parts: map[string]string{}, count: map[string]int{}}
}

// etagForm is what the answers' tags look like.
var etagForm = regexp.MustCompile(`^"([0-9a-f]{32})-([0-9a-f]{32})"$`)

func (g *tags) name(t *testing.T, etag string) string {
	t.Helper()
	match := etagForm.FindStringSubmatch(etag)
	if match == nil {
		t.Fatalf("the entity tag %s has another form", etag)
	}
	return `"` + g.part("row", match[1]) + "-" + g.part("document", match[2]) + `"`
}

func (g *tags) part(what, text string) string {
	key := what + text
	if g.names[key] == "" {
		g.count[what]++
		name := what + strconv.Itoa(g.count[what])
		g.names[key], g.parts[name] = name, text
	}
	return g.names[key]
}

// tagName is a tag by the names of its parts, or one part alone.
var tagName = regexp.MustCompile(`(row|document)[0-9]+`)

// resolve puts the tags in the place of their names.
func (g *tags) resolve(h http.Header) {
	if g == nil {
		return
	}
	for _, header := range []string{"If-None-Match", "If-Match"} {
		for i, line := range h[header] {
			h[header][i] = tagName.ReplaceAllStringFunc(line, func(name string) string {
				if g.parts[name] == "" {
					return strings.ToUpper(name) // of no answer so far
				}
				return g.parts[name]
			})
		}
	}
}
