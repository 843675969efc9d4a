package plan

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// An unread is what is left to read of a JSON array or object. What it was made
// from is valid, so there are no errors.
type unread struct{ rest []byte }

// contents returns what stands between the brackets.
func contents(v jsontext.Value) unread { return unread{v[1 : len(v)-1]} }

// more reports whether there is another element or member, and goes to it.
func (u *unread) more() bool {
	u.skip(',')
	return len(u.rest) > 0
}

// value takes the next value.
func (u *unread) value() jsontext.Value {
	n := valueLength(u.rest)
	v := u.rest[:n:n]
	u.rest = u.rest[n:]
	return v
}

// member takes the next member. The name may share memory with what is read.
func (u *unread) member() (name []byte, v jsontext.Value) {
	name = unquoted(u.value())
	u.skip(':')
	return name, u.value()
}

// skip passes over blanks and the one mark.
func (u *unread) skip(mark byte) {
	for i, c := range u.rest {
		if c != mark && c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			u.rest = u.rest[i:]
			return
		}
	}
	u.rest = nil
}

// valueLength returns the length of the value that s begins with.
func valueLength(s []byte) int {
	switch s[0] {
	case '"':
		return stringLength(s)
	case '[', '{':
		return containerLength(s)
	}
	if i := bytes.IndexAny(s, ",]} \t\r\n"); i >= 0 {
		return i
	}
	return len(s)
}

func stringLength(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

func containerLength(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			i += stringLength(s[i:]) - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
