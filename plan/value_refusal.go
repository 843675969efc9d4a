package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// Every sentence about an attribute's value stands in this file.

// A valueProblem is one reason why an attribute's value cannot be written.
type valueProblem struct {
	code    jsonapi.Code // InvalidPayload or InvalidValue
	pointer string       // from the attribute's value to the part at fault, as in `/2/x`; "": the value itself
	detail  string
}

// at returns the error of an attribute whose value stands at the pointer.
func (p valueProblem) at(pointer string) *jsonapi.Error {
	return jsonapi.Errorf(p.code, jsonapi.Pointer(pointer+p.pointer), "%s", p.detail)
}

func (c *conversion) refuse(code jsonapi.Code, format string, args ...any) {
	if !c.full() {
		c.problems = append(c.problems, valueProblem{code, c.pointer(), fmt.Sprintf(format, args...)})
	}
}

// pointer returns the RFC 6901 pointer to the part at hand.
func (c *conversion) pointer() string {
	var b []byte
	for _, s := range c.steps {
		b = append(b, '/')
		if s.index == inMember {
			b = append(b, pointerEscaper.Replace(s.member)...)
		} else {
			b = strconv.AppendInt(b, int64(s.index), 10)
		}
	}
	return string(b)
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// part names what is at hand.
func (c *conversion) part() string {
	if len(c.steps) == 0 {
		return fmt.Sprintf("attribute %q", c.field.Name)
	}
	return fmt.Sprintf("part %q of the attribute %q", clip(c.pointer()), c.field.Name)
}

func (c *conversion) refuseKind(t *schema.Type, v jsontext.Value) {
	c.refuse(jsonapi.WrongPayload, "The %s takes %s, not %s.", c.part(), wanted(t), given(v))
}

// wanted is what JSON a value of the type is written as.
func wanted(t *schema.Type) string {
	switch t.Kind {
	case schema.Bool:
		return "true or false"
	case schema.Int2, schema.Int4, schema.Int8:
		return "a whole number, or its digits in a string"
	case schema.Float4, schema.Float8, schema.Numeric:
		return "a number, alone or in a string"
	case schema.Enum:
		return "one of its labels, in a string"
	case schema.Bytea:
		return "a string in Base64"
	case schema.Timestamptz, schema.Timestamp, schema.Date, schema.Time, schema.Timetz, schema.Interval:
		return "a string in ISO 8601"
	case schema.Array:
		return "an array"
	case schema.Composite:
		return "an object"
	default:
		return "a string"
	}
}

func given(v jsontext.Value) string {
	switch v.Kind() {
	case jsontext.KindFalse, jsontext.KindTrue:
		return "a boolean"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindBeginObject:
		return "an object"
	default:
		return "null"
	}
}

// refuseValue says what a value is not. text is v without its quotes.
func (c *conversion) refuseValue(t *schema.Type, v jsontext.Value, text string, err error) {
	hint := ""
	if _, isNumber := splitDecimal(text); isNumber && wholeNumbers(t) && strings.ContainsAny(text, ".eE") {
		hint = ", in digits without a point or an exponent"
	}
	c.refuse(jsonapi.InvalidValue, "The value %s of the attribute %q is not %v%s.",
		strings.ToValidUTF8(clip(string(v)), "\uFFFD"), c.field.Name, withoutURL(t, err), hint)
}

func wholeNumbers(t *schema.Type) bool {
	return t.Kind == schema.Int2 || t.Kind == schema.Int4 || t.Kind == schema.Int8
}

// withoutURL replaces the hints that are for values of URLs, where a plus sign
// becomes a blank.
func withoutURL(t *schema.Type, err error) error {
	switch {
	case errors.Is(err, errPlusLost) && t.Kind == schema.Timetz:
		return errTimetz
	case errors.Is(err, errPlusLost):
		return errInstant
	case errors.Is(err, errBase64PlusLost):
		return errBase64
	}
	return err
}

func (c *conversion) refuseNUL() {
	c.refuse(jsonapi.InvalidValue, `The %s has the character U+0000 (\u0000) in it, which cannot be stored; leave it out.`, c.part())
}

// refuseMember points at the member, and speaks of the object that has it.
func (c *conversion) refuseMember(t *schema.Type, name string) {
	names := make([]string, len(t.Members))
	for i, m := range t.Members {
		names[i] = m.Name
	}
	object := c.part()
	c.enterMember(name)
	c.refuse(jsonapi.WrongPayload, "The %s has no member %q.%s", object, clip(name), near(name, names))
	c.leave()
}

func (c *conversion) refuseNote(t *schema.Type, name string) {
	takes := "no annotation"
	if names := annotationsOf(t); names != nil {
		takes = "the annotation " + strings.Join(names, " or ")
	}
	c.refuse(jsonapi.WrongPayload, "The annotation %q contradicts the %s, which is of kind %s and takes %s.",
		clip(name), c.part(), kindName(t), takes)
}

func (c *conversion) refuseDepth() {
	c.refuse(jsonapi.InvalidValue, "The %s is one array too deep: there are %d dimensions at most.", c.part(), maxDimensions)
}

func (c *conversion) refuseInner() {
	c.refuse(jsonapi.WrongPayload, "The %s is an array where those beside it or before it are none; all parts have the same depth.", c.part())
}

func (c *conversion) refuseOuter() {
	c.refuse(jsonapi.WrongPayload, "The %s must be an array, as those before it are; all parts have the same depth.", c.part())
}

func (c *conversion) refuseEmpty() {
	c.refuse(jsonapi.InvalidValue, "The %s is an empty array, which cannot stand in another; an array without elements is written [].", c.part())
}

func (c *conversion) refuseLength(n, want int) {
	c.refuse(jsonapi.InvalidValue, "The %s has the length %d where the arrays before it have %d; all must have the same.", c.part(), n, want)
}

// clip shortens what a client sent, for a sentence.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
