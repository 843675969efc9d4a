package parse

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// deepest bounds how deep calls nest, whatever the length of a URL may be.
const deepest = 100

// An exprReader reads one expression from its text, character by character.
// After the first fault it is of no further use.
type exprReader struct {
	text  []rune
	at    int
	calls []openCall // what is being read, outermost first
}

// An openCall is a call whose arguments are being read.
type openCall struct {
	name        string
	parenthesis int // where its ( stands
}

// expression reads the decoded value of the bare `filter=` (contract 4.7).
// Blanks, tabs and line breaks may stand between tokens.
func expression(value string) (Expr, *exprFault) {
	r := exprReader{text: []rune(value)}
	if r.skipBlanks(); r.ended() {
		return nil, emptyExpression()
	}
	e, fault := r.argument()
	if fault != nil {
		return nil, fault
	}
	if _, ok := e.(*Call); !ok {
		return nil, notACall(e)
	}
	if r.skipBlanks(); !r.ended() {
		return nil, r.textAfterEnd()
	}
	return e, nil
}

// argument reads a call, a path or a literal. No blank stands before it.
func (r *exprReader) argument() (Expr, *exprFault) {
	switch c := r.peek(); {
	case c == '\'':
		return r.quoted()
	case !nameRune(c):
		return nil, r.noArgument()
	}
	switch lit, fault := r.number(); {
	case fault != nil:
		return nil, fault
	case lit != nil:
		return lit, nil
	}
	return r.named()
}

// quoted reads a string; a quote inside is doubled.
func (r *exprReader) quoted() (Expr, *exprFault) {
	start := r.at
	var text []rune
	for r.at++; !r.ended(); r.at++ {
		if r.peek() == '\'' {
			if r.at++; r.peek() != '\'' {
				return &Lit{Kind: StringLit, Text: string(text), At: start}, nil
			}
		}
		text = append(text, r.text[r.at])
	}
	return nil, unclosedString(start)
}

// number reads a number; without a fault and without a literal there is none. A
// name may start with a digit, but one that reads as a number is none: `2fa` is
// a name, and `2024` is not.
func (r *exprReader) number() (*Lit, *exprFault) {
	word := r.word()
	first, _, _ := strings.Cut(word, ".")
	switch {
	case numeral.MatchString(word):
		lit := &Lit{Kind: NumberLit, Text: word, At: r.at}
		r.at += len(word)
		return lit, nil
	case strings.HasPrefix(word, "-") || numeral.MatchString(first):
		return nil, badNumber(r.at, word)
	default:
		return nil, nil
	}
}

var numeral = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// word returns the text, up to a blank, that a number or a path may consist of:
// `1.5e+3`, `author.name`.
func (r *exprReader) word() string {
	end := r.at
	for ; end < len(r.text); end++ {
		c := r.text[end]
		signed := c == '+' && end > r.at && (r.text[end-1] == 'e' || r.text[end-1] == 'E')
		if !nameRune(c) && c != '.' && !signed {
			break
		}
	}
	return string(r.text[r.at:end])
}

// named reads what starts with a name: a call, a path, true, false or null.
func (r *exprReader) named() (Expr, *exprFault) {
	start := r.at
	path := []string{r.name()}
	for r.skipBlanks(); r.peek() == '.'; r.skipBlanks() {
		r.at++
		if r.skipBlanks(); !nameRune(r.peek()) {
			return nil, r.noNameAfterDot()
		}
		path = append(path, r.name())
	}
	switch {
	case r.peek() == '(' && len(path) > 1:
		return nil, r.callOfPath(path)
	case r.peek() == '(':
		return r.call(path[0], start)
	case len(path) > 1:
		return &Ref{Path: path, At: start}, nil
	}
	switch path[0] {
	case "true", "false":
		return &Lit{Kind: BoolLit, Text: path[0], At: start}, nil
	case "null":
		return &Lit{Kind: NullLit, Text: path[0], At: start}, nil
	default:
		return &Ref{Path: path, At: start}, nil
	}
}

func (r *exprReader) name() string {
	start := r.at
	for nameRune(r.peek()) {
		r.at++
	}
	return string(r.text[start:r.at])
}

// call reads the arguments of a call, from its parenthesis on.
func (r *exprReader) call(name string, start int) (Expr, *exprFault) {
	if len(r.calls) == deepest {
		return nil, tooDeep(start)
	}
	r.calls = append(r.calls, openCall{name, r.at})
	args, fault := r.arguments()
	if fault != nil {
		return nil, fault
	}
	r.calls = r.calls[:len(r.calls)-1]
	return &Call{Name: name, Args: args, At: start}, nil
}

// arguments reads from behind the one parenthesis to behind the other.
func (r *exprReader) arguments() (args []Expr, fault *exprFault) {
	r.at++
	if r.skipBlanks(); r.peek() == ')' {
		r.at++
		return nil, nil
	}
	for {
		arg, fault := r.argument()
		if fault != nil {
			return nil, fault
		}
		args = append(args, arg)
		end := r.at
		switch r.skipBlanks(); r.peek() {
		case ',':
			r.at++
			r.skipBlanks()
		case ')':
			r.at++
			return args, nil
		default:
			return nil, r.noComma(arg, end)
		}
	}
}

func (r *exprReader) ended() bool { return r.at == len(r.text) }

// peek returns the character that comes next, 0 at the end: a parameter holds
// no NUL.
func (r *exprReader) peek() rune {
	if r.ended() {
		return 0
	}
	return r.text[r.at]
}

func (r *exprReader) skipBlanks() {
	for c := r.peek(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = r.peek() {
		r.at++
	}
}

// nameRune reports whether a name may hold c: letters, digits, `_`, `-`, and
// beyond ASCII everything that can be seen, as in member names
// (https://jsonapi.org/format/1.1/#document-member-names).
func nameRune(c rune) bool {
	switch {
	case c < utf8.RuneSelf:
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
	case c == utf8.RuneError:
		return false
	default:
		return unicode.IsGraphic(c) && !unicode.IsSpace(c)
	}
}
