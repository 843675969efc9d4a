package encode

import (
	"strings"

	"github.com/resourcery/resourcery/plan"
)

// links appends the document's links: itself, of a relationship the related
// resources, and of a collection its pages.
func (d *document) links() error {
	d.text(`,"links":{"self":"`)
	d.address(d.at.Path, d.at.Query)
	d.text(`"`)
	if f := d.read.Form; f == plan.Linkage || f == plan.ToOneLinkage {
		d.text(`,"related":"`)
		d.address(relatedPath(d.at.Path), "")
		d.text(`"`)
	}
	if err := d.pageLinks(); err != nil {
		return err
	}
	d.text("}")
	return nil
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
