package parse_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/parse"
)

// Encode escapes what url.QueryEscape does, but for the characters that a query
// may hold and the parameters make use of.
func TestEncodeEscapes(t *testing.T) {
	literals := strings.NewReplacer(
		"+", "%20",
		"%2C", ",", "%24", "$", "%3A", ":", "%40", "@", "%2F", "/",
		"%21", "!", "%2A", "*", "%27", "'", "%28", "(", "%29", ")",
	)
	for c := range 256 {
		text := string([]byte{byte(c), 'a', byte(c), '%', '2', 'C'})
		want := literals.Replace(url.QueryEscape(text))
		if got := parse.Encode([]parse.Param{{Name: text, Value: text}, {Name: text}}); got != want+"="+want+"&"+want+"=" {
			t.Errorf("%q is encoded as %q, want %q", text, got, want)
		}
	}
}

// A query that is longer than most is not cut.
func TestEncodeLong(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	if got, want := parse.Encode([]parse.Param{{Name: "filter", Value: long}}), "filter="+strings.Repeat("%C3%A9", 10_000); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
