package exec

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/sqlgen"
)

// A param is one parameter that other statements' rows make: a list of keys.
type param struct {
	value  []byte
	format int16
}

// arguments are the parameters of one statement as they are sent. They are
// filled in anew for each, in the same memory.
type arguments struct {
	values  [][]byte // nil is NULL
	formats []int16
	mixed   bool   // some are in binary
	text    []byte // what values in text are made of
}

// keptText is the size up to which the memory of arguments is used again.
const keptText = 64 << 10

func (a *arguments) reset() {
	if a.text == nil || cap(a.text) > keptText {
		a.text = make([]byte, 0, 256) // never nil: an empty value is not NULL
	}
	clear(a.values)
	a.values, a.formats, a.mixed, a.text = a.values[:0], a.formats[:0], false, a.text[:0]
}

// codes are the formats of the values; none where all are in text.
func (a *arguments) codes() []int16 {
	if a.mixed {
		return a.formats
	}
	return nil
}

func (a *arguments) add(p param) {
	a.values, a.formats = append(a.values, p.value), append(a.formats, p.format)
	a.mixed = a.mixed || p.format != int16(sqlgen.Text)
}

// addFrom adds what the text has from mark on. Where the text grows later, what
// was added stays where it is.
func (a *arguments) addFrom(mark int) {
	a.add(param{value: a.text[mark:len(a.text):len(a.text)]})
}

func (a *arguments) addText(s string) {
	mark := len(a.text)
	a.text = append(a.text, s...)
	a.addFrom(mark)
}

// bind fills in a statement's parameters: values in Postgres's text form, and
// the keys that it starts from. Each has its cast in the SQL, so no type needs
// to be named. It reports false where keys are not known yet.
func (a *arguments) bind(params []sqlgen.Param, values []any, keys map[int]param) bool {
	a.reset()
	for _, p := range params {
		mark := len(a.text)
		switch {
		case p.Key != 0:
			key, ok := keys[p.Key]
			if !ok {
				return false
			}
			a.add(key)
		case p.List:
			a.text = appendList(a.text, values[p.Slot])
			a.addFrom(mark)
		case values[p.Slot] == nil:
			a.add(param{})
		default:
			a.text = appendText(a.text, values[p.Slot])
			a.addFrom(mark)
		}
	}
	return true
}

// appendText appends one value.
func appendText(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	case string:
		return append(dst, v...)
	case []byte:
		return hex.AppendEncode(append(dst, `\x`...), v)
	default:
		panic(fmt.Sprintf("exec: a plan holds a value of type %T", v))
	}
}

// appendList appends an array.
func appendList(dst []byte, list any) []byte {
	switch list := list.(type) {
	case []bool:
		return appendItems(dst, list)
	case []int64:
		return appendItems(dst, list)
	case []float64:
		return appendItems(dst, list)
	case []string:
		return appendItems(dst, list)
	case [][]byte:
		return appendItems(dst, list)
	default:
		panic(fmt.Sprintf("exec: a plan holds a list of type %T", list))
	}
}

func appendItems[T any](dst []byte, list []T) []byte {
	dst = append(dst, '{')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendItem(dst, string(appendText(nil, v)))
	}
	return append(dst, '}')
}

// appendItem appends one element of an array, quoted.
func appendItem(dst []byte, text string) []byte {
	dst = append(dst, '"')
	dst = append(dst, itemEscaper.Replace(text)...)
	return append(dst, '"')
}

var itemEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
