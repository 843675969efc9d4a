package parse

import "strings"

// String prints the call so that it parses to itself.
func (e *Call) String() string {
	var b strings.Builder
	b.WriteString(e.Name + "(")
	for i, arg := range e.Args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(arg.String())
	}
	b.WriteByte(')')
	return b.String()
}

// String prints the path.
func (e *Ref) String() string { return strings.Join(e.Path, ".") }

// String prints the literal, strings in quotes.
func (e *Lit) String() string {
	if e.Kind == StringLit {
		return "'" + strings.ReplaceAll(e.Text, "'", "''") + "'"
	}
	return e.Text
}
