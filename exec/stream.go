package exec

import (
	"context"
	"errors"
	"math"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// A Page takes the rows of a page one by one.
type Page interface {
	// Rows takes a Result whose page has the next row, whose statements before the
	// page are whole, and whose others have no rows yet. Its rows last until Rows
	// returns. An error ends the read.
	Rows(*Result) error
	// Again gives back what was taken, as all rows come again in another try. It
	// reports false where that cannot be.
	Again() bool
}

// Stream runs a read that goes plan.Read.RowByRow, and hands the rows of its page
// on while they come. Where the read is Unbounded there may be any number of them.
// The Result that it returns has the rows of all statements but the page.
//
// The connection waits while the page takes rows, and Postgres with it. The page's
// own errors are returned as they are, others are those of Run; they may come after
// rows that cannot be taken back.
func (c Client) Stream(ctx context.Context, p *sqlgen.Pipeline, pl *plan.Plan, page Page) (*Result, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	bound := c.db.maxBytes
	if pl.Read().Unbounded() {
		bound = math.MaxInt
	}
	var s *streamed
	err := c.exchange(ctx, p, pl, func() receiver {
		s = &streamed{page: page, collector: collector{result: newResult(p), maxBytes: bound}}
		return s
	})
	if u, ok := errors.AsType[*unwanted](err); ok {
		return nil, u.cause
	}
	if err != nil {
		return nil, err
	}
	s.result.Parts[part(s.result, sqlgen.Page)].more = s.more
	return s.result, nil
}

// A streamed receives the page's rows, and hands each on as it came: nothing of it
// is copied.
type streamed struct {
	collector
	page  Page
	begun bool
	count int // rows so far
	more  bool
}

func (s *streamed) receive(part int, rr *pgconn.ResultReader) error {
	if s.result.Pipeline.Statements[part].Part != sqlgen.Page {
		return s.collector.receive(part, rr)
	}
	rows, peek := &s.result.Parts[part], s.result.Pipeline.Statements[part].Peek
	for rr.NextRow() {
		if s.count++; peek.Limit > 0 && s.count > peek.Limit {
			s.more = true
			continue
		}
		values := rr.Values()
		if s.bytes += size(values); s.bytes > s.maxBytes {
			return newTooLarge(s.maxBytes)
		}
		rows.lend(values)
		s.begun = true
		if err := s.page.Rows(s.result); err != nil {
			return &unwanted{err}
		}
	}
	rows.clear()
	return nil
}

func (s *streamed) shown() bool { return s.begun && !s.page.Again() }

// An unwanted is why nobody wants further rows of an answer.
type unwanted struct{ cause error }

func (e *unwanted) Error() string { return e.cause.Error() }
func (e *unwanted) Unwrap() error { return e.cause }
