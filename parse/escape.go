package parse

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Encode writes parameters as the query of a URL, in the order given. Brackets
// in names are escaped, as links have them (contract 3.3); what a query may
// hold as it is and the parameters make use of stays readable: `,$.:@/!*'()~`.
// A blank is `%20`. Parsing the result gives the same names and values.
func Encode(params []Param) string {
	var room [512]byte // most queries fit; a longer one moves to the heap
	b := room[:0]
	for i, p := range params {
		if i > 0 {
			b = append(b, '&')
		}
		b = appendEscaped(b, p.Name)
		b = append(b, '=')
		b = appendEscaped(b, p.Value)
	}
	return string(b)
}

func appendEscaped(b []byte, text string) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(text) {
		if c := text[i]; readable[c] {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&0xf])
		}
	}
	return b
}

// readable are the bytes that stand in a query as they are.
var readable = func() (table [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~,$:@/!*'()") {
		table[c] = true
	}
	return table
}()

// queryUnescape decodes a name or a value of a query, where `+` is a blank. A
// fault is what is wrong with it, as the predicate of a sentence.
func queryUnescape(s string) (text, fault string) {
	if isPlain(s) {
		return s, ""
	}
	text, err := url.QueryUnescape(s)
	return checked(text, err)
}

// pathUnescape decodes a segment of a path, where `+` is itself.
func pathUnescape(s string) (text, fault string) {
	if isPlain(s) {
		return s, ""
	}
	text, err := url.PathUnescape(s)
	return checked(text, err)
}

// isPlain reports whether nothing in s is escaped and nothing is wrong, which is
// so of most names and values.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c == '%' || c == '+' || c == 0 || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func checked(text string, err error) (string, string) {
	switch {
	case err != nil:
		return "", "has a % without two hexadecimal digits after it; a percent sign is written %25"
	case !utf8.ValidString(text):
		return "", "is not UTF-8 when its percent escapes are decoded"
	case strings.ContainsRune(text, 0):
		return "", "holds a NUL character, which no text in the database can"
	}
	return text, ""
}

// printable returns the raw text of a URL in a form that JSON can hold.
func printable(raw string) string { return strings.ToValidUTF8(raw, "\uFFFD") }
