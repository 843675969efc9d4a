package encode

import (
	"encoding/binary"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// appendArray appends an array from its binary form: the number of dimensions,
// whether there are NULLs, the element type, each dimension's length and lower
// bound, the elements row by row. Lower bounds have no counterpart in JSON.
func appendArray(dst []byte, n *annotations, t *schema.Type, raw []byte) ([]byte, error) {
	if len(raw) < 12 {
		return dst, broken(t, raw)
	}
	dimensions := int(binary.BigEndian.Uint32(raw))
	if dimensions == 0 {
		return append(dst, "[]"...), nil
	}
	// Postgres has six dimensions at most.
	if dimensions > 6 || len(raw) < 12+8*dimensions {
		return dst, broken(t, raw)
	}
	a := array{typ: t, elem: t.Elem.Base(), dimensions: raw[12 : 12+8*dimensions], rest: raw[12+8*dimensions:]}
	if !a.plausible() {
		return dst, broken(t, raw)
	}
	if !complex(a.elem) {
		n = nil
	}
	dst, err := a.append(dst, n, 0)
	if err == nil && len(a.rest) > 0 {
		err = broken(t, raw)
	}
	return dst, err
}

// An array is what is left to write of one.
type array struct {
	typ        *schema.Type
	elem       *schema.Type
	dimensions []byte
	rest       []byte
}

// plausible reports whether the rest can hold as many elements as the
// dimensions say. None of these is empty in what Postgres sends.
func (a *array) plausible() bool {
	room := len(a.rest) / 4 // an element has its length at least
	for i := 0; i < len(a.dimensions); i += 8 {
		length := int(binary.BigEndian.Uint32(a.dimensions[i:]))
		if length == 0 {
			return false
		}
		room /= length
	}
	return room > 0
}

// append appends the next sub-array of that depth.
func (a *array) append(dst []byte, n *annotations, depth int) ([]byte, error) {
	length := int(binary.BigEndian.Uint32(a.dimensions[8*depth:]))
	innermost := 8*(depth+1) == len(a.dimensions)
	dst = append(dst, '[')
	for i := range length {
		if i > 0 {
			dst = append(dst, ',')
		}
		mark := n.enterIndex(i)
		var err error
		if innermost {
			dst, err = a.appendElement(dst, n)
		} else {
			dst, err = a.append(dst, n, depth+1)
		}
		if err != nil {
			return dst, err
		}
		n.leave(mark)
	}
	return append(dst, ']'), nil
}

func (a *array) appendElement(dst []byte, n *annotations) ([]byte, error) {
	value, rest, err := nextValue(a.typ, a.rest)
	if err != nil {
		return dst, err
	}
	a.rest = rest
	return appendValue(dst, n, a.elem, sqlgen.Binary, value)
}

// appendComposite appends a composite from its binary form: the number of
// members, then each one's type and value.
func appendComposite(dst []byte, n *annotations, t *schema.Type, raw []byte) ([]byte, error) {
	if len(raw) < 4 || int(binary.BigEndian.Uint32(raw)) != len(t.Members) {
		return dst, broken(t, raw)
	}
	rest := raw[4:]
	dst = append(dst, '{')
	for i, m := range t.Members {
		if len(rest) < 4 {
			return dst, broken(t, raw)
		}
		value, after, err := nextValue(t, rest[4:])
		if err != nil {
			return dst, err
		}
		rest = after
		dst = appendName(dst, t, i)
		mark := n.enter(m.Name)
		if dst, err = appendValue(dst, n, m.Type, sqlgen.Binary, value); err != nil {
			return dst, err
		}
		n.leave(mark)
	}
	if len(rest) > 0 {
		return dst, broken(t, raw)
	}
	return append(dst, '}'), nil
}

// appendName appends the name of a composite's i-th member and what separates
// it from the member before and from its value.
func appendName(dst []byte, t *schema.Type, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = appendEscaped(dst, []byte(t.Members[i].Name))
	return append(dst, `":`...)
}

// nextValue takes one value with its length off the binary form of a container
// of type t; nil is NULL.
func nextValue(t *schema.Type, raw []byte) (value, rest []byte, err error) {
	if len(raw) < 4 {
		return nil, nil, broken(t, raw)
	}
	length := int(int32(binary.BigEndian.Uint32(raw)))
	raw = raw[4:]
	if length == -1 {
		return nil, raw, nil
	}
	if length < 0 || length > len(raw) {
		return nil, nil, broken(t, raw)
	}
	return raw[:length:length], raw[length:], nil
}
