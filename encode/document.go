package encode

import (
	"io"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/plan"
)

// An Address is where a document is served, as far as its links need it.
type Address struct {
	Endpoint string // absolute, without a trailing slash
	Path     string // below the endpoint, escaped, with its leading slash
	Query    string // the request's query in canonical encoding, "" for none
	// Before and After are Query's parameters that stand before and after the
	// page's in page links, each in canonical encoding.
	Before, After string
	// PageSize is the default limit, which page links leave out where they may; 0: unlimited.
	PageSize int
	// Divider joins the parts of compound ids.
	Divider string
}

// Document writes the document that answers p. Nothing is written where it
// returns an error: a jsonapi.NotFound where the resource, or the parent, is
// absent or invisible.
func Document(w io.Writer, at Address, p *plan.Plan, r *exec.Result) error { panic("unbuilt") }
