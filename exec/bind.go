package exec

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/sqlgen"
)

// A param is one parameter as it is sent.
type param struct {
	value  []byte
	format int16
}

// bind returns a statement's parameters: values in Postgres's text form, and
// the keys that it starts from. Each has its cast in the SQL, so no type needs
// to be named. It reports false where keys are not known yet.
func bind(params []sqlgen.Param, values []any, keys map[int]param) ([]param, bool) {
	out := make([]param, len(params))
	for i, p := range params {
		switch {
		case p.Key != 0:
			key, ok := keys[p.Key]
			if !ok {
				return nil, false
			}
			out[i] = key
		case p.List:
			out[i].value = appendList(nil, values[p.Slot])
		case values[p.Slot] == nil: // NULL
		default:
			out[i].value = appendText([]byte{}, values[p.Slot]) // nil would be NULL, which empty text is not
		}
	}
	return out, true
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
