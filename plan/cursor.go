package plan

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// keysetWindow resolves pages that follow cursors (contract 4.11, and
// https://jsonapi.org/profiles/ethanresnick/cursor-pagination/).
func (b *builder) keysetWindow(q *Query, own ownPage) Window {
	w := Window{Limit: max(b.options.PageSize, 0), Offset: NoSlot, Keyset: &Keyset{}}
	if own.after != nil && own.before != nil && w.Limit > 0 {
		w.Limit = b.options.MaxPageSize // of ranges the profile wants the largest
	}
	if own.size.right {
		w.Limit = b.size(own.size)
	}
	if own.after != nil {
		w.Keyset.After = b.cursor(q, *own.after)
	}
	if own.before != nil {
		w.Keyset.Before = b.cursor(q, *own.before)
	}
	w.More = w.Limit > 0
	return w
}

// size is page[size] under cursors, where it is refused rather than trimmed.
func (b *builder) size(p counted) int {
	if b.options.PageSize != Unlimited && p.n > int64(b.options.MaxPageSize) {
		b.refuse(sizeTooLarge(*p.param, b.options.MaxPageSize))
	}
	return b.trim(p.n)
}

// cursor resolves a cursor of the request: one of this type and this sort, with
// a value for each sort key. The empty one has no parts.
func (b *builder) cursor(q *Query, p parse.PageParam) *Cursor {
	at := jsonapi.Parameter(p.Parameter)
	c := &Cursor{Text: b.slot(p.Value, at)}
	if p.Value == "" || len(q.Order) == 0 { // the order has been refused
		return c
	}
	texts, ok := b.open(q, p)
	if !ok {
		return c
	}
	for i, o := range q.Order {
		if texts[i] == nil {
			c.Parts = append(c.Parts, CursorPart{Slot: NoSlot, Null: true})
			continue
		}
		value, err := partValue(o.Term.Type(), string(texts[i]))
		if err != nil {
			b.refuse(badCursorPart(p, o, err))
			return c
		}
		c.Parts = append(c.Parts, CursorPart{Slot: b.slot(value, at)})
	}
	return c
}

// partValue checks a part of a cursor as a value of its sort key's type. Arrays
// and composites, which no filter compares whole, are left to Postgres, and
// the empty value is one of bytea too.
func partValue(t *schema.Type, text string) (any, error) {
	switch base := t.Base(); {
	case base.Kind == schema.Array, base.Kind == schema.Composite:
		return plainText(text)
	case base.Kind == schema.Bytea && text == "":
		return []byte{}, nil
	default:
		return literal(base, text)
	}
}

// cursorVersion is the first byte of every cursor, so that others can be made
// one day and these told apart.
const cursorVersion = 1

// AppendCursor appends the cursor that falls on a row: in the alphabet of URLs,
// the version, a mark of the type and the sort, and each sort key's value. parts
// are these values as text, in the order of q.Order; nil is NULL.
func (q *Query) AppendCursor(dst []byte, parts [][]byte) []byte {
	raw := binary.BigEndian.AppendUint32([]byte{cursorVersion}, q.cursorMark())
	for _, part := range parts {
		if part == nil {
			raw = append(raw, 0)
			continue
		}
		raw = binary.AppendUvarint(raw, uint64(len(part))+1)
		raw = append(raw, part...)
	}
	return base64.RawURLEncoding.AppendEncode(dst, raw)
}

// open takes a cursor apart.
func (b *builder) open(q *Query, p parse.PageParam) ([][]byte, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(p.Value)
	// The decoder skips line breaks; links repeat the cursor as it came.
	if err != nil || strings.ContainsAny(p.Value, "\r\n") || len(raw) < 5 || raw[0] != cursorVersion {
		b.refuse(noCursor(p))
		return nil, false
	}
	if binary.BigEndian.Uint32(raw[1:]) != q.cursorMark() {
		b.refuse(foreignCursor(p))
		return nil, false
	}
	parts, ok := splitParts(raw[5:], len(q.Order))
	if !ok {
		b.refuse(noCursor(p))
	}
	return parts, ok
}

// splitParts reads n parts, each a length and as many bytes; 0 is NULL, so a
// length is one more than it says.
func splitParts(raw []byte, n int) ([][]byte, bool) {
	parts := make([][]byte, n)
	for i := range parts {
		length, used := binary.Uvarint(raw)
		if used <= 0 || length > uint64(len(raw)-used)+1 {
			return nil, false
		}
		raw = raw[used:]
		if length > 0 {
			parts[i], raw = raw[:length-1:length-1], raw[length-1:]
		}
	}
	return parts, len(raw) == 0
}

// cursorMark tells cursors of different types and sorts apart. What the caller
// may see does not matter to it.
func (q *Query) cursorMark() uint32 {
	h := fnv.New32a()
	text := func(s string) {
		_, _ = h.Write(append([]byte(s), 0))
	}
	text(q.Model.Type)
	for _, o := range q.Order {
		text(orderText(o))
	}
	return h.Sum32()
}
