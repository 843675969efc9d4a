package evaluate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// part returns a part of a document (contract 4.5), nil for NULL: as text, or
// as a number where it is one.
func part(t plan.JSONTerm, document any, keys []string) any {
	if document == nil {
		return nil
	}
	raw := json.RawMessage(document.(string))
	for _, key := range keys {
		if raw = step(raw, key); raw == nil {
			return nil
		}
	}
	value := decode(raw)
	n, isNumber := value.(json.Number)
	switch {
	case value == nil:
		return nil
	case t.Number && isNumber:
		return n.String()
	case t.Number:
		return nil
	}
	if text, isText := value.(string); isText {
		return text
	}
	if t.Field.Type.Base().Kind == schema.JSON {
		return string(raw)
	}
	return binaryText(value)
}

// step returns the member or element of that name, nil where there is none. A
// negative index counts from the end.
func step(raw json.RawMessage, key string) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '{':
		var object map[string]json.RawMessage
		mustDecode(raw, &object)
		return object[key]
	case '[':
		var array []json.RawMessage
		mustDecode(raw, &array)
		i, err := strconv.Atoi(key)
		if i < 0 {
			i += len(array)
		}
		if err != nil || i < 0 || i >= len(array) {
			return nil
		}
		return array[i]
	default:
		return nil
	}
}

func mustDecode(raw []byte, into any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		panic(fmt.Sprintf("evaluate: the document %s: %v", raw, err))
	}
}

// decode reads a JSON value, with its numbers as they are written.
func decode(raw []byte) any {
	var value any
	mustDecode(raw, &value)
	return value
}

// binaryText is how jsonb is printed: members by the length of their names,
// then by the names, and blanks after colons and commas.
func binaryText(v any) string {
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		})
		for i, name := range names {
			names[i] = quoted(name) + ": " + binaryText(v[name])
		}
		return "{" + strings.Join(names, ", ") + "}"
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = binaryText(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case string:
		return quoted(v)
	case nil:
		return "null"
	default:
		return fmt.Sprint(v)
	}
}

func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
