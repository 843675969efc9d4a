package exec

import (
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// Keys says how the statements of an include step learn the keys of the rows
// that they start from.
type Keys uint8

const (
	// KeysInSession leaves them in variables of the transaction: all statements
	// go in one round trip. More than 10,000 keys are bound all the same.
	KeysInSession Keys = iota
	// KeysBound fetches them and binds them as arrays: one more round trip per
	// include level. It is for databases whose workers do not see the session's
	// variables, such as Citus.
	KeysBound
)

// manySessionKeys is how many keys are handed on in variables at most: past it
// Postgres's guess of ten is too far off.
const manySessionKeys = 10_000

// manyKeys reports whether a page may hand on more keys than variables are
// good for.
func manyKeys(p *sqlgen.Pipeline, pl *plan.Plan) bool {
	read, ok := pl.Action.(*plan.Read)
	if !ok || !p.HandsOn() {
		return false
	}
	many := read.Form == plan.Collection || read.Form == plan.Linkage
	limit := read.Query.Window.Limit
	return many && (limit == 0 || limit > manySessionKeys)
}

// A collector keeps the rows of every statement.
type collector struct {
	result *Result
	limit  int // of rows of an include step
	oids   map[int][]uint32
}

// receive copies the rows of one statement. Rows past the limit of an include
// step are read and dropped, and the request is refused.
func (c *collector) receive(part int, rr *pgconn.ResultReader) error {
	st, to := c.result.Pipeline.Statements[part], &c.result.Parts[part]
	for rr.NextRow() {
		if st.Part == sqlgen.Rows && to.Len() == c.limit {
			drain(rr)
			return TooManyIncluded(c.limit)
		}
		to.append(rr.Values())
	}
	if len(st.Hands) > 0 {
		c.noteTypes(part, rr.FieldDescriptions())
	}
	return nil
}

func drain(rr *pgconn.ResultReader) {
	for rr.NextRow() {
	}
}

func (c *collector) noteTypes(part int, fields []pgconn.FieldDescription) {
	if c.oids == nil {
		c.oids = make(map[int][]uint32)
	}
	oids := make([]uint32, len(fields))
	for i, f := range fields {
		oids[i] = f.DataTypeOID
	}
	c.oids[part] = oids
}

// keys returns the values of a column as an array, in the column's own format.
func (c *collector) keys(part, column int) param {
	rows := &c.result.Parts[part]
	if c.result.Pipeline.Statements[part].Columns[column].Format == sqlgen.Binary {
		return param{value: binaryArray(rows, column, c.oids[part][column]), format: int16(sqlgen.Binary)}
	}
	return param{value: textArray(rows, column), format: int16(sqlgen.Text)}
}

// binaryArray builds an array in the form that array_recv reads: the number of
// dimensions, whether there are NULLs, the element's type, the length and the
// lower bound, then each element with its length.
func binaryArray(rows *Rows, column int, element uint32) []byte {
	n := rows.Len()
	out := binary.BigEndian.AppendUint32(nil, 1)
	out = binary.BigEndian.AppendUint32(out, 1)
	out = binary.BigEndian.AppendUint32(out, element)
	out = binary.BigEndian.AppendUint32(out, uint32(n))
	out = binary.BigEndian.AppendUint32(out, 1)
	for row := range n {
		v := rows.Value(row, column)
		if v == nil {
			out = binary.BigEndian.AppendUint32(out, 1<<32-1)
			continue
		}
		out = binary.BigEndian.AppendUint32(out, uint32(len(v)))
		out = append(out, v...)
	}
	return out
}

// textArray builds an array in its text form.
func textArray(rows *Rows, column int) []byte {
	out := []byte{'{'}
	for row := range rows.Len() {
		if row > 0 {
			out = append(out, ',')
		}
		if v := rows.Value(row, column); v == nil {
			out = append(out, "NULL"...)
		} else {
			out = appendItem(out, string(v))
		}
	}
	return append(out, '}')
}
