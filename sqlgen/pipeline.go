package sqlgen

import (
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A Pipeline is the statements that answer one plan, in the order in which they
// are sent: the check, the page, the edges (a parent's before its children's,
// in the order of the include paths), the total; of a write, what it checks and
// what it writes before them. It is shared and immutable.
type Pipeline struct {
	Statements []*Statement
	// Operations are the pipelines of a batch's operations, in order; nil where
	// there is no batch. Statements are theirs one after the other, between a
	// first and a last one of the batch's own.
	Operations []*Pipeline
	// Writes reports that statements change the database.
	Writes bool
}

// A Part says what a statement's rows are.
type Part uint8

const (
	// Check: one row where the parent resource exists and is visible, else none.
	Check Part = iota + 1
	// Page: the primary data, or what it is read from.
	Page
	// Rows: the resources that an include step reaches.
	Rows
	// Pairs: which parent is linked to which resource over a join table.
	Pairs
	// Count: one row, one int8: how many rows the query has without its window.
	// Of a bounded total it is one more than the bound where there are more.
	Count
	// Estimate: one row, one json: what Postgres says of how it would run the
	// query without its window.
	Estimate
	// Unseen: one row, two arrays of int4 in text form, both NULL where nothing is
	// amiss: which of the write's Targets are not visible, as indexes into
	// Write.Targets and into their lists.
	Unseen
	// Written: one row, a bool: whether the row was written, or found where there
	// is nothing to write; of an upsert a second one: whether it was inserted.
	// Further columns are of no interest.
	Written
	// Again: one row where the row that was to be deleted is still visible, else
	// none: a bool, whether it has one of the digests that were asked for.
	Again
	// Step: no rows of interest: a lock, or what changes members.
	Step
	// Guard: it aborts the transaction where something is amiss, under a name
	// that Abort has; else no rows of interest.
	Guard
)

// AbortPrefix begins the names under which statements abort their transaction:
// SQLSTATE 22P02, with the name as what is no number. A reason follows.
const AbortPrefix = "resourcery.abort."

// Why statements abort a transaction.
const (
	AbortUnreadable = "unreadable" // the row cannot be read after the write
	AbortRefused    = "refused"    // a policy silently kept members as they were
	AbortUnseen     = "unseen"     // a target is not visible, or no longer
	AbortHidden     = "hidden"     // so is what a foreign key leads to; a point and its place among Linked follow
	AbortRequired   = "required"   // members that were to go cannot be without a parent
	AbortDetached   = "detached"   // what refers to a row to be linked, or is referred to, is NULL
	AbortSeveral    = "several"    // the key is that of several rows
	AbortIdentity   = "identity"   // the row of an upsert was there, under another id
	AbortFailed     = "failed"     // an operation before found its row or its targets missing
	AbortProbe      = "probe"      // what was tried would have gone through
)

// A Form is the SQL of a statement with its parameters.
type Form struct {
	SQL    string
	Params []Param // $1 is Params[0]
}

// A Statement is one SQL statement and how to read its rows.
type Statement struct {
	// Form is the statement as it runs in one trip with all others: it finds
	// the keys of its parents in variables of the transaction, and leaves its
	// own there.
	Form
	// Bound is the same statement for where variables will not do: it takes its
	// parents' keys as parameters, and leaves none.
	Bound   Form
	Hands   []Hand // the keys that other statements of the pipeline start from
	Part    Part
	Columns []Column
	Formats []int16 // the protocol's number of each column's format

	// Model, Fields and Relationships say what a row of Page or Rows shows.
	Model         *schema.Model
	Fields        []*schema.Field
	Relationships []*schema.Relationship
	// ID holds the columns of the resource's key. Pairs have it too: the target's.
	ID []int
	// Attributes holds the column of each of Fields.
	Attributes []int
	// Linkages are the to-one relationships that the row itself tells.
	Linkages []Linkage
	// Digest is the column of the row's digest; 0: there is none, as the key
	// comes first.
	Digest int
	// Cursor holds the columns whose values make the cursor of a row.
	Cursor []int
	// More is the column that is true, of a parent's last row, where a further row
	// follows past the parent's limit; else NULL. 0: that was not asked, as the key
	// comes first.
	More int
	// Peek is how a page tells whether further rows follow. It leaves no keys of
	// the row that is there for that.
	Peek Peek

	// Edge says how rows of Rows and Pairs belong to those of another statement;
	// nil for the other parts.
	Edge *Edge

	// Relationship is what a Step or a Guard is about; nil where it is about the
	// row itself.
	Relationship *schema.Relationship
	// Probe is how to write the row of Written without reading it: it fails as
	// the statement does where a policy refuses the write, and goes through where
	// only reading is refused. nil where that cannot be told apart.
	Probe []*Statement
}

// A Peek has one row past the limit be read, where there is one. It is not of the
// page.
type Peek struct {
	Limit int  // 0: none is read
	First bool // it comes before the others, as the page ends at a cursor
}

// A Linkage is a to-one relationship whose identifier stands in the row: the
// target's key in the columns; it is null where any of them is NULL.
type Linkage struct {
	Relationship *schema.Relationship
	Columns      []int
}

// An Edge ties the rows of a statement to their parents. A row belongs to the
// parents whose From columns have the same bytes as its To columns. Over a join
// table the Pairs statement has From and To, and the Rows statement that
// follows it has neither: its rows are found by their id.
type Edge struct {
	Relationship *schema.Relationship
	Rank         int   // the place of its resources among the included ones
	Parent       int   // index of the statement whose rows are the parents
	From         []int // columns of the parent's rows
	To           []int // columns of this statement's rows
	Silent       bool  // the rows serve linkage only
	Paired       bool  // Rows: the linkage is told by the Pairs statement before it
	// Limit is the most members that a parent has here; 0: all. Sort is their
	// order as the parameter sort spells it, "" for that of the id.
	Limit int
	Sort  string
}

// A Hand is one list of keys that a statement hands to others: the values of a
// column, under a number that Param.Key repeats.
type Hand struct {
	Column   int
	Key      int
	Distinct bool // each value once is enough, and they may repeat
}

// A Param is one parameter of a statement: a value of the plan, or, in the
// bound form, a list of keys.
type Param struct {
	Slot plan.Slot
	Key  int          // the number of the list of keys; 0: a value of the plan
	Type *schema.Type // of the value, or of its elements where List
	List bool
}

// HandsOn reports whether statements of the pipeline start from others.
func (p *Pipeline) HandsOn() bool {
	for _, st := range p.Statements {
		if len(st.Hands) > 0 {
			return true
		}
	}
	return false
}

// A Format is the form in which Postgres sends a column.
type Format int16

// The formats, with the protocol's numbers.
const (
	Text   Format = 0
	Binary Format = 1
)

// A Column is one column of a statement's rows.
//
// In Binary, parts of arrays, ranges and composites are in their binary form
// too. That of the types of kind schema.Text that occur in these is their text.
type Column struct {
	Type   *schema.Type
	Format Format
}
