package encode

import (
	"bytes"
	"strings"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// This file reads containers in text form. They come in it where they hold a
// type whose binary form is its own affair (inet, tsvector); whatever is in
// them then comes in text form as well.

// appendArrayLiteral appends an array from its text form: nested braces, behind
// the lower bounds where these are not 1.
func appendArrayLiteral(dst []byte, n *annotations, t *schema.Type, raw []byte) ([]byte, error) {
	s := raw
	if len(s) > 0 && s[0] == '[' {
		_, s, _ = bytes.Cut(s, []byte("="))
	}
	if !complex(t.Elem) {
		n = nil
	}
	a := arrayLiteral{elem: t.Elem, divider: t.Elem.Delimiter(), rest: s}
	dst, err := a.append(dst, n)
	if err == nil && len(a.rest) > 0 {
		err = broken(t, raw)
	}
	return dst, err
}

// An arrayLiteral is what is left to read of one.
type arrayLiteral struct {
	elem    *schema.Type
	divider byte
	rest    []byte
}

// append appends the array or sub-array that begins here.
func (a *arrayLiteral) append(dst []byte, n *annotations) ([]byte, error) {
	if !a.skip('{') {
		return dst, broken(a.elem, a.rest)
	}
	dst = append(dst, '[')
	if a.skip('}') {
		return append(dst, ']'), nil
	}
	for i := 0; ; i++ {
		mark := n.enterIndex(i)
		var err error
		if len(a.rest) > 0 && a.rest[0] == '{' {
			dst, err = a.append(dst, n)
		} else {
			dst, err = a.appendElement(dst, n)
		}
		if err != nil {
			return dst, err
		}
		n.leave(mark)
		if a.skip('}') {
			return append(dst, ']'), nil
		}
		if !a.skip(a.divider) {
			return dst, broken(a.elem, a.rest)
		}
		dst = append(dst, ',')
	}
}

// skip takes c off the rest where it is next.
func (a *arrayLiteral) skip(c byte) bool {
	if len(a.rest) == 0 || a.rest[0] != c {
		return false
	}
	a.rest = a.rest[1:]
	return true
}

func (a *arrayLiteral) appendElement(dst []byte, n *annotations) ([]byte, error) {
	if !a.skip('"') {
		i := bytes.IndexAny(a.rest, string([]byte{a.divider, '}'}))
		if i < 0 {
			return dst, broken(a.elem, a.rest)
		}
		value := a.rest[:i]
		a.rest = a.rest[i:]
		if string(value) == "NULL" {
			value = nil
		}
		return appendValue(dst, n, a.elem, sqlgen.Text, value)
	}
	value := []byte{}
	for i := 0; i < len(a.rest); i++ {
		switch c := a.rest[i]; {
		case c == '"':
			a.rest = a.rest[i+1:]
			return appendValue(dst, n, a.elem, sqlgen.Text, value)
		case c == '\\' && i+1 < len(a.rest):
			i++
			value = append(value, a.rest[i])
		default:
			value = append(value, c)
		}
	}
	return dst, broken(a.elem, a.rest)
}

// appendRecordLiteral appends a composite from its text form: a member that is
// absent between two commas is NULL.
func appendRecordLiteral(dst []byte, n *annotations, t *schema.Type, raw []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(raw, []byte("("))
	if !ok {
		return dst, broken(t, raw)
	}
	dst = append(dst, '{')
	for i, m := range t.Members {
		var value []byte
		var end byte
		value, end, rest, ok = nextPart(rest, ",)")
		if !ok || (end == ',') != (i+1 < len(t.Members)) {
			return dst, broken(t, raw)
		}
		dst = appendName(dst, t, i)
		mark := n.enter(m.Name)
		var err error
		if dst, err = appendValue(dst, n, m.Type, sqlgen.Text, value); err != nil {
			return dst, err
		}
		n.leave(mark)
	}
	if len(t.Members) == 0 {
		rest, ok = bytes.CutPrefix(rest, []byte(")"))
	}
	if !ok || len(rest) > 0 {
		return dst, broken(t, raw)
	}
	return append(dst, '}'), nil
}

// appendRangeLiteral appends a range of timestamptz from its text form, its
// bounds turned to UTC.
func appendRangeLiteral(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	if string(raw) == "empty" {
		return append(dst, raw...), nil
	}
	dst, rest, err := appendNextRange(dst, t, raw)
	if err == nil && len(rest) > 0 {
		err = broken(t, raw)
	}
	return dst, err
}

// appendMultirangeLiteral does the same for a multirange: ranges between braces.
func appendMultirangeLiteral(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(raw, []byte("{"))
	if !ok {
		return dst, broken(t, raw)
	}
	dst = append(dst, '{')
	for first := true; string(rest) != "}"; first = false {
		if !first {
			if rest, ok = bytes.CutPrefix(rest, []byte(",")); !ok {
				return dst, broken(t, raw)
			}
			dst = append(dst, ',')
		}
		var err error
		if dst, rest, err = appendNextRange(dst, t, rest); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendNextRange appends the range of timestamptz with which the text begins.
func appendNextRange(dst []byte, t *schema.Type, s []byte) (_, rest []byte, err error) {
	if len(s) == 0 || s[0] != '[' && s[0] != '(' {
		return dst, nil, broken(t, s)
	}
	dst = append(dst, s[0])
	rest = s[1:]
	for _, ends := range [...]string{",", "])"} {
		value, end, after, ok := nextPart(rest, ends)
		if !ok {
			return dst, nil, broken(t, s)
		}
		rest = after
		if value != nil {
			mark := len(dst)
			if dst, err = appendBoundLiteral(dst, t.Elem.Base(), value); err != nil {
				return dst, nil, err
			}
			dst = quoteBoundFrom(dst, mark)
		}
		dst = append(dst, end)
	}
	return dst, rest, nil
}

// appendBoundLiteral appends a timestamptz, or a range over these, from its
// text form.
func appendBoundLiteral(dst []byte, t *schema.Type, s []byte) ([]byte, error) {
	if t.Kind == schema.Range {
		return appendRange(dst, t, sqlgen.Text, s)
	}
	v, err := instantOf(t, sqlgen.Text, s)
	if err != nil {
		return dst, err
	}
	return appendPostgresInstant(dst, t, v), nil
}

// nextPart takes a composite's member or a range's bound off the text form, with
// the one of ends that follows it; nil is an absent one. In both, a quote
// within quotes is doubled and a backslash makes the next byte literal.
func nextPart(s []byte, ends string) (value []byte, end byte, rest []byte, ok bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			value = append(value, s[i])
		case c == '"' && quoted && i+1 < len(s) && s[i+1] == '"':
			i++
			value = append(value, '"')
		case c == '"':
			quoted = !quoted
			if value == nil {
				value = []byte{}
			}
		case !quoted && strings.IndexByte(ends, c) >= 0:
			return value, c, s[i+1:], true
		default:
			value = append(value, c)
		}
	}
	return nil, 0, nil, false
}
