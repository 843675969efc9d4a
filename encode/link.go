package encode

import (
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/plan"
)

// links appends the document's links: itself, of a relationship the related
// resources, and of a collection its pages.
func (d *document) links() {
	d.text(`,"links":{"self":"`)
	d.address(d.at.Path, d.at.Query)
	d.text(`"`)
	if f := d.read.Form; f == plan.Linkage || f == plan.ToOneLinkage {
		d.text(`,"related":"`)
		d.address(relatedPath(d.at.Path), "")
		d.text(`"`)
	}
	if d.read.Query.Total.Kind == plan.ExactTotal && d.read.Query.Window.Limit > 0 {
		d.pageLinks()
	}
	d.text("}")
}

// relatedPath is the path of the resources that a relationship leads to.
func relatedPath(path string) string {
	const segment = "/relationships/"
	i := strings.LastIndex(path, segment)
	return path[:i] + "/" + path[i+len(segment):]
}

// address appends an address. Paths and queries come escaped, so that they stand
// in JSON as they are.
func (d *document) address(path, query string) {
	d.text(d.at.Endpoint)
	d.text(path)
	if query != "" {
		d.text("?")
		d.text(query)
	}
}

// pageLinks appends first, last, next and prev (contract 3.4).
func (d *document) pageLinks() {
	limit := int64(d.read.Query.Window.Limit)
	offset := int64(0)
	if slot := d.read.Query.Window.Offset; slot != plan.NoSlot {
		offset = d.plan.Values[slot].(int64)
	}
	last := int64(0)
	if d.total > 0 {
		last = (d.total - 1) / limit * limit
	}
	d.pageLink("first", limitParameter(limit))
	lastPage := offsetParameter(last)
	if limit != int64(d.at.PageSize) {
		lastPage += "&" + limitParameter(limit)
	}
	d.pageLink("last", lastPage)
	d.pageLinkIf(offset < d.total-limit, "next", offset+limit, limit)
	d.pageLinkIf(offset > 0, "prev", max(0, offset-limit), limit)
}

func (d *document) pageLinkIf(exists bool, name string, offset, limit int64) {
	if !exists {
		d.text(`,"` + name + `":null`)
		return
	}
	d.pageLink(name, offsetParameter(offset)+"&"+limitParameter(limit))
}

func (d *document) pageLink(name, page string) {
	d.text(`,"` + name + `":"`)
	query := page
	if d.at.Before != "" {
		query = d.at.Before + "&" + query
	}
	if d.at.After != "" {
		query += "&" + d.at.After
	}
	d.address(d.at.Path, query)
	d.text(`"`)
}

func offsetParameter(n int64) string { return "page%5Boffset%5D=" + strconv.FormatInt(n, 10) }
func limitParameter(n int64) string  { return "page%5Blimit%5D=" + strconv.FormatInt(n, 10) }
