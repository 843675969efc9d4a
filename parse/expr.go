package parse

// An Expr is a node of a filter expression (contract 4.7). It is sealed: *Call,
// *Ref, *Lit. Offset is where the node starts in the parameter's decoded value,
// in bytes. String prints a node so that it parses to itself.
type Expr interface {
	expr()
	// Offset returns where the node starts in the parameter's decoded value.
	Offset() int
	String() string
}

// A Call is a name with arguments: `gt(viewCount,10)`. What names exist is not
// known here.
type Call struct {
	Name string
	Args []Expr
	At   int
}

// A Ref is a path of names: `author.name`.
type Ref struct {
	Path []string
	At   int
}

// A Lit is a literal.
type Lit struct {
	Kind LitKind
	Text string // a string unquoted; a number, true, false and null as written
	At   int
}

// A LitKind is the kind of a literal.
type LitKind uint8

// The kinds of literals.
const (
	StringLit LitKind = iota + 1
	NumberLit
	BoolLit
	NullLit
)

func (*Call) expr() {}
func (*Ref) expr()  {}
func (*Lit) expr()  {}

// Offset returns where the call starts.
func (e *Call) Offset() int { return e.At }

// Offset returns where the path starts.
func (e *Ref) Offset() int { return e.At }

// Offset returns where the literal starts.
func (e *Lit) Offset() int { return e.At }
