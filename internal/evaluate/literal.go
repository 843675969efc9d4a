package evaluate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// An item is one element of an array, or member of a composite, in Postgres's
// text form.
type item struct {
	text   string
	quoted bool
}

// items splits the text form of an array of one dimension or of a composite.
// Within quotes a backslash takes the next character as it is, and so does, in
// composites, a quote that is doubled.
func items(text string) []item {
	var out []item
	var at item
	var b strings.Builder
	within := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
			b.WriteByte(text[i])
		case c == '"' && within && text[i+1] == '"':
			i++
			b.WriteByte(c)
		case c == '"':
			within, at.quoted = !within, true
		case !within && (c == ',' || i == len(text)-1):
			at.text = b.String()
			out, at = append(out, at), item{}
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return out
}

// arrayOf reads an array.
func arrayOf(elem *schema.Type, text string) []any {
	out := []any{}
	if text == "{}" {
		return out
	}
	for _, it := range items(text) {
		if it.text == "NULL" && !it.quoted {
			out = append(out, nil)
		} else {
			out = append(out, element(elem, it.text))
		}
	}
	return out
}

// tupleOf reads a composite.
func tupleOf(t *schema.Type, text string) Tuple {
	out := Tuple{}
	for i, it := range items(text) {
		if it.text == "" && !it.quoted {
			out = append(out, nil)
		} else {
			out = append(out, element(t.Members[i].Type, it.text))
		}
	}
	return out
}

// element is a value within another, of a kind whose values are texts, times or
// integers.
func element(t *schema.Type, text string) any {
	switch t.Base().Kind {
	case schema.Int2, schema.Int4, schema.Int8:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			panic(fmt.Sprintf("evaluate: the element %q: %v", text, err))
		}
		return n
	default:
		return literal(t, text)
	}
}
