package encode

import (
	"slices"

	"github.com/resourcery/resourcery/sqlgen"
)

// A layout is what all documents of one pipeline have in common: where their
// parts are, and the text that does not depend on rows. It is immutable.
type layout struct {
	page   int   // the page's statement
	checks []int // those that must have a row
	count  int   // the one that tells the total; noStatement where there is none
	edges  bool  // whether any tells how rows are linked
	// included are the statements whose rows are to be included, in the order of
	// the request's paths.
	included  []int
	resources []resourceText // by statement
}

const noStatement = -1

func newLayout(p *sqlgen.Pipeline, o *Options) *layout {
	l := &layout{count: noStatement, resources: make([]resourceText, len(p.Statements))}
	for i, st := range p.Statements {
		switch st.Part {
		case sqlgen.Check:
			l.checks = append(l.checks, i)
		case sqlgen.Page:
			l.page = i
		case sqlgen.Rows:
			l.edges = true
			if !st.Edge.Silent {
				l.included = append(l.included, i)
			}
		case sqlgen.Pairs:
			l.edges = true
		case sqlgen.Count, sqlgen.Estimate:
			l.count = i
		case sqlgen.Unseen, sqlgen.Written, sqlgen.Again, sqlgen.Step, sqlgen.Guard: // not of the document
		}
		if st.Model != nil {
			l.resources[i] = newResourceText(p, st, o)
		}
	}
	slices.SortStableFunc(l.included, func(a, b int) int { return p.Statements[a].Edge.Rank - p.Statements[b].Edge.Rank })
	return l
}
