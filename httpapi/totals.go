package httpapi

import (
	"fmt"
	"strconv"

	"github.com/resourcery/resourcery/plan"
)

// Totals is a way of counting rows, in the spelling of page[total] (contract
// 4.13): one of the constants, or a number as in `1000`, at which counting stops.
type Totals string

// The totals that are no number.
const (
	TotalsExact    Totals = "exact"    // every row; so is ""
	TotalsNone     Totals = "none"     // nothing is counted
	TotalsEstimate Totals = "estimate" // the planner's guess; needs AllowEstimates
)

// total returns what plans are told.
func (t Totals) total() (*plan.Total, error) {
	switch t {
	case "", TotalsExact:
		return &plan.Total{Kind: plan.ExactTotal}, nil
	case TotalsNone:
		return &plan.Total{Kind: plan.NoTotal}, nil
	case TotalsEstimate:
		return &plan.Total{Kind: plan.EstimateTotal}, nil
	}
	n, err := strconv.Atoi(string(t))
	if err != nil || n < 1 {
		return nil, fmt.Errorf("httpapi: RESTOptions.Totals is %q: write httpapi.TotalsExact, TotalsNone, TotalsEstimate, or a positive number such as %q", t, "1000")
	}
	return &plan.Total{Kind: plan.BoundedTotal, Limit: n}, nil
}
