package evaluate

import (
	"strconv"

	"github.com/resourcery/resourcery/plan"
)

// A total is what is said of how many rows there are.
type total struct {
	n     int
	known bool
	exact bool // no more than n
}

// total counts as the plan wants it (contract 4.13), or better, where a page
// that is not full tells the number.
func (w *writer) total(all int) total {
	switch t := w.read.Query.Total; {
	case t.Kind == plan.NoTotal:
		return total{}
	case t.Kind == plan.ExactTotal, t.Kind == plan.BoundedTotal && (all <= t.Limit || w.tells()):
		return total{all, true, true}
	case t.Kind == plan.BoundedTotal:
		return total{t.Limit, true, false}
	default:
		panic("evaluate: estimates are not evaluated")
	}
}

// tells reports whether the page says how many rows there are: it starts at a
// known one and is not full.
func (w *writer) tells() bool {
	q, n := w.read.Query, len(w.root.rows)
	if k := q.Window.Keyset; k != nil && (k.Before != nil || k.After != nil && len(k.After.Parts) > 0) {
		return false
	}
	full := q.Window.Limit > 0 && n == q.Window.Limit
	return !full && (n > 0 || w.offset(q.Window) == 0)
}

// meta returns the total, that a range was cut off, and the annotations.
func (w *writer) meta(t total, more bool) map[string]any {
	meta := map[string]any{}
	if t.known {
		meta["total"] = numeral(t.n)
		if !t.exact {
			meta["totalIsLowerBound"] = true
		}
	}
	if k := w.read.Query.Window.Keyset; k != nil && k.After != nil && k.Before != nil && more {
		meta["page"] = map[string]any{"rangeTruncated": true}
	}
	if len(w.notes) > 0 {
		meta["serialization"] = map[string]any{"values": w.notes}
	}
	return meta
}

// pageLinks adds the links of pages that are counted by rows or numbered
// (contract 3.4, 4.10). Where the total is not known there is no last.
func (w *writer) pageLinks(links map[string]any, t total, more bool) {
	window := w.read.Query.Window
	limit, offset := window.Limit, w.offset(window)
	size := Parameter{"page[limit]", strconv.Itoa(limit)}
	start := func(offset int) Parameter { return Parameter{"page[offset]", strconv.Itoa(offset)} }
	if window.Number {
		size.Name = "page[size]"
		start = func(offset int) Parameter { return Parameter{"page[number]", strconv.Itoa(offset/limit + 1)} }
	}
	links["first"], links["next"], links["prev"] = w.paged(size), nil, nil
	if last := start(max(0, t.n-1) / limit * limit); t.exact && limit == w.at.PageSize {
		links["last"] = w.paged(last)
	} else if t.exact {
		links["last"] = w.paged(last, size)
	}
	if more {
		links["next"] = w.paged(start(offset+limit), size)
	}
	if offset > 0 {
		links["prev"] = w.paged(start(max(0, offset-limit)), size)
	}
}

// Cursor is what stands in documents for the cursor of the row with that id.
func Cursor(id string) string { return "cursor of " + id }

// item gives primary data its cursor, where pages follow cursors.
func (w *writer) item(object map[string]any, row Row) map[string]any {
	if w.read.Query.Window.Keyset != nil {
		object["meta"] = map[string]any{"page": map[string]any{"cursor": w.cursorOf(row)}}
	}
	return object
}

func (w *writer) cursorOf(row Row) string {
	m := w.read.Query.Model
	return Cursor(identifier(m.Key, keyOf(m.Key, row), w.at.Divider))
}

// cursorLinks adds the links of pages that follow cursors (contract 4.11). What
// lies on the other side of a cursor from which the page was read is not looked
// at: the link may lead to an empty page.
func (w *writer) cursorLinks(links map[string]any, more bool) {
	k, rows := w.read.Query.Window.Keyset, w.root.rows
	page := func(name, cursor string) string {
		params := []Parameter{{"page[" + name + "]", cursor}}
		if limit := w.read.Query.Window.Limit; limit > 0 {
			params = append(params, Parameter{"page[size]", strconv.Itoa(limit)})
		}
		return w.paged(params...)
	}
	text := func(c *plan.Cursor) string {
		if c == nil {
			return ""
		}
		return w.values[c.Text].(string)
	}
	backward := k.Before != nil && k.After == nil
	links["first"], links["last"] = page("after", ""), page("before", "")
	links["next"], links["prev"] = nil, nil
	if k.Before != nil && len(k.Before.Parts) > 0 || more && !backward {
		links["next"] = page("after", text(k.After))
		if len(rows) > 0 {
			links["next"] = page("after", w.cursorOf(rows[len(rows)-1]))
		}
	}
	if k.After != nil && len(k.After.Parts) > 0 || more && backward {
		links["prev"] = page("before", text(k.Before))
		if len(rows) > 0 {
			links["prev"] = page("before", w.cursorOf(rows[0]))
		}
	}
}
