package validation

import "testing"

func TestPlainPattern(t *testing.T) {
	for _, s := range []string{
		"a", "^a$", "^[a-z0-9]+(-[a-z0-9]+)*$", `^[A-Z]{2}\.[0-9]?$`, "^(a|bc)$", "[^a-z]", "^#[0-9a-f]{6}$", "^[^@ ]+@[^@ ]+$", "a{1,3}b{2,}", "[a-]",
	} {
		if !plainPattern(s) {
			t.Errorf("%s is not taken", s)
		}
	}
	for _, s := range []string{
		"", "^", "$", "^$", "a.c", `\d`, `\w+`, `\y`, `\m`, "[[:alpha:]]", "[[.a.]]", "(?i)a", "***:a", "a*?", "a++", "a|b", "(|a)", "(a|)", "()", "(a", "a)", "*a", "^*",
		"a^b", "a$b", "(^a)", "[z-a]", "[a", "a{2", "a{200}", "{2}", "ä", "\n", `\1`, `(a)\1`, `\x41`, "[]a]", "[a-z-9]", "[a\\]b]", "[+--]",
	} {
		if plainPattern(s) {
			t.Errorf("%s is taken", s)
		}
	}
}
