package integration

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/schema"
)

// TestRandomReads asks for what random clients may think of, most of it
// sensible: the answer is a right document or a refusal, never a fault.
func TestRandomReads(t *testing.T) {
	s := newSite(t, siteOptions{})
	random := rand.New(rand.NewPCG(1, 2))
	answers := map[int]int{}
	for range 1500 {
		who := []string{"anon", "ann", "bob"}[random.IntN(3)]
		path := (&client{random, s.schema}).path()
		resp, body := s.request(t, people[who], path)
		answers[resp.StatusCode]++
		switch resp.StatusCode {
		case http.StatusOK:
			if !strings.Contains(path, "fields%5B") { // linkage may be left out
				readDocument(t, path, body)
			}
		case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound:
		default:
			t.Errorf("%s as %s: %d\n%s", path, who, resp.StatusCode, body)
		}
	}
	if answers[http.StatusOK] < 300 || answers[http.StatusBadRequest] < 100 {
		t.Errorf("the answers are too much alike: %v", answers)
	}
}

// A client writes random requests with the names of a schema.
type client struct {
	*rand.Rand
	schema *schema.Schema
}

func pick[T any](c *client, list []T) T { return list[c.IntN(len(list))] }

func (c *client) path() string {
	m := pick(c, c.schema.Models())
	path := "/" + m.Type
	switch n := c.IntN(6); {
	case n < 3:
	case n == 3 || len(m.Relationships) == 0:
		path += "/" + url.PathEscape(c.id(m))
	default:
		rel := pick(c, m.Relationships)
		path += "/" + url.PathEscape(c.id(m)) + []string{"/", "/relationships/"}[n-4] + rel.Name
		if n == 4 {
			m = rel.Target
		} else {
			return path
		}
	}
	var params []string
	for range c.IntN(4) {
		params = append(params, c.parameter(m))
	}
	if len(params) > 0 {
		path += "?" + strings.Join(params, "&")
	}
	return path
}

func (c *client) id(m *schema.Model) string {
	parts := make([]string, len(m.Key))
	for i, f := range m.Key {
		parts[i] = c.value(f.Type)
	}
	return strings.Join(parts, "_")
}

func (c *client) parameter(m *schema.Model) string {
	parameter := func(name, value string) string { return url.QueryEscape(name) + "=" + url.QueryEscape(value) }
	switch c.IntN(5) {
	case 0:
		return parameter("include", strings.Join(c.relationships(m), "."))
	case 1:
		steps, last := c.steps(m, c.IntN(3))
		f := pick(c, last.Attributes)
		values := []string{c.value(f.Type), c.value(f.Type)}[:1+c.IntN(2)]
		return parameter("filter["+strings.Join(append(steps, f.Name), "][")+"]", strings.Join(values, ","))
	case 2:
		steps, last := c.steps(m, c.IntN(3))
		return parameter("sort", strings.Repeat("-", c.IntN(2))+strings.Join(append(steps, pick(c, last.Attributes).Name), "."))
	case 3:
		return parameter("page["+pick(c, []string{"limit", "offset"})+"]", fmt.Sprint(c.IntN(12)))
	default:
		return parameter("fields["+m.Type+"]", pick(c, m.Attributes).Name)
	}
}

func (c *client) relationships(m *schema.Model) []string {
	steps, _ := c.steps(m, 1+c.IntN(3))
	return steps
}

func (c *client) steps(m *schema.Model, n int) (names []string, last *schema.Model) {
	for range n {
		rel := pick(c, m.Relationships)
		names, m = append(names, rel.Name), rel.Target
	}
	return names, m
}

// value is a value of the type, or one of another.
func (c *client) value(t *schema.Type) string {
	kinds := map[schema.Kind][]string{
		schema.Int2: {"1", "-1"}, schema.Int4: {"1", "2", "4", "7"}, schema.Int8: {"1", "3", "9007199254740993"},
		schema.Float4: {"0.01", "NaN"}, schema.Float8: {"1.5", "Infinity"}, schema.Numeric: {"12.5", "NaN", "1e30"},
		schema.Bool: {"true", "false"}, schema.Text: {"Ann", "go", "", "bread-slowly", `a\,b`, "192.0.2.17"},
		schema.UUID: {"00000000-0000-4000-8000-000000000001"}, schema.Enum: {"DRAFT", "FINAL"},
		schema.Timestamptz: {"2024-03-01T09:00:00Z", "infinity"}, schema.Timestamp: {"2024-04-01T09:00:00Z", "infinity"},
		schema.Date: {"1985-02-28"}, schema.Time: {"07:30:00"}, schema.Timetz: {"09:00:00+01:00"},
		schema.Interval: {"PT1H20M"}, schema.Bytea: {"3q2+7w=="}, schema.Range: {`[1\,12)`, "empty"},
	}
	if list := kinds[t.Base().Kind]; list != nil && c.IntN(8) > 0 {
		return pick(c, list)
	}
	all := slices.Concat(kinds[schema.Text], kinds[schema.Int8], []string{"\u00e9", "%", "_", "'", "x\ty", "99999999999999999999"})
	return pick(c, all)
}
