package encode

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/resourcery/resourcery/sqlgen"
)

// Options are what all documents of a handler have in common.
type Options struct {
	Endpoint string // absolute, without a trailing slash
	// PageSize is the default limit, which page links leave out where they may; 0: unlimited.
	PageSize int
	// Divider joins the parts of compound ids.
	Divider string
	// StringIDs has every id be a string, whatever its key's type (contract 10.6).
	StringIDs bool
}

// An Encoder makes the documents of a handler, and keeps what all documents of
// one pipeline have in common. Pipelines are the clients' choice, so the least
// recently used ones are forgotten. It is safe for concurrent use.
type Encoder struct {
	options Options
	layouts *lru.Cache[*sqlgen.Pipeline, *layout]
}

// keptLayouts is how many layouts are kept: as many as sqlgen keeps pipelines.
const keptLayouts = 1024

// NewEncoder returns an encoder that keeps nothing yet.
func NewEncoder(o Options) *Encoder {
	layouts, err := lru.New[*sqlgen.Pipeline, *layout](keptLayouts)
	if err != nil {
		panic("encode: " + err.Error()) // only for a size that is not positive
	}
	return &Encoder{options: o, layouts: layouts}
}

// layout returns the layout of a pipeline, new if it is not there.
func (e *Encoder) layout(p *sqlgen.Pipeline) *layout {
	if l, ok := e.layouts.Get(p); ok {
		return l
	}
	l := newLayout(p, &e.options)
	e.layouts.Add(p, l)
	return l
}
