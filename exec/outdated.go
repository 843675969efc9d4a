package exec

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// outdated compares the types that Postgres describes with those of the schema
// that the statement was made from. They differ where a column was changed
// since; its values would be misread.
func outdated(st *sqlgen.Statement, described []pgconn.FieldDescription) error {
	if st == nil {
		return nil
	}
	if len(described) != len(st.Columns) {
		return internal(fmt.Errorf("a statement has %d columns where %d were asked for", len(described), len(st.Columns)))
	}
	for i, c := range st.Columns {
		if want, ok := builtIn[c.Type.Base().Kind]; ok && described[i].DataTypeOID != want {
			return internal(fmt.Errorf("the schema is out of date: a column of %s is no longer of type %s; reload the schema", modelOf(st), c.Type.Base().Name))
		}
	}
	return nil
}

func modelOf(st *sqlgen.Statement) string {
	if st.Model == nil {
		return "a " + st.Part.String() + " statement"
	}
	return st.Model.Table.String()
}

// builtIn are the types whose OIDs are the same in every database and whose
// values come in binary.
var builtIn = map[schema.Kind]uint32{
	schema.Bool: pgtype.BoolOID, schema.Int2: pgtype.Int2OID, schema.Int4: pgtype.Int4OID, schema.Int8: pgtype.Int8OID,
	schema.Float4: pgtype.Float4OID, schema.Float8: pgtype.Float8OID, schema.UUID: pgtype.UUIDOID,
	schema.Timestamptz: pgtype.TimestamptzOID, schema.Timestamp: pgtype.TimestampOID, schema.Date: pgtype.DateOID,
	schema.Time: pgtype.TimeOID, schema.Timetz: pgtype.TimetzOID, schema.Interval: pgtype.IntervalOID, schema.Bytea: pgtype.ByteaOID,
}
