package plan

import (
	"slices"
	"strings"
)

// An OperatorDoc is what the query reference says of one operator.
type OperatorDoc struct {
	Name    string // as in expressions; in brackets a `$` precedes it
	Doc     string // which values it finds
	Takes   string // what it takes beside the field
	Kinds   string // the fields that have it
	Example string // a filter in brackets, on the sample's posts
}

// Operators returns the operator table for readers, in its order.
func Operators() []OperatorDoc {
	docs := make([]OperatorDoc, len(operators))
	for i, op := range operators {
		docs[i] = OperatorDoc{
			Name: op.Name, Doc: op.Doc, Takes: op.Takes.String(), Kinds: op.kinds(), Example: examples[op.Name],
		}
	}
	return docs
}

// String says what an operator of that arity takes.
func (a Arity) String() string {
	switch a {
	case OneValue:
		return "a value"
	case AnyValue, AllValues:
		return "a list"
	case TwoValues:
		return "two values"
	case Flag:
		return "true or false"
	default:
		panic("plan: an operator of no known arity")
	}
}

// kinds joins the families that the operator has, or the one that it negates.
// Where one of them is everything, the others only read in another way.
func (op *Operator) kinds() string {
	if op.Negates != nil {
		return op.Negates.kinds()
	}
	var names []string
	for _, v := range op.Variants {
		if v.Family.Name == anything.Name {
			return anything.Name
		}
		if !slices.Contains(names, v.Family.Name) {
			names = append(names, v.Family.Name)
		}
	}
	return strings.Join(names, "; ")
}

// examples has a filter for each operator. An operator without a value of its
// own to show would leave a gap in the reference.
var examples = map[string]string{
	"eq":          "filter[status]=IDEA,DRAFT",
	"ne":          "filter[summary$ne]=Not ready.",
	"in":          "filter[viewCount$in]=0,250",
	"nin":         "filter[status$nin]=IDEA,DRAFT",
	"lt":          "filter[viewCount$lt]=100",
	"lte":         "filter[status$lte]=REVIEW",
	"gt":          "filter[createdAt$gt]=2024-07-01T00:00:00Z",
	"gte":         "filter[earnings$gte]=12.5",
	"between":     "filter[viewCount$between]=42,500",
	"isNull":      "filter[publishedAt$isNull]=true",
	"contains":    "filter[title$contains]=100%25",
	"icontains":   "filter[title$icontains]=bread",
	"startsWith":  "filter[title$startsWith]=Bread",
	"istartsWith": "filter[title$istartsWith]=bread",
	"endsWith":    "filter[title$endsWith]=slowly",
	"iendsWith":   "filter[title$iendsWith]=SLOWLY",
	"search":      `filter[search$search]="three days" or travel -soup`,
	"matches":     "filter[title$matches]=^Bread, (slow|quick)ly$",
	"has":         "filter[keywords$has]=bread",
	"hasEvery":    "filter[keywords$hasEvery]=bread,cooking",
	"hasSome":     "filter[keywords$hasSome]=bread,indexes",
	"isEmpty":     "filter[keywords$isEmpty]=true",
}
