package sample

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A table collects rows and writes them as one INSERT. The cells are literals
// of unknown type, so that Postgres reads each one by its column's type.
type table struct {
	name, columns string
	rows          [][]any
}

func (t *table) add(cells ...any) {
	t.rows = append(t.rows, cells)
}

func (t *table) appendSQL(b *strings.Builder) {
	fmt.Fprintf(b, "INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE VALUES", t.name, t.columns)
	for i, row := range t.rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n\t(")
		for j, cell := range row {
			if j > 0 {
				b.WriteString(", ")
			}
			b.WriteString(literal(cell))
		}
		b.WriteByte(')')
	}
	b.WriteString(";\n\n")
}

func literal(cell any) string {
	switch v := cell.(type) {
	case nil:
		return "NULL"
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case string:
		return quote(v)
	case time.Time:
		return quote(instant(v))
	case []byte:
		return quote(`\x` + hex.EncodeToString(v))
	case []string:
		return quote(list(v))
	default:
		panic(fmt.Sprintf("sample: no literal for %T", cell))
	}
}

func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func instant(t time.Time) string {
	return t.UTC().Format("2006-01-02 15:04:05.999999Z07:00")
}

// list is the text form of a Postgres array without NULLs. Composites have the
// same rules for what stands between quotes.
func list(elements []string) string {
	return "{" + quoted(elements) + "}"
}

func quoted(elements []string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	out := make([]string, len(elements))
	for i, e := range elements {
		out[i] = `"` + escape.Replace(e) + `"`
	}
	return strings.Join(out, ",")
}
