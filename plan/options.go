package plan

// Unlimited is the page size that means no pages.
const Unlimited = -1

// Options are what the host decides about plans. The zero value of each member
// means its default.
type Options struct {
	PageSize    int    // page limit where the request has none; default 100; Unlimited: none
	MaxPageSize int    // larger limits are trimmed to it; default 1000, or PageSize if that is more
	Divider     string // joins the parts of compound ids; default `_`
	Limits      Limits

	AllowRegexp    bool   // the operator matches
	AllowEstimates bool   // page[total]=estimate
	SearchLanguage string // the text search configuration of full text; "": the database's default
	Total          *Total // how rows are counted where the request does not say; nil: ExactTotal

	// CursorProfile reports that the request asks for the cursor pagination
	// profile, so that page[size] alone starts cursors (contract 4.11).
	CursorProfile bool
	// Digests has reads of one resource bring the digest of its row, for the
	// ETag (contract 5.11).
	Digests bool
}

// Limits bound what one request may ask. 0 means the default.
type Limits struct {
	Conditions   int // filter conditions, and the relationships on the way to them; default 64
	FilterDepth  int // calls and relationships around a condition; default 8
	Values       int // values in one list; default 1000
	SortKeys     int // default 8
	IncludeDepth int // relationships in an include path; default 6
	Includes     int // include paths; default 32
	Included     int // included resources; default 10,000
}

// The defaults of Options and Limits.
const (
	DefaultPageSize    = 100
	DefaultMaxPageSize = 1000
	DefaultDivider     = "_"
)

func (o Options) withDefaults() Options {
	o.PageSize = orElse(o.PageSize, DefaultPageSize)
	o.MaxPageSize = max(orElse(o.MaxPageSize, DefaultMaxPageSize), o.PageSize)
	if o.Divider == "" {
		o.Divider = DefaultDivider
	}
	l := &o.Limits
	l.Conditions = orElse(l.Conditions, 64)
	l.FilterDepth = orElse(l.FilterDepth, 8)
	l.Values = orElse(l.Values, 1000)
	l.SortKeys = orElse(l.SortKeys, 8)
	l.IncludeDepth = orElse(l.IncludeDepth, 6)
	l.Includes = orElse(l.Includes, 32)
	l.Included = orElse(l.Included, 10_000)
	return o
}

// total is how rows are counted where the request does not say.
func (o *Options) total() Total {
	if o.Total == nil {
		return Total{Kind: ExactTotal}
	}
	return *o.Total
}

func orElse(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
