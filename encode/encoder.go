package encode

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

// An Encoder makes the documents of a handler. It is safe for concurrent use.
type Encoder struct {
	options Options
}

// NewEncoder returns an encoder.
func NewEncoder(o Options) *Encoder { return &Encoder{options: o} }
