package parse

// A Request is the syntax of a request: what it does with which path, its query,
// and the document that it brings.
type Request struct {
	Verb    Verb
	Target  Target
	Filters []Filter      // in order of first appearance
	Where   Expr          // the bare `filter=` expression, nil where there is none
	Sort    []SortKey     // in order
	SortOf  []RelatedSort // `sort[relationship]` parameters, in order of appearance
	Include *Include      // nil where the parameter is absent
	Fields  []Fieldset    // in order of appearance
	Page    []PageParam   // in order of appearance
	Params  []Param       // every parameter as it came, in order, for links
	Body    *Body         // of a request that writes, but for Delete; else nil
	// Match is the condition of If-Match (RFC 9110, 13.1.1); nil: none.
	Match *Match
	// Pointer is where an operation of several stands: `/atomic:operations/0`; ""
	// for a request of its own. The pointers of its body begin with it.
	Pointer string
}

// A Match is the condition of If-Match: the resource is as one of these entity
// tags says.
type Match struct {
	Any  bool     // `*`: the resource exists
	Rows []string // the part of each tag that is about the row (contract 5.11)
}

// Shape is the form of a path.
type Shape uint8

const (
	Collection   Shape = iota + 1 // /type
	Resource                      // /type/id
	Related                       // /type/id/relationship
	Relationship                  // /type/id/relationships/relationship
	Atomic                        // /operations, which has no type (contract 5.10)
)

// A Target is the path of a request below the endpoint, its parts unescaped.
type Target struct {
	Shape        Shape
	Type         string
	ID           string // as the client wrote it, percent-decoded once
	Relationship string
	// LID names the resource instead of ID: one that an earlier operation of the
	// same request creates. "": it is named by ID.
	LID string
}

// A Group says which family a parameter belongs to; links list parameters by
// group (contract 3.4).
type Group uint8

const (
	FilterGroup Group = iota
	SortGroup
	PageGroup
	IncludeGroup
	FieldsGroup
	OtherGroup // parameters of the host's own, see Options.Allow
)

// A Param is one query parameter, decoded.
type Param struct {
	Group Group
	Name  string // as the client sent it: `filter[author][name]`
	Value string
}

// A Filter is one bracket filter: `filter[author][name$contains]=Ann` has two
// selectors. Its value is unsplit.
type Filter struct {
	Parameter string     // the parameter's name, for error sources
	Path      []Selector // at least one
	Value     string
	// List holds the values of the repeated form `filter[x][]=1&filter[x][]=2`,
	// each as it came; nil for the plain form.
	List []string
}

// A Selector is one bracketed part of a filter: a name, and the operators that
// follow it: `comments$count$gt` has the name comments and two operators.
type Selector struct {
	Name      string
	Operators []string // without their `$`
}

// A SortKey is one element of `sort`: `-author.name`, `-comments$count`.
type SortKey struct {
	Path      []string
	Operators []string // after the last name, without their `$`
	Desc      bool
}

// A RelatedSort orders the members of an included relationship:
// `sort[comments.replies]=-createdAt`.
type RelatedSort struct {
	Parameter string   // the parameter's name, for error sources
	Path      []string // the include path
	Keys      []SortKey
}

// A PageParam is one page parameter: `page[limit]=5`, or, with the path of an
// included relationship, `page[comments.replies][limit]=5`.
type PageParam struct {
	Parameter string   // the parameter's name, for error sources
	Path      []string // the include path; nil for primary data
	Name      string   // limit, offset, size, number, after, before, total ...
	Value     string
}

// An Include is the `include` parameter; it has no paths where it is empty.
type Include struct {
	Paths [][]string
}

// A Fieldset is one `fields[type]=a,b` parameter.
type Fieldset struct {
	Parameter string
	Type      string
	Names     []string // empty where the value is empty
}

// Options say what passes.
type Options struct {
	// Allow lists further parameter names that are not ours and pass unread.
	Allow []string
}
