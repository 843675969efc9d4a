package plan

import (
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// A Plan is a request that has been understood.
type Plan struct {
	Action Action
	// View is what the caller may see, so that what Postgres refuses is said in no
	// other names. nil: everything.
	View *schema.View
	// Values are the request's literals by Slot: bool, int64, float64, string
	// (Postgres's text form), []byte, or a slice of one of these; nil is the NULL
	// that is to be written.
	Values []any
	// Sources say where each value stood in the request, by Slot.
	Sources []jsonapi.Source
	// Elements say where each element of a list stood, by the list's slot, for
	// lists whose elements are linkage.
	Elements map[Slot][]jsonapi.Source
	// Pointer is where an operation of a batch stands in the request; "" for a
	// plan of its own.
	Pointer string
	// Attributes is where attributes stand that the request does not give: the
	// pointer to `attributes`, or to the resource object where it has none.
	Attributes string
}

// Read returns what reads the document that answers: the action itself or its
// answer; nil where there is none.
func (p *Plan) Read() *Read {
	switch a := p.Action.(type) {
	case *Read:
		return a
	case *Create:
		return a.Answer
	case *Update:
		return a.Answer
	case *Delete, *Batch:
		return nil
	default:
		panic("plan: an action of no known type")
	}
}

// A Slot is an index into Plan.Values and Plan.Sources.
type Slot int

// NoSlot stands where a shape has no value.
const NoSlot Slot = -1

// An Action is the shape of what is done. It is sealed: *Read, *Create, *Update,
// *Delete, *Batch.
type Action interface{ action() }

// A Read fetches primary data and what it includes.
type Read struct {
	Form Form
	// Parent is the resource under which primary data was asked for; nil for
	// the forms that start at a model itself. Where it is set, the read must
	// tell an absent parent from an empty answer.
	Parent *Parent
	Query  *Query
	// Included reports that the request has an `include` parameter, so the
	// document has the member even when nothing was found.
	Included bool
	// Members reports, for Linkage, that the request includes the relationship
	// itself: the query has the targets' fields and its rows are included
	// resources, beside the identifiers of primary data.
	Members bool
	// MaxIncluded is the most resources that the document may include. It is a
	// bound on the answer, not part of the shape.
	MaxIncluded int
}

func (*Read) action() {}

// A Form is the form that primary data takes in the document.
type Form uint8

const (
	// Collection: an array of resource objects, with page links and total.
	Collection Form = iota + 1
	// Resource: one resource object; absent is an error.
	Resource
	// RelatedResource: one resource object, or null.
	RelatedResource
	// Linkage: resource identifiers of a to-many relationship, with page links
	// and total. The query is over the target and has a parent.
	Linkage
	// ToOneLinkage: the identifier or null of a to-one relationship. The query
	// is over the model that has the relationship, as for Resource, and
	// Query.Relationships holds it alone.
	ToOneLinkage
)

// A Parent narrows a query to the members of one resource's relationship.
type Parent struct {
	Relationship *schema.Relationship
	Key          []Slot // pairs with Relationship.Model.Key
}

// A Query selects rows of one model.
type Query struct {
	Model *schema.Model
	// Fields are the attributes that the document shows, in column order.
	Fields []*schema.Field
	// Relationships are those that the document shows, in naming order.
	Relationships []*schema.Relationship
	Where         []Cond  // all must hold
	Order         []Order // complete: ends in the key
	Window        Window
	Total         Total
	Edges         []*Edge // in the order of the request's paths
	// Digest are the columns that a digest of the row is made of, in column
	// order; nil: none is wanted.
	Digest []*schema.Field
}

// An Edge is one step of an include path: what the relationship reaches from
// the rows of the query that holds the edge.
type Edge struct {
	Relationship *schema.Relationship
	Query        *Query // over Relationship.Target; no conditions; a window is one for each parent
	// Rank is the edge's place among all edges of the request, in the order in
	// which its paths first mention them. Resources are included in this order.
	Rank int
	// Silent marks an edge that was not asked for but is needed to tell a
	// linkage; its resources are not included.
	Silent bool
}

// An Order is one sort key. Ascending puts NULLs last, descending first, as
// Postgres does by itself.
type Order struct {
	Term Term // FieldTerm or CountTerm
	Desc bool
}

// A Window is the part of a query's rows that is asked for: a page of primary
// data, or, on the query of an edge, the first members of each parent.
type Window struct {
	Limit  int  // 0: all
	Offset Slot // NoSlot: from the first
	Number bool // pages are numbered: links have page[number] and page[size]
	// Keyset is set where pages follow cursors.
	Keyset *Keyset
	// More asks whether there are rows past the limit, where no total tells.
	More bool
	// Cap is on the query of an edge without a limit: more rows than this for
	// all parents together are too many. 0: none.
	Cap int
}

// A Keyset starts a page at a place in the order instead of counting rows. The
// document has a cursor for each row then. With Before alone the page is what
// stands right before it; otherwise it starts after After, or with the first
// row, and ends before Before.
type Keyset struct {
	After, Before *Cursor // nil: not given
}

// Backward reports whether the page ends at its cursor, so that its rows are
// found from there.
func (k *Keyset) Backward() bool { return k.Before != nil && k.After == nil }

// A Cursor is a place in the order: a value for each sort key. Without parts it
// lies before the first row, as After, or past the last, as Before.
type Cursor struct {
	Parts []CursorPart // pairs with Query.Order
	Text  Slot         // as the request has it
}

// A CursorPart is the value of one sort key; that it is NULL belongs to the shape.
type CursorPart struct {
	Slot Slot // NoSlot where Null
	Null bool
}

// A Total says which count of all rows is wanted. It belongs to the shape.
type Total struct {
	Kind  TotalKind
	Limit int // of BoundedTotal: the most that is counted
}

// A TotalKind is one way of counting.
type TotalKind uint8

// The totals of contract 4.13.
const (
	NoTotal       TotalKind = iota // nothing is counted
	ExactTotal                     // every row
	BoundedTotal                   // up to Limit rows
	EstimateTotal                  // the planner's guess
)
