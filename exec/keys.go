package exec

import (
	"encoding/binary"

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
