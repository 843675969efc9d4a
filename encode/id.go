package encode

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// An idColumn is one part of a resource's key: a column's type and format, and
// the value that one row has in it, which is not nil.
type idColumn struct {
	Type   *schema.Type
	Format sqlgen.Format
	Raw    []byte
}

// appendID appends an id as JSON: a number where the key is a single int2 or
// int4, otherwise a string (contract 6.3).
func appendID(dst []byte, cols []idColumn, divider string) ([]byte, error) {
	if len(cols) == 1 && cols[0].Type.NumericID() {
		return appendIDText(dst, cols, divider)
	}
	return appendIDString(dst, cols, divider)
}

// appendIDString appends an id as a JSON string whatever its type.
func appendIDString(dst []byte, cols []idColumn, divider string) ([]byte, error) {
	dst = append(dst, '"')
	mark := len(dst)
	dst, err := appendIDText(dst, cols, divider)
	if err != nil {
		return dst, err
	}
	return append(escapeFrom(dst, mark), '"'), nil
}

// appendIDText appends an id as text (contract 1.5). The id of a single key is
// what its JSON form says; those of a compound key's parts are joined by the
// divider, and within a part `%` and every character that the divider has are
// percent-encoded: `%5F`. So the divider stands between parts only, also where
// it has several characters.
func appendIDText(dst []byte, cols []idColumn, divider string) ([]byte, error) {
	for i, c := range cols {
		if c.Raw == nil {
			return dst, errors.New("encode an id: a part of the key is NULL")
		}
		if i > 0 {
			dst = append(dst, divider...)
		}
		mark := len(dst)
		var err error
		if dst, err = appendPlain(dst, c.Type, c.Format, c.Raw); err != nil {
			return dst, err
		}
		if len(cols) > 1 {
			dst = encodePartFrom(dst, mark, divider)
		}
	}
	return dst, nil
}

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
	const digits = "0123456789ABCDEF"
	end := len(dst)
	for i := mark; i < end; {
		r, size := utf8.DecodeRune(dst[i:end])
		if r != '%' && !strings.ContainsRune(divider, r) {
			dst = append(dst, dst[i:i+size]...)
			i += size
			continue
		}
		for ; size > 0; size-- {
			dst = append(dst, '%', digits[dst[i]>>4], digits[dst[i]&15])
			i++
		}
	}
	return moveDown(dst, mark, end)
}
