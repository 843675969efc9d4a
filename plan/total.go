package plan

import (
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// guardedTotal is where counting stops in place of an estimate that would tell
// of rows which the caller may not see.
const guardedTotal = 10_000

// total resolves page[total] (contract 4.13). The query's conditions must be
// resolved before.
func (b *builder) total(q *Query, parent *Parent, own ownPage) Total {
	total := b.options.total()
	if own.total != nil {
		var ok bool
		if total, ok = b.totalOf(*own.total); !ok {
			return Total{}
		}
	}
	if total.Kind == EstimateTotal && b.guarded(q, parent) {
		return Total{Kind: BoundedTotal, Limit: guardedTotal}
	}
	return total
}

func (b *builder) totalOf(p parse.PageParam) (Total, bool) {
	switch p.Value {
	case "exact":
		return Total{Kind: ExactTotal}, true
	case "none":
		return Total{Kind: NoTotal}, true
	case "estimate":
		if !b.options.AllowEstimates {
			b.refuse(estimatesNotAllowed(p))
			return Total{}, false
		}
		return Total{Kind: EstimateTotal}, true
	}
	if p.Value == "" || p.Value[0] < '0' || p.Value[0] > '9' {
		b.refuse(unknownTotal(p))
		return Total{}, false
	}
	n, ok := b.pageNumber(p, 1)
	return Total{Kind: BoundedTotal, Limit: int(min(n, maxBound))}, ok
}

// maxBound is the largest bound of a count; one more must fit too.
const maxBound = 1 << 30

// guarded reports whether row-level security applies to the caller on a table
// that the count looks at.
func (b *builder) guarded(q *Query, parent *Parent) bool {
	if parent != nil && (b.view.Guarded(parent.Relationship.Model.Table) || b.guardedStep(parent.Relationship)) {
		return true
	}
	return b.view.Guarded(q.Model.Table) || b.guardedConds(q.Where)
}

func (b *builder) guardedConds(conds []Cond) bool {
	for _, c := range conds {
		if b.guardedCond(c) {
			return true
		}
	}
	return false
}

func (b *builder) guardedCond(c Cond) bool {
	switch c := c.(type) {
	case *And:
		return b.guardedConds(c.Conds)
	case *Or:
		return b.guardedConds(c.Conds)
	case *Not:
		return b.guardedCond(c.Cond)
	case *Compare:
		other, ok := c.Operand.(Other)
		return b.guardedTerm(c.Left) || ok && b.guardedTerm(other.Term)
	case *Keys:
		return false
	case *Some:
		return b.guardedQuantified(c.Relationship, c.Cond)
	case *None:
		return b.guardedQuantified(c.Relationship, c.Cond)
	case *Every:
		return b.guardedQuantified(c.Relationship, c.Cond)
	default:
		panic("plan: a condition of no known type")
	}
}

func (b *builder) guardedQuantified(rel *schema.Relationship, c Cond) bool {
	return b.guardedStep(rel) || c != nil && b.guardedCond(c)
}

func (b *builder) guardedTerm(t Term) bool {
	switch t := t.(type) {
	case FieldTerm:
		return b.guardedPath(t.Path)
	case JSONTerm:
		return false
	case CountTerm:
		return b.guardedPath(t.Path) || b.guardedStep(t.Relationship)
	default:
		panic("plan: a term of no known type")
	}
}

func (b *builder) guardedPath(path []*schema.Relationship) bool {
	for _, rel := range path {
		if b.guardedStep(rel) {
			return true
		}
	}
	return false
}

// guardedStep asks for the tables that a relationship leads over and to.
func (b *builder) guardedStep(rel *schema.Relationship) bool {
	return b.view.Guarded(rel.Target.Table) || rel.Through != nil && b.view.Guarded(rel.Through.Table)
}
