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
	var b strings.Builder
	for i, p := range params {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(escape(p.Name))
		b.WriteByte('=')
		b.WriteString(escape(p.Value))
	}
	return b.String()
}

func escape(s string) string { return literals.Replace(url.QueryEscape(s)) }

// literals takes back what url.QueryEscape escapes without need. A `%` of the
// text is `%25` by then, so no escape arises from it.
var literals = strings.NewReplacer(
	"+", "%20",
	"%2C", ",", "%24", "$", "%3A", ":", "%40", "@", "%2F", "/",
	"%21", "!", "%2A", "*", "%27", "'", "%28", "(", "%29", ")",
)

// queryUnescape decodes a name or a value of a query, where `+` is a blank. A
// fault is what is wrong with it, as the predicate of a sentence.
func queryUnescape(s string) (text, fault string) {
	text, err := url.QueryUnescape(s)
	return checked(text, err)
}

// pathUnescape decodes a segment of a path, where `+` is itself.
func pathUnescape(s string) (text, fault string) {
	text, err := url.PathUnescape(s)
	return checked(text, err)
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
