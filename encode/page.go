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

// A pageStyle says how the parameters of a page are called, and in what they
// count.
type pageStyle struct {
	start, size string
	unit        int64 // rows in one of start
	from        int64 // what start begins with
}

func styleOf(w plan.Window) pageStyle {
	if w.Number {
		return pageStyle{start: "number", size: "size", unit: int64(w.Limit), from: 1}
	}
	return pageStyle{start: "offset", size: "limit", unit: 1}
}

// countedLinks appends the links of pages that are counted by rows or numbered.
// Where the total is not known there is no last.
func (d *document) countedLinks() {
	w := d.read.Query.Window
	limit, offset := int64(w.Limit), d.offset()
	d.openPage("first")
	d.pageNumber(styleOf(w).size, limit)
	d.closePage()
	next := d.more()
	if d.total.exact() {
		d.openPage("last")
		d.pageStart(max(0, d.total.n-1) / limit * limit)
		if w.Limit != d.encoder.options.PageSize {
			d.text("&")
			d.pageNumber(styleOf(w).size, limit)
		}
		d.closePage()
		next = offset < d.total.n-limit
	}
	d.pageFrom("next", offset+limit, next)
	d.pageFrom("prev", max(0, offset-limit), offset > 0)
}

// pageFrom appends a link to the page that starts with a row; null where there is
// none.
func (d *document) pageFrom(name string, offset int64, exists bool) {
	if !exists {
		d.noPage(name)
		return
	}
	w := d.read.Query.Window
	d.openPage(name)
	d.pageStart(offset)
	d.text("&")
	d.pageNumber(styleOf(w).size, int64(w.Limit))
	d.closePage()
}

// pageStart appends the parameter that has a page start with a row.
func (d *document) pageStart(offset int64) {
	style := styleOf(d.read.Query.Window)
	d.pageNumber(style.start, offset/style.unit+style.from)
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
func (d *document) more() bool { return d.rows(d.page).More() }

// truth reports whether a column is true.
func (d *document) truth(r ref, column int) bool {
	v := d.rows(int(r.part)).Value(int(r.row), column)
	return len(v) == 1 && v[0] == 1
}

// noPage appends that there is no such page.
func (d *document) noPage(name string) {
	d.text(`,"`)
	d.text(name)
	d.text(`":null`)
}

// openPage begins a link to another page: the request's query with that page's
// parameters (contract 3.4), which are to follow, and then closePage.
func (d *document) openPage(name string) {
	d.text(`,"`)
	d.text(name)
	d.text(`":"`)
	d.text(d.encoder.options.Endpoint)
	d.text(d.at.Path)
	d.text("?")
	if d.at.Before != "" {
		d.text(d.at.Before)
		d.text("&")
	}
}

func (d *document) closePage() {
	for _, rest := range [...]string{d.at.Page, d.at.After} {
		if rest != "" {
			d.text("&")
			d.text(rest)
		}
	}
	d.text(`"`)
}

func (d *document) pageNumber(name string, n int64) {
	d.pageParameter(name)
	d.buf = appendInt(d.buf, n)
}

// pageParameter appends a parameter of the page up to its value.
func (d *document) pageParameter(name string) {
	d.text("page%5B")
	d.text(name)
	d.text("%5D=")
}

// windowRest is the query under which the relationship's own address has what
// follows the window of an included one.
func windowRest(e *sqlgen.Edge) string {
	limit := strconv.Itoa(e.Limit)
	page := "page%5Boffset%5D=" + limit + "&page%5Blimit%5D=" + limit
	if e.Sort == "" {
		return page
	}
	return "sort=" + sortEscaper.Replace(url.QueryEscape(e.Sort)) + "&" + page
}

// sortEscaper takes back what url.QueryEscape escapes without need, as in all
// other links.
var sortEscaper = strings.NewReplacer("%2C", ",", "%24", "$")
