package encode

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// pageLinks appends first, last, next and prev of a list that has pages
// (contract 3.4, 4.10, 4.11).
func (d *document) pageLinks() error {
	switch w := d.read.Query.Window; {
	case w.Keyset != nil:
		return d.cursorLinks()
	case w.Limit > 0:
		d.countedLinks()
	}
	return nil
}

// A pageStyle spells a page by its first row and its size.
type pageStyle struct {
	start func(offset int64) string
	size  string
}

func styleOf(w plan.Window) pageStyle {
	limit := int64(w.Limit)
	if w.Number {
		return pageStyle{
			start: func(offset int64) string { return pageParameter("number", offset/limit+1) },
			size:  pageParameter("size", limit),
		}
	}
	return pageStyle{
		start: func(offset int64) string { return pageParameter("offset", offset) },
		size:  pageParameter("limit", limit),
	}
}

// countedLinks appends the links of pages that are counted by rows or numbered.
// Where the total is not known there is no last.
func (d *document) countedLinks() {
	w := d.read.Query.Window
	limit, offset, style := int64(w.Limit), d.offset(), styleOf(w)
	d.pageLink("first", style.size)
	next := d.more()
	if d.total.exact() {
		last := style.start(max(0, d.total.n-1) / limit * limit)
		if w.Limit != d.PageSize {
			last += "&" + style.size
		}
		d.pageLink("last", last)
		next = offset < d.total.n-limit
	}
	d.pageLinkIf(next, "next", func() string { return style.start(offset+limit) + "&" + style.size })
	d.pageLinkIf(offset > 0, "prev", func() string { return style.start(max(0, offset-limit)) + "&" + style.size })
}

// offset returns how many rows stand before the page.
func (d *document) offset() int64 {
	if slot := d.read.Query.Window.Offset; slot != plan.NoSlot {
		return d.plan.Values[slot].(int64)
	}
	return 0
}

// more reports whether rows follow the page's past its limit, in the direction
// in which it was read.
func (d *document) more() bool {
	st, n := d.statement(d.page), d.rows(d.page).Len()
	if st.More == 0 || n == 0 {
		return false
	}
	last := n - 1
	if k := d.read.Query.Window.Keyset; k != nil && k.Backward() {
		last = 0
	}
	return d.truth(ref{d.page, last}, st.More)
}

// truth reports whether a column is true.
func (d *document) truth(r ref, column int) bool {
	v := d.rows(r.part).Value(r.row, column)
	return len(v) == 1 && v[0] == 1
}

func (d *document) pageLinkIf(exists bool, name string, page func() string) {
	if !exists {
		d.text(`,"` + name + `":null`)
		return
	}
	d.pageLink(name, page())
}

// pageLink appends a link to another page: the request's query with that page's
// parameters (contract 3.4).
func (d *document) pageLink(name, page string) {
	d.text(`,"` + name + `":"`)
	d.address(d.at.Path, joinQuery(d.at.Before, page, d.at.Page, d.at.After))
	d.text(`"`)
}

// joinQuery joins parts of a query, some of which may be empty.
func joinQuery(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		if part != "" && b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(part)
	}
	return b.String()
}

func pageParameter(name string, n int64) string {
	return pageText(name, strconv.FormatInt(n, 10))
}

func pageText(name, value string) string { return "page%5B" + name + "%5D=" + value }

// windowRest is the query under which the relationship's own address has what
// follows the window of an included one.
func windowRest(e *sqlgen.Edge) string {
	sort := ""
	if e.Sort != "" {
		sort = "sort=" + sortEscaper.Replace(url.QueryEscape(e.Sort))
	}
	limit := int64(e.Limit)
	return joinQuery(sort, pageParameter("offset", limit), pageParameter("limit", limit))
}

// sortEscaper takes back what url.QueryEscape escapes without need, as in all
// other links.
var sortEscaper = strings.NewReplacer("%2C", ",", "%24", "$")
