package plan

import "github.com/resourcery/resourcery/schema"

// A Cond is a condition on one row. It is two-valued: a comparison with NULL is
// false, and so its negation is true. Sealed: *And, *Or, *Not, *Compare, *Keys,
// *Some, *None, *Every, *WrittenRow.
type Cond interface{ cond() }

// And holds where all of its conditions hold.
type And struct{ Conds []Cond }

// Or holds where any of its conditions holds.
type Or struct{ Conds []Cond }

// Not holds where its condition does not.
type Not struct{ Cond Cond }

// Compare applies an operator to a term of the row.
type Compare struct {
	Left     Term
	Operator *Operator
	Operand  Operand
	Config   string // the text search configuration of full text; "": the database's default
}

// Keys holds where the fields together equal one of several tuples.
type Keys struct {
	Fields []*schema.Field
	Types  []*schema.Type // of the values; those of Fields may be narrower
	Slots  []Slot         // pairs with Fields; each value is a slice, all of one length
}

// Some holds where a row that the relationship reaches, and that the caller
// may see, fulfils the condition; a nil Cond asks for any row.
type Some struct {
	Relationship *schema.Relationship
	Cond         Cond
}

// None holds where no such row fulfils the condition; a nil Cond asks for no
// row at all.
type None struct {
	Relationship *schema.Relationship
	Cond         Cond
}

// Every holds where all such rows fulfil the condition, and where there is none.
type Every struct {
	Relationship *schema.Relationship
	Cond         Cond
}

// WrittenRow holds for the row that the write before it wrote or found: its key
// is among what that keeps.
type WrittenRow struct {
	Model  *schema.Model
	Number int // Write.Number
}

func (*And) cond()        {}
func (*Or) cond()         {}
func (*Not) cond()        {}
func (*Compare) cond()    {}
func (*Keys) cond()       {}
func (*Some) cond()       {}
func (*None) cond()       {}
func (*Every) cond()      {}
func (*WrittenRow) cond() {}

// A Term is what a comparison looks at, and what rows are sorted by. Sealed:
// FieldTerm, JSONTerm, CountTerm.
type Term interface {
	term()
	// Type is the Postgres type of the term's values.
	Type() *schema.Type
}

// A FieldTerm is a field of the row, or, behind to-one steps, of another row;
// it is NULL where a step leads nowhere or to what the caller may not see.
type FieldTerm struct {
	Path  []*schema.Relationship
	Field *schema.Field
}

// A JSONTerm is a part of a document in a json or jsonb field. Its keys are
// values of the request: a list of text.
type JSONTerm struct {
	Field *schema.Field
	Keys  Slot
	// Number asks for the part as a number, NULL where it is none; otherwise it
	// is text, in which JSON strings are unquoted.
	Number bool
}

// A CountTerm is how many rows a to-many relationship reaches that the caller
// may see.
type CountTerm struct {
	Path         []*schema.Relationship // to-one steps to the relationship's model
	Relationship *schema.Relationship
}

func (FieldTerm) term() {}
func (JSONTerm) term()  {}
func (CountTerm) term() {}

// Type is the field's.
func (t FieldTerm) Type() *schema.Type { return t.Field.Type }

// Type is numeric or text.
func (t JSONTerm) Type() *schema.Type {
	if t.Number {
		return numericType
	}
	return textType
}

// Type is bigint.
func (CountTerm) Type() *schema.Type { return bigintType }

// The types of terms that are no column.
var (
	textType    = &schema.Type{Kind: schema.Text, Schema: "pg_catalog", Name: "text", Equal: true, Ordered: true}
	numericType = &schema.Type{Kind: schema.Numeric, Schema: "pg_catalog", Name: "numeric", Equal: true, Ordered: true}
	bigintType  = &schema.Type{Kind: schema.Int8, Schema: "pg_catalog", Name: "int8", Equal: true, Ordered: true}
)

// An Operand is the right side of a comparison. Sealed: Nothing, One, Any, Two,
// Truth, Other.
type Operand interface{ operand() }

// Nothing is the operand of operators that have none.
type Nothing struct{}

// One is a single value of the request, of the type that the operator wants.
type One struct {
	Slot Slot
	Type *schema.Type
}

// Any is a list of values, of which any may match; its slot holds a slice.
type Any struct {
	Slot Slot
	Type *schema.Type // of the elements
}

// Two is a pair of values.
type Two struct {
	Low, High Slot
	Type      *schema.Type
}

// Truth is a boolean. It belongs to the shape, as Postgres chooses indexes by it.
type Truth bool

// Other is another term of the row.
type Other struct{ Term Term }

func (Nothing) operand() {}
func (One) operand()     {}
func (Any) operand()     {}
func (Two) operand()     {}
func (Truth) operand()   {}
func (Other) operand()   {}
