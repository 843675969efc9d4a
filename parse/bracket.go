package parse

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// brackets splits the name of a parameter into its head and the text of its
// bracketed parts: `filter[author][name$contains]` into filter and two parts.
// The parts are appended to room. A fault is the predicate of a sentence about the
// name; positions count characters from 1.
func brackets(name string, room []string) (head string, parts []string, fault string) {
	open := strings.IndexAny(name, "[]")
	if open < 0 {
		return name, nil, ""
	}
	head, parts = name[:open], room
	for at := open; at < len(name); {
		if name[at] != '[' {
			return head, nil, fmt.Sprintf("has %q at position %d, where a [ or the end is due", firstRune(name[at:]), position(name, at))
		}
		end := strings.IndexAny(name[at+1:], "[]")
		switch {
		case end < 0:
			return head, nil, fmt.Sprintf("has a [ at position %d that is not closed", position(name, at))
		case name[at+1+end] == '[':
			return head, nil, fmt.Sprintf("has a [ at position %d inside another; close the one at position %d first", position(name, at+1+end), position(name, at))
		}
		parts = append(parts, name[at+1:at+1+end])
		at += end + 2
	}
	return head, parts, ""
}

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// position turns an offset in bytes into a position for people.
func position(s string, offset int) int { return utf8.RuneCountInString(s[:offset]) + 1 }
