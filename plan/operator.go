package plan

// An Operator is one row of the operator table: what the URL calls it, what it
// applies to and how it reads in SQL.
type Operator struct {
	Name string // in expressions, and with a leading `$` in brackets
}
