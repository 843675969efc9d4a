package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobuffalo/flect"
)

// reservedType is the path of atomic operations, so no model's type.
const reservedType = "operations"

// memberName returns the name under which a column or table is served: what
// JSON:API forbids in member names is replaced by "-", and what it forbids at
// either end is trimmed (contract 1.12). Empty: nothing is left.
func memberName(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if memberRune(r) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name), "-_")
}

// memberRune reports whether r may stand anywhere in a member name. Beyond
// ASCII JSON:API allows everything; what cannot be seen is left out here.
func memberRune(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	case r == utf8.RuneError:
		return false
	default:
		return unicode.IsGraphic(r) && !unicode.IsSpace(r)
	}
}

// plural returns the plural of a type; a plural stays as it is.
func plural(typ string) string {
	// The library has these two wrong.
	for _, regular := range [...]string{"menu", "video"} {
		if hasSuffixFold(typ, regular) {
			return typ + "s"
		}
		if hasSuffixFold(typ, regular+"s") {
			return typ
		}
	}
	return flect.Pluralize(typ)
}

// singular returns the singular of a type; a singular stays as it is.
func singular(typ string) string {
	// Singulars that the library takes for plurals, and the other way round.
	for _, word := range [...]string{"canvas", "data", "gas", "lens"} {
		if hasSuffixFold(typ, word) {
			return typ
		}
	}
	if hasSuffixFold(typ, "menus") {
		return typ[:len(typ)-1]
	}
	return flect.Singularize(typ)
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// role returns a foreign key's column without Id or _id: authorId, author_id
// and authorID say author. A column that is nothing else says nothing.
func role(column string) string {
	if strings.EqualFold(column, "id") {
		return ""
	}
	for _, suffix := range [...]string{"_id", "Id", "ID"} {
		if rest, ok := strings.CutSuffix(column, suffix); ok {
			return memberName(rest)
		}
	}
	return memberName(column)
}

// qualify appends a word and a name to base: postsByEditor for columns and
// tables in camel case, posts_by_editor where concerned has an underscore.
func qualify(base, word, name, concerned string) string {
	if strings.Contains(memberName(concerned), "_") {
		return base + "_" + word + "_" + name
	}
	return base + capital(word) + capital(name)
}

// refer returns the column with Ref or _ref.
func refer(column string) string {
	name := memberName(column)
	if strings.Contains(name, "_") {
		return name + "_ref"
	}
	return name + "Ref"
}

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}
