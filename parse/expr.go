package parse

// An Expr is a node of a filter expression (contract 4.7). It is sealed: *Call,
// *Ref, *Lit. String prints a node so that it parses to itself.
type Expr interface {
	expr()
	// Offset returns where the node starts in the parameter's decoded value,
	// in characters (code points) from 0.
	Offset() int
	String() string
}

// A Call is a name with arguments: `gt(viewCount,10)`. What names exist is not
// known here.
type Call struct {
	Name string
	Args []Expr // none in `and()`
	At   int
}

// A Ref is a path of names: `author.name`. The first name is no numeral, as
// `2024` is a number, and true, false and null alone are literals.
type Ref struct {
	Path []string // at least one
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
