package check

import "strings"

// A word is one token of an expression.
type word struct {
	text       string
	start, end int  // in the expression, in bytes
	name       bool // an identifier or a keyword
}

// keyword reports whether the word is one: Postgres prints them in capitals, but
// for true and false, and quotes names that have some.
func (w word) keyword() bool {
	return w.name && w.text[0] != '"' && (strings.ToUpper(w.text) == w.text || w.text == "true" || w.text == "false")
}

// names reports whether the word is a name as the catalogue has it.
func (w word) names(name string) bool {
	if !w.name {
		return false
	}
	if w.text[0] != '"' {
		return w.text == name
	}
	return strings.ReplaceAll(w.text[1:len(w.text)-1], `""`, `"`) == name
}

// scan cuts an expression into its words. Text that is quoted is one.
func scan(text string) []word {
	var words []word
	for i := 0; i < len(text); {
		start, name := i, false
		switch c := text[i]; {
		case c == ' ' || c == '\n' || c == '\t':
			i++
			continue
		case c == '\'':
			i = afterQuote(text, i)
		case c == '"':
			i, name = afterQuote(text, i), true
		case (c == 'E' || c == 'B' || c == 'X') && strings.HasPrefix(text[i+1:], "'"):
			i = afterQuote(text, i+1)
		case letter(c):
			for i++; i < len(text) && (letter(text[i]) || digit(text[i]) || text[i] == '$'); i++ {
			}
			name = true
		case digit(c):
			for i++; i < len(text) && (letter(text[i]) || digit(text[i]) || text[i] == '.'); i++ {
			}
		case strings.HasPrefix(text[i:], "::"):
			i += 2
		default:
			i++
		}
		words = append(words, word{text: text[start:i], start: start, end: i, name: name})
	}
	return words
}

// afterQuote returns where the text that is quoted at a place ends. Quotes in it
// are doubled; Postgres prints backslashes by E” alone, and doubles them too.
func afterQuote(text string, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 < len(text) && text[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
