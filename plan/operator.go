package plan

import "github.com/resourcery/resourcery/schema"

// An Operator is one row of the operator table: what the URL calls it, which
// types it applies to, and how it reads in SQL. A fragment has two holes, `?`
// for the field and `?` for the operand, which sqlgen fills in.
type Operator struct {
	Name    string // in brackets with a leading `$`; a filter without operator is eq
	Doc     string // one sentence for the query reference
	Applies func(t *schema.Type) bool
	One     string // fragment for one value
	Any     string // fragment for a list of values, of which any may match
}

// Equal is the operator of plain filters.
var Equal = &Operator{
	Name:    "eq",
	Doc:     "equal to the value, or to any of a comma-separated list",
	Applies: comparable,
	One:     "? = ?",
	Any:     "? = ANY(?)",
}

// operators is the table, in the order in which refusals list it.
var operators = []*Operator{Equal}

// operatorsOf returns the names of the operators that apply to the type.
func operatorsOf(t *schema.Type) []string {
	var names []string
	for _, op := range operators {
		if op.Applies(t) {
			names = append(names, op.Name)
		}
	}
	return names
}

// comparable reports whether values of the type can be told equal, and whether
// a literal of the URL can be one.
func comparable(t *schema.Type) bool {
	switch t.Base().Kind {
	case schema.JSON, schema.JSONB, schema.Array, schema.Composite:
		return false
	default:
		return t.Equal
	}
}
