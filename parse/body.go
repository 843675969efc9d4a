package parse

import "github.com/go-json-experiment/json/jsontext"

// A Verb is what a request does with its target.
type Verb uint8

const (
	Fetch   Verb = iota // reads it
	Create              // makes a resource of the type
	Update              // changes the resource
	Delete              // removes the resource
	Add                 // adds members to the relationship
	Replace             // replaces what the relationship leads to
	Remove              // removes members from the relationship
)

// A Body is the syntax of the document that a writing request brings. Names and
// values are as the client wrote them; what they mean is for the plan to say.
type Body struct {
	Resource *ResourceObject // of Create and Update
	Linkage  *Linkage        // of Add, Replace and Remove
	Upsert   *Upsert         // nil: none is asked for
}

// A ResourceObject is the `data` of a document that creates or updates.
// https://jsonapi.org/format/1.1/#document-resource-objects
type ResourceObject struct {
	Pointer       string // where the object stands: `/data`
	Type          string
	ID            *string        // a string or a number, as text; nil: none
	LID           string         // the local id that others may call it by; "": none
	Raw           jsontext.Value // the whole object
	HasAttributes bool           // there is a member `attributes`
	Attributes    []Attribute    // in the order of the document
	Relationships []RelationshipObject
}

// An Attribute is one member of `attributes`.
type Attribute struct {
	Name    string
	Pointer string         // where its value stands: `/data/attributes/title`
	Value   jsontext.Value // as it came, numbers in all their digits
	Notes   []Note
}

// A Note is one annotation of `meta.serialization.values` (contract 6.2): what
// the client says a value is.
type Note struct {
	Path []string // from the attribute's value to the value that it is about; empty: itself
	Name string   // Date, bigint, number, or of a custom one its own: Decimal, Bytes, DateTime, BigInt
}

// A RelationshipObject is one member of `relationships`.
type RelationshipObject struct {
	Name    string
	Pointer string // `/data/relationships/author`
	Linkage Linkage
}

// A Linkage is resource linkage: null, an identifier, or an array of these.
// https://jsonapi.org/format/1.1/#document-resource-object-linkage
type Linkage struct {
	Pointer     string       // where it stands: `/data/relationships/author/data`
	Many        bool         // it is an array
	Identifiers []Identifier // one at most where it is none; none: null
}

// An Identifier names a resource by its id or, of those that an earlier
// operation of the same request creates, by its local id.
type Identifier struct {
	Pointer string // `/data/relationships/tags/data/0`
	Type    string
	ID      string
	LID     string // "": it is named by ID
}

// An Upsert is `meta.operation: "upsert"` (contract 5.9).
type Upsert struct {
	Pointer string // of matchFields: `/meta/matchFields`
	Fields  []string
}
