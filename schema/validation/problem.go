package validation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/resourcery/resourcery/jsonapi"
)

// mostProblems keeps an answer to a long array from being longer than it.
const mostProblems = 100

// problems turns what the library found into errors, by pointer.
func problems(e *jsonschema.ValidationError) jsonapi.Errors {
	var es jsonapi.Errors
	for _, leaf := range leaves(e) {
		for _, detail := range details(leaf) {
			es = append(es, &jsonapi.Error{
				Code: jsonapi.ValidationError, Detail: detail.text,
				Source: jsonapi.Pointer(pointer(append(slices.Clip(location(leaf)), detail.member...))),
			})
		}
	}
	slices.SortFunc(es, func(a, b *jsonapi.Error) int {
		return cmp.Or(strings.Compare(a.Source.Pointer, b.Source.Pointer), strings.Compare(a.Detail, b.Detail))
	})
	es = slices.CompactFunc(es, func(a, b *jsonapi.Error) bool { return a.Source == b.Source && a.Detail == b.Detail })
	return es[:min(len(es), mostProblems)]
}

// location returns where the error is. Of the names of members, and of decoded
// content, the library gives a location that it has overwritten meanwhile.
func location(e *jsonschema.ValidationError) []string {
	switch e.ErrorKind.(type) {
	case *kind.PropertyNames, *kind.ContentSchema:
		return nil
	default:
		return e.InstanceLocation
	}
}

func pointer(location []string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	p := "/data"
	for _, name := range location {
		p += "/" + escape.Replace(name)
	}
	return p
}

// leaves returns the errors that say what is wrong, rather than where in the
// schema they were found. Of alternatives none of which holds it is those of
// the one that came furthest.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return nearest(e)
	case *kind.OneOf:
		if k.Subschemas == nil {
			return nearest(e)
		}
		return []*jsonschema.ValidationError{e}
	case *kind.Contains, *kind.MinContains, *kind.MaxContains, *kind.PropertyNames, *kind.ContentSchema:
		return []*jsonschema.ValidationError{e}
	}
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// nearest chooses among alternatives: the first of those whose errors are
// deepest in the document. Where all of them lack members, any will do, and the
// error names them all.
func nearest(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	var best []*jsonschema.ValidationError
	var missing []string
	lacking := true
	for _, alternative := range e.Causes {
		found := leaves(alternative)
		if best == nil || depth(found) > depth(best) {
			best = found
		}
		for _, leaf := range found {
			if k, ok := leaf.ErrorKind.(*kind.Required); ok {
				missing = append(missing, k.Missing...)
			} else {
				lacking = false
			}
		}
	}
	if lacking && len(best) == 1 && len(missing) > 1 {
		return []*jsonschema.ValidationError{{InstanceLocation: best[0].InstanceLocation, ErrorKind: &oneMissing{names: missing}}}
	}
	return best
}

func depth(leaves []*jsonschema.ValidationError) int {
	deepest := -1
	for _, l := range leaves {
		deepest = max(deepest, len(l.InstanceLocation))
	}
	return deepest
}

// oneMissing says that one of several members must be there.
type oneMissing struct {
	kind.Required
	names []string
}

// A detail is one error's text, and the member within the location that it is
// about, if any.
type detail struct {
	text   string
	member []string
}

// details says in words what is wrong. The schema's values are quoted where
// they help, and no more of the request than the one value.
func details(e *jsonschema.ValidationError) []detail {
	say := func(format string, args ...any) []detail { return []detail{{text: fmt.Sprintf(format, args...)}} }
	switch k := e.ErrorKind.(type) {
	case *kind.FalseSchema:
		return say("The member is not allowed here.")
	case *kind.Type:
		return say("The value is %s where %s is expected.", article(k.Got), alternatives(nullLast(k.Want), article))
	case *kind.Enum:
		return say("%s is not %s.", quote(k.Got), oneOf(k.Want))
	case *kind.Const:
		return say("%s is not %s.", quote(k.Got), quote(k.Want))
	case *kind.Format:
		return say("%s has not the format %q.", quote(k.Got), k.Want)
	case *kind.Pattern:
		if words, ok := patternWords[k.Want]; ok {
			return say("%s is not %s.", quote(k.Got), words)
		}
		return say("%s does not match the pattern %s.", quote(k.Got), k.Want)
	case *oneMissing:
		return say("One of the members %s must be given.", alternatives(k.names, strconv.Quote))
	case *kind.Required:
		return missing(k.Missing)
	case *kind.DependentRequired:
		return missing(k.Missing)
	case *kind.Dependency:
		return missing(k.Missing)
	case *kind.AdditionalProperties:
		var all []detail
		for _, name := range k.Properties {
			all = append(all, detail{"The member is not known here.", []string{name}})
		}
		return all
	case *kind.PropertyNames:
		return say("The name of the member %s is not allowed.", quote(k.Property))
	case *kind.Minimum:
		return say("%s is less than %s.", number(k.Got), number(k.Want))
	case *kind.Maximum:
		return say("%s is more than %s.", number(k.Got), number(k.Want))
	case *kind.ExclusiveMinimum:
		return say("%s is not more than %s.", number(k.Got), number(k.Want))
	case *kind.ExclusiveMaximum:
		return say("%s is not less than %s.", number(k.Got), number(k.Want))
	case *kind.MultipleOf:
		return say("%s is not a multiple of %s.", number(k.Got), number(k.Want))
	default:
		return say("%s", sizes(e.ErrorKind))
	}
}

// patternWords say what the patterns of values mean.
var patternWords = map[string]string{
	wholeText: "a whole number", numberText: "a number, NaN, Infinity or -Infinity",
	uuidText: "a UUID such as 018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d60",
}

func missing(names []string) []detail {
	var all []detail
	for _, name := range names {
		all = append(all, detail{text: fmt.Sprintf("The member %q is missing.", name)})
	}
	return all
}

// sizes says what is wrong with how much there is, or that a rule is broken
// which has no words of its own.
func sizes(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("At least %d characters are needed; the text has %d.", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("At most %d characters are allowed; the text has %d.", k.Want, k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("At least %d elements are needed; the array has %d.", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("At most %d elements are allowed; the array has %d.", k.Want, k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("The elements %d and %d of the array are equal.", k.Duplicates[0], k.Duplicates[1])
	case *kind.MinProperties:
		return fmt.Sprintf("At least %d members are needed; the object has %d.", k.Want, k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("At most %d members are allowed; the object has %d.", k.Want, k.Got)
	}
	if path := k.KeywordPath(); len(path) > 0 {
		return fmt.Sprintf("The value breaks the rule %q of its schema.", path[0])
	}
	return "The value does not fit its schema."
}

func article(typ string) string {
	switch typ {
	case "null":
		return "null"
	case "object", "array", "integer":
		return "an " + typ
	default:
		return "a " + typ
	}
}

// nullLast returns the types with null behind the others.
func nullLast(types []string) []string {
	others := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
	if len(others) < len(types) {
		others = append(others, "null")
	}
	return others
}

// alternatives joins the words: a, b or c.
func alternatives(words []string, spell func(string) string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(spell(w))
	}
	return b.String()
}

// oneOf lists the values of an enumeration, which may have them by the hundred.
func oneOf(values []any) string {
	const listed = 20
	var words []string
	for _, v := range values[:min(len(values), listed)] {
		words = append(words, quote(v))
	}
	more := ""
	if n := len(values) - listed; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return "one of " + strings.Join(words, ", ") + more
}

// quote writes a value as JSON does, cut short where it is long.
func quote(v any) string {
	const longest = 40
	switch v.(type) {
	case map[string]any:
		return "The object"
	case []any:
		return "The array"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "The value"
	}
	short := strings.TrimSuffix(b.String(), "\n")
	if utf8.RuneCountInString(short) > longest {
		short = string([]rune(short)[:longest]) + "…"
	}
	return short
}

// number writes a number in decimals, in short where it is long.
func number(r *big.Rat) string {
	const longest = 30
	if text := string(decimal(r)); len(text) <= longest {
		return text
	}
	return new(big.Float).SetRat(r).Text('g', 17)
}
