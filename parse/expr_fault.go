package parse

import "fmt"

// An exprFault is what keeps a text from being an expression.
type exprFault struct {
	at   int // in characters; -1 where the whole is meant
	text string
}

// String returns the sentence for people, who count characters from 1.
func (f *exprFault) String() string {
	if f.at < 0 {
		return f.text
	}
	return fmt.Sprintf("At character %d: %s", f.at+1, f.text)
}

func faultAt(at int, format string, args ...any) *exprFault {
	return &exprFault{at, fmt.Sprintf(format, args...)}
}

func emptyExpression() *exprFault {
	return faultAt(-1, "The expression is empty; write a call such as eq(name,'value'), or leave the parameter out.")
}

func notACall(e Expr) *exprFault {
	return faultAt(e.Offset(), "%s is no condition; write a call such as eq(name,'value'), or filter[name]=value.", e)
}

func tooDeep(at int) *exprFault {
	return faultAt(at, "Calls are nested more than %d deep.", deepest)
}

func unclosedString(at int) *exprFault {
	return faultAt(at, "The string that starts here is not closed; it ends with a ', and a ' inside it is doubled.")
}

func badNumber(at int, word string) *exprFault {
	return faultAt(at, "%q is no number, and no path starts like one; text stands in quotes: '%s'.", word, word)
}

func (r *exprReader) textAfterEnd() *exprFault {
	if r.peek() == ')' {
		return faultAt(r.at, "There is a ) too many.")
	}
	return faultAt(r.at, "%q stands behind the end of the expression; conditions are joined by and(...) or or(...).", r.next())
}

func (r *exprReader) noNameAfterDot() *exprFault {
	if r.ended() {
		return faultAt(r.at, "The expression ends where a name is due after the dot.")
	}
	return faultAt(r.at, "%q stands where a name is due after the dot.", string(r.peek()))
}

func (r *exprReader) callOfPath(path []string) *exprFault {
	return faultAt(r.at, "A ( follows the path %s; a function has a name without dots, and the path goes inside.", dotted(path))
}

// noArgument is about what is neither a call nor a path nor a literal.
func (r *exprReader) noArgument() *exprFault {
	switch {
	case r.ended():
		return r.unclosedCall()
	case r.peek() == '"':
		return faultAt(r.at, "Text stands in single quotes: 'text'.")
	case r.peek() == '$':
		return faultAt(r.at, "Operators have no $ in an expression: ne(name,'value').")
	default:
		return faultAt(r.at, "%q stands where %s is due.", r.next(), r.due())
	}
}

// due says what a fault is in want of.
func (r *exprReader) due() string {
	if len(r.calls) == 0 {
		return "a call such as eq(name,'value')"
	}
	return fmt.Sprintf("an argument of %s", r.calls[len(r.calls)-1].name)
}

// noComma is about what follows an argument, which ended at end.
func (r *exprReader) noComma(arg Expr, end int) *exprFault {
	if r.ended() {
		return r.unclosedCall()
	}
	return faultAt(r.at, "%q stands where a , or a ) is due%s.", r.next(), r.advice(arg, end))
}

// advice guesses what was meant where an argument is followed by something else.
func (r *exprReader) advice(arg Expr, end int) string {
	switch e := arg.(type) {
	case *Call:
		return ""
	case *Ref:
		switch r.peek() {
		case '$':
			return "; operators have no $ in an expression: gt(count(comments),1)"
		case '[', ']':
			return "; the names of a path are joined by dots: author.name"
		case '=', '<', '>', '!':
			return fmt.Sprintf("; comparisons are calls: eq(%s,'value')", e)
		case '\'':
			return ""
		default:
			return "; text stands in quotes: 'value'"
		}
	case *Lit:
		switch {
		case e.Kind != StringLit:
			return "; text stands in quotes: 'value'"
		case r.at == end && nameRune(r.peek()):
			return "; a ' inside of text is doubled: 'it''s'"
		}
		return ""
	default:
		panic("parse: unknown kind of expression")
	}
}

func (r *exprReader) unclosedCall() *exprFault {
	open := r.calls[len(r.calls)-1]
	return faultAt(r.at, "The expression ends, and the ( after %s at character %d is not closed.", open.name, open.parenthesis+1)
}

// next returns the word that comes next, or the one character.
func (r *exprReader) next() string {
	if word := r.word(); word != "" {
		return word
	}
	return string(r.peek())
}
