package exec

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/resourcery/resourcery/sqlgen"
)

// A Result is what a pipeline answered: the rows of each statement, in the
// order of Pipeline.Statements. It is the caller's, who may Release it.
type Result struct {
	Pipeline *sqlgen.Pipeline
	Parts    []Rows
	// Operations are the results of a batch's operations, in order, each with the
	// pipeline of its own; nil where there is no batch.
	Operations []*Result
	// Updated reports that an upsert found the row and updated it.
	Updated bool
}

var results = sync.Pool{New: func() any { return new(Result) }}

// newResult returns a result without rows.
func newResult(p *sqlgen.Pipeline) *Result {
	r := results.Get().(*Result)
	n := len(p.Statements)
	r.Pipeline, r.Parts = p, slices.Grow(r.Parts[:0], n)[:n]
	for i, st := range p.Statements {
		r.Parts[i].columns = len(st.Columns)
	}
	at := 1 // the batch's own statement
	for _, op := range p.Operations {
		n := len(op.Statements)
		r.Operations = append(r.Operations, &Result{Pipeline: op, Parts: r.Parts[at : at+n]})
		at += n
	}
	return r
}

// Release gives the memory of the rows back, for other results to use. Neither
// the result nor any of its values may be used any more. Who does not call it
// leaves the memory to the garbage collector.
func (r *Result) Release() {
	parts, size := r.Parts[:cap(r.Parts)], 0
	for i := range parts {
		parts[i].clear()
		size += cap(parts[i].data) + 4*cap(parts[i].ends)
	}
	*r = Result{}
	if size <= keptRows && len(parts) <= keptParts {
		r.Parts = parts[:0]
		results.Put(r)
	}
}

// What goes back to the pool at most: a result has some hundred kB, and those of
// batches have hundreds of parts.
const (
	keptRows  = 4 << 20
	keptParts = 64
)

// Rows are the rows of one statement, as raw column values in the formats that
// the statement's columns name.
type Rows struct {
	columns int
	data    []byte
	ends    []int32  // end of each value in data, row by row; the sign bit marks NULL
	lent    [][]byte // the values of the only row, where they are somebody else's
	more    bool
}

// Len returns the number of rows.
func (r *Rows) Len() int {
	switch {
	case r.lent != nil:
		return 1
	case r.columns == 0:
		return 0
	default:
		return len(r.ends) / r.columns
	}
}

// More reports that further rows follow, of a statement that peeks.
func (r *Rows) More() bool { return r.more }

// Value returns one column of one row; nil is NULL, an empty value is not nil.
// The bytes belong to the result and must not be changed.
func (r *Rows) Value(row, column int) []byte {
	if r.lent != nil {
		return r.lent[column]
	}
	i := row*r.columns + column
	end := r.ends[i]
	if end < 0 {
		return nil
	}
	start := int32(0)
	if i > 0 {
		start = r.ends[i-1] &^ null
	}
	return r.data[start:end:end]
}

// Estimated returns how many rows Postgres expects, from the one row of a
// statement of the part sqlgen.Estimate.
func (r *Rows) Estimated() (int64, error) {
	var explained []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
		}
	}
	if r.Len() == 1 {
		if err := json.Unmarshal(r.Value(0, 0), &explained); err != nil {
			return 0, fmt.Errorf("read an estimate: %w", err)
		}
	}
	if len(explained) != 1 {
		return 0, fmt.Errorf("read an estimate: Postgres explained %d plans, not one", len(explained))
	}
	return int64(explained[0].Plan.Rows), nil
}

const null = int32(-1 << 31)

// clear drops the rows and keeps their memory.
func (r *Rows) clear() { r.data, r.ends, r.lent, r.more = r.data[:0], r.ends[:0], nil, false }

// lend makes values the only row, as they are. They last until the next ones, or
// clear.
func (r *Rows) lend(values [][]byte) { r.lent = values }

// peek takes the row away that only tells that further ones follow.
func (r *Rows) peek(p sqlgen.Peek) {
	if p.Limit == 0 || r.Len() <= p.Limit {
		return
	}
	r.more = true
	if !p.First {
		r.ends = r.ends[:p.Limit*r.columns]
		return
	}
	gone := r.ends[r.columns-1] &^ null
	r.data = r.data[:copy(r.data, r.data[gone:])]
	r.ends = r.ends[:copy(r.ends, r.ends[r.columns:])]
	for i := range r.ends {
		r.ends[i] -= gone // the sign bit stays
	}
}

// append copies one row.
func (r *Rows) append(values [][]byte) {
	if r.data == nil {
		r.data = make([]byte, 0, 512) // never nil: an empty value is not NULL
	}
	for _, v := range values {
		r.data = append(r.data, v...)
		end := int32(len(r.data))
		if v == nil {
			end |= null
		}
		r.ends = append(r.ends, end)
	}
}

// NewRows returns rows made of raw values, for documents without a database.
func NewRows(columns int, rows ...[][]byte) Rows {
	r := Rows{columns: columns}
	for _, values := range rows {
		r.append(values)
	}
	return r
}

// NewPart returns what a statement's answer of these rows makes.
func NewPart(st *sqlgen.Statement, rows ...[][]byte) Rows {
	r := NewRows(len(st.Columns), rows...)
	r.peek(st.Peek)
	return r
}
