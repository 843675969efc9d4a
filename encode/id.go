package encode

import (
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// An idKey writes ids from the columns of a statement that make a resource's key.
type idKey struct {
	columns []idColumn
	divider string
	number  bool // the id is a JSON number
	plain   bool // its text stands in JSON strings and paths as it is
	short   bool // it is the number of one int4 in binary form
}

// An idColumn is one part of a key.
type idColumn struct {
	index  int          // in the row
	typ    *schema.Type // without domains
	format sqlgen.Format
}

// newIDKey returns the key that is in those columns. A single int2 or int4 makes
// numbers, all others strings (contract 6.3).
func newIDKey(st *sqlgen.Statement, columns []int, o *Options) idKey {
	k := idKey{divider: o.Divider}
	for _, c := range columns {
		k.columns = append(k.columns, idColumn{index: c, typ: st.Columns[c].Type.Base(), format: st.Columns[c].Format})
	}
	if len(columns) == 1 {
		k.number = k.columns[0].typ.NumericID() && !o.StringIDs
		k.plain = plainID(k.columns[0].typ.Kind)
		k.short = k.number && shortFormOf(k.columns[0].typ, k.columns[0].format) == shortInt4
	}
	return k
}

// plainID reports whether ids of the kind are digits, letters and dashes alone.
func plainID(k schema.Kind) bool {
	return k == schema.Int2 || k == schema.Int4 || k == schema.Int8 || k == schema.UUID
}

// append appends the id of a row as JSON. Where a part of the key is NULL, the
// error is errNoID.
func (k *idKey) append(dst []byte, rows *exec.Rows, row int) ([]byte, error) {
	if k.short {
		if raw := rows.Value(row, k.columns[0].index); len(raw) == 4 {
			return appendInt(dst, int64(int32(binary.BigEndian.Uint32(raw)))), nil
		}
	}
	if k.number {
		return k.appendText(dst, rows, row)
	}
	dst = append(dst, '"')
	mark := len(dst)
	dst, err := k.appendText(dst, rows, row)
	if err != nil {
		return dst, err
	}
	if !k.plain {
		dst = escapeFrom(dst, mark)
	}
	return append(dst, '"'), nil
}

// appendPath appends the id of a row as a segment of a path.
func (k *idKey) appendPath(dst []byte, rows *exec.Rows, row int) ([]byte, error) {
	mark := len(dst)
	dst, err := k.appendText(dst, rows, row)
	if err != nil || k.plain {
		return dst, err
	}
	return escapeSegmentFrom(dst, mark), nil
}

// appendText appends the id of a row as text (contract 1.5). The id of a single
// key is what its JSON form says; those of a compound key's parts are joined by
// the divider, and within a part `%` and every character that the divider has are
// percent-encoded: `%5F`. So the divider stands between parts only, also where
// it has several characters.
func (k *idKey) appendText(dst []byte, rows *exec.Rows, row int) ([]byte, error) {
	for i := range k.columns {
		c := &k.columns[i]
		raw := rows.Value(row, c.index)
		if raw == nil {
			return dst, errNoID
		}
		if i > 0 {
			dst = append(dst, k.divider...)
		}
		mark := len(dst)
		var err error
		if dst, err = appendPlain(dst, c.typ, c.format, raw); err != nil {
			return dst, err
		}
		if len(k.columns) > 1 {
			dst = encodePartFrom(dst, mark, k.divider)
		}
	}
	return dst, nil
}

var errNoID = errors.New("encode an id: a part of the key is NULL")

// encodePartFrom percent-encodes the part that dst has from mark on.
func encodePartFrom(dst []byte, mark int, divider string) []byte {
	end := len(dst)
	for i := mark; i < end; {
		r, size := utf8.DecodeRune(dst[i:end])
		if r == '%' || strings.ContainsRune(divider, r) {
			return encodePart(dst, mark, divider)
		}
		i += size
	}
	return dst
}

func encodePart(dst []byte, mark int, divider string) []byte {
	end := len(dst)
	for i := mark; i < end; {
		r, size := utf8.DecodeRune(dst[i:end])
		if r != '%' && !strings.ContainsRune(divider, r) {
			dst = append(dst, dst[i:i+size]...)
			i += size
			continue
		}
		for ; size > 0; size-- {
			dst = appendPercent(dst, dst[i])
			i++
		}
	}
	return moveDown(dst, mark, end)
}

// escapeSegmentFrom escapes what dst has from mark on as a segment of a path:
// what it makes of it is what url.PathEscape does.
func escapeSegmentFrom(dst []byte, mark int) []byte {
	end := len(dst)
	for i := mark; i < end; i++ {
		if !plainInSegment[dst[i]] {
			return escapeSegment(dst, mark)
		}
	}
	return dst
}

func escapeSegment(dst []byte, mark int) []byte {
	end := len(dst)
	for i := mark; i < end; i++ {
		if c := dst[i]; plainInSegment[c] {
			dst = append(dst, c)
		} else {
			dst = appendPercent(dst, c)
		}
	}
	return moveDown(dst, mark, end)
}

func appendPercent(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&15])
}

// plainInSegment has the bytes that stand in a segment of a path as they are.
var plainInSegment = func() (plain [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+:=@") {
		plain[c] = true
	}
	return plain
}()
