package encode

import (
	"errors"
	"strings"

	"github.com/resourcery/resourcery/plan"
)

// links appends the document's links: itself, of a relationship the related
// resources, and of a collection its pages.
func (d *document) links() error {
	path, err := d.path()
	if err != nil {
		return err
	}
	d.text(`,"links":{"self":"`)
	d.address(path, d.at.Query)
	d.text(`"`)
	if f := d.read.Form; f == plan.Linkage || f == plan.ToOneLinkage {
		d.text(`,"related":"`)
		d.address(relatedPath(path), "")
		d.text(`"`)
	}
	if err := d.pageLinks(); err != nil {
		return err
	}
	d.text("}")
	return nil
}

// path is where the document is served.
func (d *document) path() (string, error) {
	if d.at.Path != "" {
		return d.at.Path, nil
	}
	t := &d.types[d.page]
	href, err := d.href(ref{d.page, 0}, t)
	if err != nil {
		return "", err
	}
	path := strings.TrimPrefix(href, d.Endpoint)
	switch d.read.Form {
	case plan.Resource:
		return path, nil
	case plan.ToOneLinkage:
		return path + t.relations[0].self, nil
	case plan.Collection, plan.RelatedResource, plan.Linkage:
		return "", errors.New("encode the document's address: its rows do not tell it")
	default:
		panic("encode: a read of no known form")
	}
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
	d.text(d.Endpoint)
	d.text(path)
	if query != "" {
		d.text("?")
		d.text(query)
	}
}
