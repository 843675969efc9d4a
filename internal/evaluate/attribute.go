package evaluate

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/resourcery/resourcery/schema"
)

func numeral(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// attribute returns a value as JSON carries it, and notes what it is annotated
// with at the path (contract 6). Names in paths have no dots here.
func (w *writer) attribute(t *schema.Type, v any, path string) any {
	t = t.Base()
	switch v := v.(type) {
	case nil:
		return nil
	case bool:
		return v
	case []any:
		out := []any{}
		for i, item := range v {
			out = append(out, w.attribute(t.Elem, item, path+"."+strconv.Itoa(i)))
		}
		return out
	case Tuple:
		out := map[string]any{}
		for i, m := range t.Members {
			out[m.Name] = w.attribute(m.Type, v[i], path+"."+m.Name)
		}
		return out
	}
	switch t.Kind {
	case schema.JSON, schema.JSONB:
		return decode([]byte(v.(string)))
	case schema.Int2, schema.Int4:
		return json.Number(plain(t, v))
	case schema.Float4, schema.Float8:
		if f := v.(float64); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return json.Number(plain(t, v))
		}
		w.notes[path] = []any{"number"}
	case schema.Int8:
		w.notes[path] = []any{"bigint"}
	case schema.Numeric:
		w.notes[path] = []any{[]any{"custom", "Decimal"}}
	case schema.Bytea:
		w.notes[path] = []any{[]any{"custom", "Bytes"}}
	case schema.Timestamptz, schema.Timestamp:
		if v != Infinity && v != MinusInfinity {
			w.notes[path] = []any{"Date"}
		}
	}
	return plain(t, v)
}

// plain is a value's text in documents and ids.
func plain(t *schema.Type, v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return plainFloat(t.Base(), v)
	case string:
		return v
	case []byte:
		return base64.StdEncoding.EncodeToString(v)
	case time.Time:
		return plainTime(t.Base(), v)
	case Range:
		if v == (Range{}) {
			return "empty"
		}
		return fmt.Sprintf("[%d,%d)", v.Low, v.High)
	default:
		panic(fmt.Sprintf("evaluate: a value of type %T has no text", v))
	}
}

func plainFloat(t *schema.Type, f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	default:
		bits := 64
		if t.Kind == schema.Float4 {
			bits = 32
		}
		return strconv.FormatFloat(f, 'g', -1, bits)
	}
}

// plainTime has three digits after the point, or as many as there are.
func plainTime(t *schema.Type, at time.Time) string {
	switch {
	case at.Equal(Infinity):
		return "infinity"
	case at.Equal(MinusInfinity):
		return "-infinity"
	case t.Kind == schema.Date:
		return at.Format("2006-01-02")
	}
	text := at.UTC().Format("2006-01-02T15:04:05.000000")
	for range 3 {
		text = strings.TrimSuffix(text, "0")
	}
	return text + "Z"
}
