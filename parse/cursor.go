package parse

import (
	"bytes"
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/jsonapi"
)

// A cursor walks through a JSON value that checkSyntax has passed, and gathers
// what is wrong with it.
type cursor struct {
	text    []byte
	json    *jsontext.Decoder
	refused *refusals
}

func newCursor(text []byte, refused *refusals) *cursor {
	// Duplicate names were looked for before; once is enough.
	json := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	return &cursor{text: text, json: json, refused: refused}
}

// kind returns what the next value is.
func (c *cursor) kind() jsontext.Kind { return c.json.PeekKind() }

// value reads the next value; it is a part of the text.
func (c *cursor) value() jsontext.Value {
	v, err := c.json.ReadValue()
	must(err)
	end := c.offset()
	return c.text[end-len(v) : end]
}

// token reads the next token. A string is unquoted; a number has all its digits.
func (c *cursor) token() string {
	t, err := c.json.ReadToken()
	must(err)
	return t.String()
}

// offset is behind what was read last.
func (c *cursor) offset() int { return int(c.json.InputOffset()) }

// since returns the text of the value that was read after the offset.
func (c *cursor) since(offset int) jsontext.Value {
	return bytes.TrimLeft(c.text[offset:c.offset()], " \t\r\n:,")
}

// members walks through the object that comes next, by the names of its
// members. The loop reads a member's value or leaves it; it runs to the end.
func (c *cursor) members() iter.Seq[string] {
	return func(yield func(string) bool) {
		for range c.elements() {
			// Of an object, every second element is a name.
			if name := c.token(); !yield(name) {
				panic("parse: an object is left in the middle")
			}
		}
	}
}

// elements walks through the array that comes next, by index, in the same way.
// An object reads like an array of its members.
func (c *cursor) elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		object := c.kind() == jsontext.KindBeginObject
		c.token()
		depth := c.json.StackDepth()
		for i := 0; c.kind() != jsontext.KindEndArray && c.kind() != jsontext.KindEndObject; i++ {
			if !yield(i) {
				panic("parse: an array is left in the middle")
			}
			read := int64(i + 1)
			if object {
				read *= 2
			}
			if _, n := c.json.StackIndex(depth); n < read {
				must(c.json.SkipValue())
			}
		}
		c.token()
	}
}

// object walks through the next value by its members if it is an object, and
// refuses it if not: what says what it is, as in `The member attributes`.
func (c *cursor) object(at, what string) iter.Seq[string] {
	if c.kind() == jsontext.KindBeginObject {
		return c.members()
	}
	c.refused.add(at, "%s is %s; it has to be an object.", what, kindName(c.kind()))
	return func(func(string) bool) {}
}

// string reads the next value if it is a string that the database can hold as
// text, and refuses it if not.
func (c *cursor) string(at, what string) (string, bool) {
	if kind := c.kind(); kind != jsontext.KindString {
		c.refused.add(at, "%s is %s; it has to be a string.", what, kindName(kind))
		return "", false
	}
	text := c.token()
	if strings.ContainsRune(text, 0) {
		c.refused.add(at, "%s holds a NUL character, which no text in the database can.", what)
		return "", false
	}
	return text, true
}

// word reads the next value if it is a string with something in it.
func (c *cursor) word(at, what string) (string, bool) {
	text, ok := c.string(at, what)
	if ok && text == "" {
		c.refused.add(at, "%s is empty.", what)
		return "", false
	}
	return text, ok
}

// id reads an id: a string, or a number in whole digits, which is taken as it
// is written (contract 6.3).
func (c *cursor) id(at, what string) (string, bool) {
	switch kind := c.kind(); kind {
	case jsontext.KindString:
		return c.string(at, what)
	case jsontext.KindNumber:
		number := c.token()
		if strings.ContainsAny(number, ".eE") {
			c.refused.add(at, "%s is the number %s; write it in whole digits or as a string.", what, number)
			return "", false
		}
		return number, true
	default:
		c.refused.add(at, "%s is %s; it has to be a string or a whole number.", what, kindName(kind))
		return "", false
	}
}

// below returns the pointer to a member of what at points to (RFC 6901).
func below(at, name string) string {
	return string(jsontext.Pointer(at).AppendToken(name))
}

// kindName returns what a value is, with its article.
func kindName(k jsontext.Kind) string {
	switch k {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindFalse, jsontext.KindTrue:
		return "a boolean"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	default:
		panic("parse: no kind of value: " + k.String())
	}
}

func must(err error) {
	if err != nil {
		panic(fmt.Errorf("parse: JSON that was found right is wrong: %w", err))
	}
}

// refusals are what is wrong with a body: all of it is counted, the first few
// are kept.
type refusals struct {
	errors jsonapi.Errors
	count  int
}

// add refuses what stands at the pointer.
func (r *refusals) add(pointer, format string, args ...any) {
	r.append(invalidBody(pointer, format, args...))
}

func (r *refusals) append(e *jsonapi.Error) {
	r.count++
	if len(r.errors) < jsonapi.MaxErrors {
		r.errors = append(r.errors, e)
	}
}
