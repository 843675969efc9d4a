package plan

import (
	"slices"

	"github.com/resourcery/resourcery/schema"
)

// A Write says what is common to the actions that change one row and what
// hangs on it. Checks come first, then the row, then Members in their order,
// then the answer is read.
type Write struct {
	Model *schema.Model
	// Set are the columns that are written, in column order, each once.
	Set []Assignment
	// Targets are the resources that the request links to, all of which the
	// caller must see. Those of Members are among them where they are added.
	Targets []*Targets
	Members []*Members
	// Kept are the columns of the row, as it is after the write, whose values
	// later statements need, in column order: the key where it is not known
	// before or members change, what these join by, what other operations refer to.
	Kept []*schema.Field
	// Number is the operation's place in its batch, from 1, where others refer to
	// its row; 0: none does.
	Number int
	// Linked are the foreign keys of the row by which the request may link it to
	// another: that this one is visible is asked of the row as it was written.
	Linked []Linked
	// Answer reads the document that answers; its conditions name the row by
	// WrittenRow where the request does not. nil: no document is wanted.
	Answer *Read
}

// A Linked is a foreign key that must not lead to a row which the caller does not
// see.
type Linked struct {
	Reference *schema.Reference
	Stays     bool // but to the one that it led to before the write it may
	Blind     bool // the caller sees none of the rows
}

// A Create inserts a row.
type Create struct {
	Write
	// Upsert is set where a row with the same key is updated instead.
	Upsert *Upsert
}

// An Upsert says which key decides between insert and update.
type Upsert struct {
	Match []*schema.Field // the columns of the unique key
	// Set are those columns of Create.Set that an update writes; where there are
	// none, one of Match, which stays as it is.
	Set []*schema.Field
}

// Claimed are the columns of the key that an upsert gives and that do not choose
// the row: one that is there already must have them.
func (a *Create) Claimed() []*schema.Field {
	if a.Upsert == nil {
		return nil
	}
	var out []*schema.Field
	for _, s := range a.Set {
		if slices.Contains(a.Model.Key, s.Field) && !slices.Contains(a.Upsert.Match, s.Field) {
			out = append(out, s.Field)
		}
	}
	return out
}

// An Update changes the row that Key names. Without Set the row stays as it is,
// and only has to be there: Members alone are changed.
type Update struct {
	Write
	Key   []Cell // pairs with Model.Key
	Match *Match // nil: whatever state the row is in
}

// A Delete removes the row that Key names.
type Delete struct {
	Model *schema.Model
	Key   []Cell
	Match *Match
}

// A Batch is the operations of one atomic request, in order: all of them happen
// or none. Each is a plan with values of its own.
type Batch struct {
	Operations []*Plan // of Create, Update and Delete
}

func (*Create) action() {}
func (*Update) action() {}
func (*Delete) action() {}
func (*Batch) action()  {}

// A Match is the condition that the row has one of the digests.
type Match struct {
	Digest []*schema.Field // the columns that a digest is made of
	Rows   Slot            // a list of strings
}

// A Cell is a value that is written to a column, or names a row. It is sealed:
// *Given, *Made, *Looked.
type Cell interface{ cell() }

// Given is a value of the request. One that is nil is NULL.
type Given struct {
	Slot Slot
	Type *schema.Type
}

// Made is a column of the key of a row that an earlier operation of the batch
// wrote, which keeps it.
type Made struct {
	Number int // Write.Number of that operation
	Field  *schema.Field
}

// Looked is a column of a row that the request names by its id, where a foreign
// key references another column.
type Looked struct {
	Field *schema.Field
	Model *schema.Model
	Key   []Cell // pairs with Model.Key; Given or Made
}

func (*Given) cell()  {}
func (*Made) cell()   {}
func (*Looked) cell() {}

// An Assignment is what a column becomes.
type Assignment struct {
	Field *schema.Field
	Value Cell
}

// Targets are rows of one model that must be visible: those whose Fields have
// the values of the lists at the same index. Plan.Elements of the first list says
// where each stood.
type Targets struct {
	Model  *schema.Model
	Fields []*schema.Field
	Keys   []Slot // lists of one length; pairs with Fields
	Types  []*schema.Type
}

// Members changes what a relationship that is not over the row's own foreign
// key leads to: to-many, or to-one over a foreign key of the target.
type Members struct {
	Relationship *schema.Relationship
	Change       Change
	Keys         []Slot // lists of one length; pairs with Relationship.Target.Key
	Made         []int  // numbers of operations whose rows are members too
	// Moved are the other foreign keys of rows that become members which have a
	// column in common with the relationship's: they lead elsewhere then.
	Moved []Linked
}

// A Change is how members change.
type Change uint8

const (
	AddMembers     Change = iota + 1 // these too
	ReplaceMembers                   // these and no others
	RemoveMembers                    // these no more
)
