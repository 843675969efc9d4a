package validation

import (
	"regexp"
	"strings"
)

// The parts of regular expressions that mean the same to Postgres, to
// ECMA-262 and to Go. Not among them: the dot, which matches line breaks here
// and not there, and classes such as \w, which know other letters.
var (
	patternAtom  = regexp.MustCompile(`^(?:[A-Za-z0-9 _@:;,/=!#%&~<>"'-]|\\[.+*?()|{}^$/]|\[\^?(?:[A-Za-z0-9]-[A-Za-z0-9]|[A-Za-z0-9 _.@,+*!#%&~])+-?\])`)
	patternTimes = regexp.MustCompile(`^(?:[*+?]|\{[0-9]{1,2}(?:,[0-9]{0,2})?\})`)
)

// plainPattern reports whether a pattern is made of these parts alone.
func plainPattern(s string) bool {
	if _, err := regexp.Compile(s); err != nil {
		return false
	}
	s = strings.TrimPrefix(s, "^")
	open, operand := 0, false // whether something that can be repeated or end stands before
	repeated := false
	for s != "" {
		if s == "$" {
			return open == 0 && operand
		}
		taken := 1
		switch {
		case s[0] == '(':
			open, operand, repeated = open+1, false, false
		case s[0] == ')' && operand && open > 0:
			open, repeated = open-1, false
		case s[0] == '|' && operand && open > 0:
			operand, repeated = false, false
		default:
			if times := patternTimes.FindString(s); times != "" && operand && !repeated {
				taken, repeated = len(times), true
			} else if atom := patternAtom.FindString(s); atom != "" {
				taken, operand, repeated = len(atom), true, false
			} else {
				return false
			}
		}
		s = s[taken:]
	}
	return open == 0 && operand
}
