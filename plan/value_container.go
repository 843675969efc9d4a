package plan

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// maxDimensions is how many an array of Postgres's may have.
const maxDimensions = 6

// An arrayShape is what the part of an array that has been read says of the
// rest: arrays of more than one dimension are rectangular.
type arrayShape struct {
	typ        *schema.Type
	elem       *schema.Type // beneath domains
	divider    byte
	depth      int                // of the array that is being read, in the whole; from 0
	dimensions int                // 0: not known yet; the first element tells
	lengths    [maxDimensions]int // by depth; 0: not known yet
}

// flat reports whether elements may be JSON arrays themselves: the array has
// one dimension then, as nothing tells its own from theirs.
func (a *arrayShape) flat() bool {
	k := a.elem.Kind
	return k == schema.JSON || k == schema.JSONB || k == schema.Array
}

// appendArray appends an array, as in `{{1,2},{3,NULL}}`.
// https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
func (c *conversion) appendArray(dst []byte, t *schema.Type, v jsontext.Value, notes []parse.Note) []byte {
	if v.Kind() != jsontext.KindBeginArray {
		c.checkNotes(t, v, notes)
		c.refuseKind(t, v)
		return dst
	}
	elem := t.Elem.Base()
	return c.appendDimension(dst, &arrayShape{typ: t, elem: elem, divider: elem.Delimiter()}, v, notes)
}

// appendDimension appends an array, whole or one of those in it.
func (c *conversion) appendDimension(dst []byte, a *arrayShape, v jsontext.Value, notes []parse.Note) []byte {
	c.checkNotes(a.typ, v, notes)
	dst = append(dst, '{')
	n := 0
	for u := contents(v); u.more() && !c.full(); n++ {
		if n > 0 {
			dst = append(dst, a.divider)
		}
		below := belowIndex(notes, len(c.steps), n)
		c.enterIndex(n)
		dst = c.appendItem(dst, a, u.value(), below)
		c.leave()
	}
	if a.depth > 0 {
		c.checkLength(a, n)
	}
	return append(dst, '}')
}

// checkLength compares the length of an inner array with those before it of the
// same depth. Empty ones exist alone: `{{}}` is the empty array of no dimension
// to some versions of Postgres, and an error to others.
func (c *conversion) checkLength(a *arrayShape, n int) {
	switch want := &a.lengths[a.depth]; {
	case n == 0:
		c.refuseEmpty()
	case *want == 0:
		*want = n
	case *want != n:
		c.refuseLength(n, *want)
	}
}

// appendItem appends what stands in an array: an element or another array.
func (c *conversion) appendItem(dst []byte, a *arrayShape, v jsontext.Value, notes []parse.Note) []byte {
	inner := v.Kind() == jsontext.KindBeginArray && !a.flat()
	if !inner && a.dimensions == 0 {
		a.dimensions = a.depth + 1
	}
	switch {
	case inner && a.depth+1 == maxDimensions:
		c.refuseDepth()
		return dst
	case inner && a.dimensions == a.depth+1:
		c.refuseInner()
		return dst
	case inner:
		a.depth++
		dst = c.appendDimension(dst, a, v, notes)
		a.depth--
		return dst
	case a.dimensions > a.depth+1:
		c.refuseOuter()
		return dst
	case v.Kind() == jsontext.KindNull:
		return append(dst, "NULL"...)
	}
	return c.appendQuoted(dst, a.elem, v, notes)
}

// appendComposite appends a composite, as in `(1,"a",)`: a member that is not
// given is NULL.
// https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX
func (c *conversion) appendComposite(dst []byte, t *schema.Type, v jsontext.Value, notes []parse.Note) []byte {
	c.checkNotes(t, v, notes)
	if v.Kind() != jsontext.KindBeginObject {
		c.refuseKind(t, v)
		return dst
	}
	values := c.members(t, v)
	dst = append(dst, '(')
	for i, m := range t.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if values[i] == nil || values[i].Kind() == jsontext.KindNull || c.full() {
			continue
		}
		below := belowName(notes, len(c.steps), m.Name)
		c.enterMember(m.Name)
		dst = c.appendQuoted(dst, m.Type.Base(), values[i], below)
		c.leave()
	}
	return append(dst, ')')
}

// members returns the values of an object's members in the order in which the
// type has them, nil for those that are not given.
func (c *conversion) members(t *schema.Type, v jsontext.Value) []jsontext.Value {
	values := make([]jsontext.Value, len(t.Members))
	for u := contents(v); u.more() && !c.full(); {
		name, value := u.member()
		if i := memberIndex(t, name); i >= 0 {
			values[i] = value
		} else {
			c.refuseMember(t, string(name))
		}
	}
	return values
}

func memberIndex(t *schema.Type, name []byte) int {
	for i := range t.Members {
		if t.Members[i].Name == string(name) {
			return i
		}
	}
	return -1
}

// appendQuoted appends a value that is not null as a part of an array or a
// composite, in quotes but for the kinds whose text never needs them.
func (c *conversion) appendQuoted(dst []byte, t *schema.Type, v jsontext.Value, notes []parse.Note) []byte {
	start := len(dst)
	dst = c.append(dst, t, v, notes)
	switch t.Kind {
	case schema.Bool, schema.Int2, schema.Int4, schema.Int8, schema.Float4, schema.Float8, schema.Numeric, schema.UUID:
		return dst
	}
	return quoteFrom(dst, start)
}

// quoteFrom puts what dst has from start on into quotes. Arrays and composites
// read a backslash alike.
func quoteFrom(dst []byte, start int) []byte {
	end, more := len(dst), 2
	for _, b := range dst[start:] {
		if b == '"' || b == '\\' {
			more++
		}
	}
	dst = append(dst, make([]byte, more)...)
	// From the end, so that nothing is written over before it was moved.
	to := len(dst) - 1
	dst[to] = '"'
	for from := end - 1; from >= start; from-- {
		to--
		dst[to] = dst[from]
		if dst[from] == '"' || dst[from] == '\\' {
			to--
			dst[to] = '\\'
		}
	}
	dst[start] = '"'
	return dst
}
