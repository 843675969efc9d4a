package exec

import (
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// A collector keeps the rows of every statement.
type collector struct {
	result   *Result
	included int // resources that the document may include
	access   access
	steps    int // rows of include steps so far
	reached  int // those of them that are resources
	bytes    int
	maxBytes int
	oids     map[int][]uint32
}

// receive copies the rows of one statement. It refuses more than a result may
// hold.
func (c *collector) receive(part int, rr *pgconn.ResultReader) error {
	st, to := c.result.Pipeline.Statements[part], &c.result.Parts[part]
	step := st.Part == sqlgen.Rows || st.Part == sqlgen.Pairs
	for rr.NextRow() {
		if step {
			if c.tooMany(st) {
				return TooManyIncluded(c.included)
			}
		}
		values := rr.Values()
		if c.bytes += size(values); c.bytes > c.maxBytes && !judges(st.Part) {
			return newTooLarge(c.maxBytes)
		}
		to.append(values)
	}
	to.peek(st.Peek)
	if len(st.Hands) > 0 {
		c.noteTypes(part, rr.FieldDescriptions())
	}
	return nil
}

func (c *collector) shown() bool { return false }

// judges reports whether the rows tell what came of a write. They are few and
// small, and are needed also where the answer is too large.
func judges(p sqlgen.Part) bool {
	return p == sqlgen.Unseen || p == sqlgen.Written || p == sqlgen.Again
}

// tooMany counts a row of an include step and reports whether it is one too many.
// How many resources there are only the document tells; that of a write must not
// be refused any more, so there each row counts as one.
func (c *collector) tooMany(st *sqlgen.Statement) bool {
	c.steps++
	if st.Part == sqlgen.Rows && !st.Edge.Silent {
		c.reached++
	}
	return c.steps > plan.RowsPerIncluded*c.included || c.access == writes && c.reached > c.included
}

// size is what a row takes: its bytes, and where each value ends.
func size(values [][]byte) int {
	n := 4 * len(values)
	for _, v := range values {
		n += len(v)
	}
	return n
}

// TooManyIncluded refuses a document that would include more than the limit.
func TooManyIncluded(limit int) error {
	return jsonapi.Errorf(jsonapi.TooManyIncluded, jsonapi.Parameter("include"),
		"The document would include more than %d resources, or link them more than %d times; ask for a smaller page or for fewer paths.",
		limit, plan.RowsPerIncluded*limit)
}

// tooLarge is the refusal of a result that is not worth reading to its end.
type tooLarge struct{ refusal *jsonapi.Error }

func newTooLarge(limit int) *tooLarge {
	return &tooLarge{jsonapi.Errorf(jsonapi.QueryError, jsonapi.Source{},
		"The answer would be made of more than %d bytes; ask for a smaller page or for fewer fields.", limit)}
}

func (e *tooLarge) Error() string { return e.refusal.Error() }
func (e *tooLarge) Unwrap() error { return e.refusal }

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
