package encode

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// appendString appends s as a JSON string.
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	dst = appendEscaped(dst, s)
	return append(dst, '"')
}

// appendEscaped appends s as it stands within a JSON string. Only what JSON
// requires is escaped; invalid UTF-8 becomes U+FFFD.
func appendEscaped(dst, s []byte) []byte {
	start := 0
	for i := plainBytes(s); i < len(s); i += plainBytes(s[i:]) {
		if c := s[i]; c < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		// In most scripts, a letter that is not ASCII stands before another one.
		for i < len(s) && s[i] >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, "\uFFFD"...)
				start = i + 1
			}
			i += size
		}
	}
	return append(dst, s[start:]...)
}

// plainBytes returns how many bytes s begins with that stand in a JSON string as
// they are, each for a character. It looks at eight of them at a time.
func plainBytes(s []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		v := binary.LittleEndian.Uint64(s[i:])
		// The highest bit of each byte is set where the byte is not ASCII, and where
		// taking off a space, or 1 once it is a quote or a backslash no more, has to
		// borrow. A byte that borrows from the next one is no plain one itself, so that
		// the lowest bit set is right.
		odd := (v | (v - ' '*ones) | ((v ^ '"'*ones) - ones) | ((v ^ '\\'*ones) - ones)) & highs
		if odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
	}
	for i < len(s) && plainInString[s[i]] {
		i++
	}
	return i
}

// plainInString has the bytes that stand in a JSON string as they are.
var plainInString = func() (plain [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

// escapeFrom escapes what dst has from mark on as appendEscaped does.
func escapeFrom(dst []byte, mark int) []byte {
	end := len(dst)
	return moveDown(appendEscaped(dst, dst[mark:end]), mark, end)
}

// moveDown puts what dst has from end on in the place of what it has from mark on.
func moveDown(dst []byte, mark, end int) []byte {
	return dst[:mark+copy(dst[mark:], dst[end:])]
}
