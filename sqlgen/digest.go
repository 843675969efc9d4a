package sqlgen

import (
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// digest lowers the digest of a row: a text that changes with any of the
// columns, however the session writes times. It is for comparing only.
func digest(at string, fields []*schema.Field) string {
	values := make([]string, len(fields))
	for i, f := range fields {
		values[i] = steady(column(at, f.Column), f.Type)
	}
	return "pg_catalog.md5(ROW(" + strings.Join(values, ", ") + ")::text)"
}

// steady is an expression whose text form does not depend on the time zone: the
// session leaves that setting alone, as policies may read it. Containers of
// timestamptz are taken in their binary form wherever rows are.
func steady(expr string, t *schema.Type) string {
	base := t.Base()
	switch {
	case !zoned(base) || formatOf(base) == Text:
		return expr
	case base.Kind == schema.Timestamptz:
		return expr + " AT TIME ZONE 'UTC'"
	default:
		return "pg_catalog.record_send(ROW(" + expr + "))"
	}
}

// zoned reports whether values of the type show the session's time zone as text.
func zoned(t *schema.Type) bool {
	switch t = t.Base(); t.Kind {
	case schema.Timestamptz:
		return true
	case schema.Range, schema.Array:
		return zoned(t.Elem)
	case schema.Composite:
		return slices.ContainsFunc(t.Members, func(m schema.Member) bool { return zoned(m.Type) })
	default:
		return false
	}
}
