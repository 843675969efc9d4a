package encode

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// Strings of odd and plain bytes in every order read back as they were, but for
// what is no UTF-8.
func TestAppendString(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "bc", "plain text of some length, as most are", `"`, `\`, "\x00", "\x1f", " ", "\x7f", "é", "\u2028", "😀", "\x80", "\xff", "\xc3", "!", "#", "[", "]"}
	for range 20_000 {
		var s string
		for range random.IntN(12) {
			s += parts[random.IntN(len(parts))]
		}
		got := appendString([]byte("x"), []byte(s))
		var back string
		if err := json.Unmarshal(got[1:], &back); err != nil {
			t.Fatalf("%q: %v: %s", s, err, got)
		}
		if back != asUTF8(s) {
			t.Fatalf("%q reads back as %q", s, back)
		}
		if want := slowly(s); string(got[1:]) != want {
			t.Fatalf("%q: got %s, want %s", s, got[1:], want)
		}
	}
}

// asUTF8 has U+FFFD for each byte that is no UTF-8.
func asUTF8(s string) string { return string([]rune(s)) }

// slowly is the same character by character.
func slowly(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r < ' ' || r == '"' || r == '\\' {
			b.Write(appendEscape(nil, byte(r)))
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func BenchmarkAppendString(b *testing.B) {
	for _, bench := range []struct{ name, line string }{
		{"latin", "A text of some length, with \"quotes\" in it and a few grüße.\n"},
		{"cyrillic", "Текст некоторой длины, и в нём «кавычки».\n"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			text := []byte(strings.Repeat(bench.line, 20))
			dst := make([]byte, 0, 2*len(text))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				appendString(dst, text)
			}
		})
	}
}
