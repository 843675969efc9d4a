package exec

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/sqlgen"
)

// bind writes a statement's parameters in Postgres's text form. Each has its
// cast in the SQL, so no type needs to be named.
func bind(params []sqlgen.Param, values []any) [][]byte {
	out := make([][]byte, len(params))
	for i, p := range params {
		if p.List {
			out[i] = appendList(nil, values[p.Slot])
		} else {
			out[i] = appendText(nil, values[p.Slot])
		}
	}
	return out
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
		dst = append(dst, '"')
		dst = append(dst, itemEscaper.Replace(string(appendText(nil, v)))...)
		dst = append(dst, '"')
	}
	return append(dst, '}')
}

var itemEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
