package encode

import "github.com/resourcery/resourcery/schema"

// An annotation names the type of a value that JSON cannot carry, as the
// `superjson` client library reads it (contract 6).
type annotation string

const (
	annotateDate    annotation = `["Date"]`
	annotateBigint  annotation = `["bigint"]`
	annotateNumber  annotation = `["number"]`
	annotateDecimal annotation = `[["custom","Decimal"]]`
	annotateBytes   annotation = `[["custom","Bytes"]]`
)

// annotations collects `meta.serialization.values` of one document: which path
// has which annotation, in order of appearance. The zero value is empty; nil
// takes everything and keeps nothing.
//
// The current path is kept as a stack: enter and enterIndex push a segment and
// return the mark that leave takes to drop it, and all after it, again.
//
// Paths are flat: superjson accepts nested trees too, but flat ones can be
// written while the document is. They are those of its format without a
// version: one backslash makes a dot part of a name (6.1), and stands for
// itself elsewhere.
type annotations struct {
	path   []byte // the current path, escaped as within a JSON string
	values []byte // the members so far, without the braces
}

// enter appends the member's name to the current path.
func (n *annotations) enter(member string) (mark int) {
	if n == nil {
		return 0
	}
	mark = n.separate()
	n.path = appendSegment(n.path, member)
	return mark
}

// appendSegment appends a member's name as paths have it.
func appendSegment(dst []byte, member string) []byte {
	start := 0
	for i := range len(member) {
		if member[i] == '.' {
			dst = appendEscaped(dst, []byte(member[start:i]))
			dst = append(dst, `\\.`...)
			start = i + 1
		}
	}
	return appendEscaped(dst, []byte(member[start:]))
}

// push appends segments, each with a dot before it, to the current path, which is
// not empty.
func (n *annotations) push(segments string) (mark int) {
	mark = len(n.path)
	n.path = append(n.path, segments...)
	return mark
}

// enterIndex appends the index of an array's element to the current path.
func (n *annotations) enterIndex(index int) (mark int) {
	if n == nil {
		return 0
	}
	mark = n.separate()
	n.path = appendInt(n.path, int64(index))
	return mark
}

func (n *annotations) separate() (mark int) {
	mark = len(n.path)
	if mark > 0 {
		n.path = append(n.path, '.')
	}
	return mark
}

// leave returns to the path that was current when mark was made.
func (n *annotations) leave(mark int) {
	if n != nil {
		n.path = n.path[:mark]
	}
}

// add annotates the value at the current path.
func (n *annotations) add(a annotation) {
	if n == nil {
		return
	}
	if len(n.values) > 0 {
		n.values = append(n.values, ',')
	}
	n.values = append(n.values, '"')
	n.values = append(n.values, n.path...)
	n.values = append(n.values, `":`...)
	n.values = append(n.values, a...)
}

// addAt adds what an annotation has after the current path.
func (n *annotations) addAt(rest string) {
	if len(n.values) > 0 {
		n.values = append(n.values, ',')
	}
	n.values = append(n.values, '"')
	n.values = append(n.values, n.path...)
	n.values = append(n.values, rest...)
}

// empty reports whether nothing was annotated; then there is no `serialization`.
func (n *annotations) empty() bool { return n == nil || len(n.values) == 0 }

// size is how many bytes the annotations are.
func (n *annotations) size() int {
	if n == nil {
		return 0
	}
	return len(n.values)
}

// appendTo appends the object of paths and annotations.
func (n *annotations) appendTo(dst []byte) []byte {
	dst = append(dst, '{')
	if n != nil {
		dst = append(dst, n.values...)
	}
	return append(dst, '}')
}

// reset empties n and keeps its memory.
func (n *annotations) reset() {
	n.path = n.path[:0]
	n.values = n.values[:0]
}

// complex reports whether values of the type can be annotated, so that the
// path to them has to be known. It looks at the type alone, so callers with
// many rows ask once per column.
func complex(t *schema.Type) bool {
	switch t = t.Base(); t.Kind {
	case schema.Int8, schema.Float4, schema.Float8, schema.Numeric,
		schema.Timestamptz, schema.Timestamp, schema.Bytea:
		return true
	case schema.Array:
		return complex(t.Elem)
	case schema.Composite:
		for _, m := range t.Members {
			if complex(m.Type) {
				return true
			}
		}
	}
	return false
}
