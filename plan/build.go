package plan

import (
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// Unlimited is the page size that means no pages.
const Unlimited = -1

// Options are what the host decides about plans. The zero value of each member
// means its default.
type Options struct {
	PageSize    int    // page limit where the request has none; default 100; Unlimited: none
	MaxPageSize int    // larger limits are trimmed to it; default 1000, at least PageSize
	Divider     string // joins the parts of compound ids; default `_`
	Limits      Limits
}

// Limits bound what one request may ask. 0 means the default.
type Limits struct {
	Conditions   int // 64 filter conditions
	FilterDepth  int // 8 steps in a filter's path
	Values       int // 1000 values in one list
	SortKeys     int // 8
	IncludeDepth int // 6 steps in an include path
	Includes     int // 32 include paths
	Included     int // 10 000 included resources
}

// Build resolves r against what v shows. Its errors are jsonapi.Errors and
// hold all problems that it found.
func Build(v *schema.View, r *parse.Request, o Options) (*Plan, error) { panic("unbuilt") }
