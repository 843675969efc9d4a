package exec

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Postgres names what an error of Postgres's is about, for logs that must not
// hold values: its SQLSTATE, and the constraint, table, column and type. Message,
// detail, hint and context may hold values: those of rows, and whatever a
// function of the database puts there. It reports false for any other error; what
// err wraps is not looked at.
func Postgres(err error) (text string, ok bool) {
	e, ok := err.(*pgconn.PgError)
	if !ok {
		return "", false
	}
	text = "SQLSTATE " + e.Code
	for _, part := range []struct{ name, value string }{
		{"constraint", e.ConstraintName}, {"schema", e.SchemaName}, {"table", e.TableName},
		{"column", e.ColumnName}, {"type", e.DataTypeName}, {"routine", e.Routine},
	} {
		if part.value != "" {
			text += ", " + part.name + " " + part.value
		}
	}
	if e.File != "" {
		text += fmt.Sprintf(" (%s:%d)", e.File, e.Line)
	}
	return text, true
}
