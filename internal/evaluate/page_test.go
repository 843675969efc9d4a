package evaluate_test

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/resourcery/resourcery/internal/evaluate"
)

// page asks for a page of primary data in one of the styles.
func (c client) page(r *request) {
	switch c.Intn(14) {
	case 0, 1, 2:
		if c.one(2) {
			r.add("page[limit]", fmt.Sprint(pick(c, []int{1, 2, 3, 4, 50})), "")
		}
		if c.one(2) {
			r.add("page[offset]", fmt.Sprint(c.Intn(6)), "")
		}
	case 3, 4:
		r.add("page[number]", fmt.Sprint(1+c.Intn(3)), "")
		r.add("page[size]", fmt.Sprint(pick(c, []int{1, 2, 3, 50})), "")
	case 5:
		r.add("page[size]", fmt.Sprint(1+c.Intn(3)), "")
	case 6, 7, 9, 10:
		r.add(pick(c, []string{"page[after]", "page[before]"}), "", "")
		if c.one(2) {
			r.add("page[size]", fmt.Sprint(1+c.Intn(4)), "")
		}
	case 8:
		if c.one(2) {
			c.wrongPage(r)
		}
	}
}

func (c client) wrongPage(r *request) {
	wrong := func(name string, values ...string) { r.add("page["+name+"]", pick(c, values), "invalid-page") }
	switch c.Intn(6) {
	case 0:
		wrong("limit", "0", "-1", "x", "", "1.5")
	case 1:
		wrong("offset", "-1", "+1", " 1")
	case 2:
		r.add("page[after]", "", "")
		wrong("offset", "1")
	case 3:
		wrong("number", "0", "zwei")
	case 4:
		r.add("page[before]", "", "")
		if c.pageSize > 0 {
			wrong("size", fmt.Sprint(c.maxPageSize+1))
		}
	default:
		wrong("after", "nonsense", "AQ")
	}
}

// total asks how rows are counted.
func (c client) total(r *request) {
	switch {
	case c.one(5):
		r.add("page[total]", pick(c, []string{"exact", "none", "none", "1", "2", "3", "100"}), "")
	case c.one(80):
		r.add("page[total]", pick(c, []string{"", "0", "all", "estimate"}), "invalid-page")
	}
}

// windows asks for the first members of included relationships, in an order.
func (c client) windows(r *request, paths []included) {
	have := map[string]bool{}
	for _, in := range paths {
		if have[in.path] || c.one(4) {
			continue
		}
		have[in.path] = true
		switch {
		case !in.last.Many && c.one(10):
			r.add("page["+in.path+"][limit]", "1", "invalid-page")
		case !in.last.Many:
		case c.one(40):
			r.add("page["+in.path+"][offset]", "1", "invalid-page")
		case c.one(40):
			r.add("page["+in.path+".nothing][limit]", "1", "invalid-page")
		case !c.one(4):
			limit := fmt.Sprint(pick(c, []int{1, 1, 1, 2, 50}))
			r.params = append(r.params, parameter{name: "page[" + in.path + "][limit]", values: []string{limit}, path: in.path})
		}
		if in.last.Many && c.one(2) {
			p := c.sort(c.view.Of(in.last.Target), "sort["+in.path+"]")
			p.path = in.path
			r.params = append(r.params, p)
		}
	}
}

// beside is the request for a page that starts or ends at rows of an answer
// whose pages follow cursors; ok is false where there are none.
func (c client) beside(r request, document map[string]any) (_ request, ok bool) {
	data, _ := document["data"].([]any)
	if len(data) == 0 {
		return r, false
	}
	cursor := func() string {
		token, _ := cursorOf(pick(c, data))
		return token
	}
	if cursor() == "" {
		return r, false
	}
	next := r
	next.params = nil
	for _, p := range r.params {
		if p.name != "page[after]" && p.name != "page[before]" {
			next.params = append(next.params, p)
		}
	}
	way := c.Intn(5)
	if way < 3 {
		next.add("page[after]", cursor(), "")
	}
	if way > 1 {
		next.add("page[before]", cursor(), "")
	}
	return next, true
}

// cursorOf returns the cursor of an item of primary data, and its id.
func cursorOf(item any) (token, id string) {
	object := item.(map[string]any)
	meta, _ := object["meta"].(map[string]any)
	page, _ := meta["page"].(map[string]any)
	token, _ = page["cursor"].(string)
	return token, fmt.Sprint(object["id"])
}

// named puts the names of rows in the place of their cursors, as the evaluator
// has them: cursors are opaque.
func named(document map[string]any) map[string]any {
	data, _ := document["data"].([]any)
	names := map[string]string{}
	for _, item := range data {
		if token, id := cursorOf(item); token != "" {
			names[token] = evaluate.Cursor(id)
		}
	}
	if len(names) == 0 {
		return document
	}
	return replaced(document, func(s string) string {
		if name, ok := names[s]; ok {
			return name
		}
		path, query, _ := strings.Cut(s, "?")
		parts := strings.Split(query, "&")
		for i, p := range parts {
			name, value, _ := strings.Cut(p, "=")
			if cursor, ok := names[value]; ok && strings.HasPrefix(name, "page") {
				parts[i] = name + "=" + url.QueryEscape(cursor)
			}
		}
		if query == "" {
			return s
		}
		return path + "?" + strings.Join(parts, "&")
	}).(map[string]any)
}

// replaced replaces all texts in a JSON value.
func replaced(v any, f func(string) string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[name] = replaced(inner, f)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = replaced(inner, f)
		}
		return out
	case string:
		return f(v)
	default:
		return v
	}
}
