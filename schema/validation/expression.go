package validation

import (
	"regexp"
	"strings"
)

// A term is a part of an expression as Postgres prints it: with parentheses
// around every operation, and casts behind what they are of.
type term struct {
	form  form
	text  string   // of a name, its own; of a constant, its value; of an operation, the operator; of a call, the function
	parts []term   // operands, arguments or elements
	casts []string // from the inside out
}

type form uint8

const (
	name form = iota + 1
	text
	digits
	operation
	call
	array
	anyOf // = ANY (...)
	other // what no rule is made of
)

// parseExpression reads an expression, with the literals of
// standard_conforming_strings; false where it holds what makes no rules and is
// not skipped over.
func parseExpression(s string) (term, bool) {
	r := reader{rest: s}
	t := r.expression()
	r.blanks()
	return t, !r.failed && r.rest == ""
}

// A reader takes an expression from the front. Once it fails, it stays so.
type reader struct {
	rest   string
	failed bool
	depth  int
}

var (
	identifierText = regexp.MustCompile(`^(?:[a-z_][a-z0-9_$]*|"(?:[^"]|"")+")`)
	digitsText     = regexp.MustCompile(`^[0-9]+(?:\.[0-9]*)?`)
	stringText     = regexp.MustCompile(`^'(?:[^']|'')*'`)
	operatorText   = regexp.MustCompile(`^[-+*/<>=~!@#%^&|?]+`)
	// Of the types whose names have several words those that casts name here.
	typeText = regexp.MustCompile(`^(?:character varying|double precision|[a-z_][a-z0-9_]*|"(?:[^"]|"")+")(?:\.(?:[a-z_][a-z0-9_]*|"(?:[^"]|"")+"))?(?:\[\])*`)
)

func (r *reader) blanks() { r.rest = strings.TrimLeft(r.rest, " \n") }

// take takes a token if it is next.
func (r *reader) take(token string) bool {
	r.blanks()
	rest, ok := strings.CutPrefix(r.rest, token)
	if ok {
		r.rest = rest
	}
	return ok
}

// match takes what the pattern finds in front.
func (r *reader) match(pattern *regexp.Regexp) (string, bool) {
	r.blanks()
	found := pattern.FindString(r.rest)
	r.rest = r.rest[len(found):]
	return found, found != ""
}

func (r *reader) fail() term {
	r.failed = true
	return term{}
}

func (r *reader) expect(token string) {
	if !r.take(token) {
		r.failed = true
	}
}

// expression reads operands with one operator between them.
func (r *reader) expression() term {
	const deepest = 50
	if r.depth++; r.depth > deepest {
		return r.fail()
	}
	defer func() { r.depth-- }()
	t := r.operand()
	for !r.failed {
		if r.take("IS NOT NULL") || r.take("IS NULL") {
			t = term{form: other}
		}
		op := r.operator()
		switch {
		case op == "":
			return t
		case t.form == operation && t.text == op && (op == "AND" || op == "OR"):
			t.parts = append(t.parts, r.operand())
		default:
			t = term{form: operation, text: op, parts: []term{t, r.operand()}}
		}
	}
	return t
}

func (r *reader) operator() string {
	for _, word := range []string{"AND", "OR"} {
		if r.take(word + " ") {
			return word
		}
	}
	op, _ := r.match(operatorText)
	return op
}

func (r *reader) operand() term {
	t := r.bare()
	for !r.failed && r.take("::") {
		typ, ok := r.match(typeText)
		if !ok {
			return r.fail()
		}
		// A modifier, as in numeric(3,1), changes the value.
		if strings.HasPrefix(r.rest, "(") {
			return r.fail()
		}
		t.casts = append(t.casts, typ)
	}
	return t
}

func (r *reader) bare() term {
	switch {
	case r.take("("):
		t := r.expression()
		r.expect(")")
		return t
	case r.take("NOT "):
		r.operand()
		return term{form: other}
	case r.take("ANY ("):
		t := term{form: anyOf, parts: []term{r.expression()}}
		r.expect(")")
		return t
	case r.take("ARRAY["):
		return term{form: array, parts: r.list("]")}
	}
	if s, ok := r.match(stringText); ok {
		return term{form: text, text: strings.ReplaceAll(s[1:len(s)-1], "''", "'")}
	}
	if s, ok := r.match(digitsText); ok {
		return term{form: digits, text: s}
	}
	s, ok := r.match(identifierText)
	switch {
	case !ok || strings.HasPrefix(r.rest, "."):
		return r.fail() // a function or column of some schema or table
	case strings.HasPrefix(r.rest, "("):
		r.rest = r.rest[1:]
		return term{form: call, text: s, parts: r.list(")")}
	case s[0] == '"':
		s = strings.ReplaceAll(s[1:len(s)-1], `""`, `"`)
	}
	return term{form: name, text: s}
}

// list reads expressions between commas, up to the closing token.
func (r *reader) list(closing string) []term {
	var parts []term
	for !r.failed {
		parts = append(parts, r.expression())
		if r.take(closing) {
			return parts
		}
		r.expect(",")
	}
	return nil
}
