package exec

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// Stream runs a read that plan.Read.Streams, and hands the rows of its page on
// while they come, so that there may be any number of them. It calls page with
// each piece: a Result whose page has the next rows, whose statements before the
// page are whole, and whose others have no rows yet; it lasts until page returns.
// The Result that Stream returns has the rows of all statements but the page.
//
// The connection waits while page does, and Postgres with it. What page returns
// ends the read, and is returned as it is. Once page has been called no other try
// is made, so errors may come after rows that cannot be taken back. Errors are as
// those of Run.
func (c Client) Stream(ctx context.Context, p *sqlgen.Pipeline, pl *plan.Plan, page func(*Result) error) (*Result, error) {
	var s *streamed
	err := c.exchange(ctx, p, pl, func() receiver {
		s = &streamed{page: page, collector: collector{result: newResult(p), maxBytes: c.db.maxBytes}}
		return s
	})
	if u, ok := errors.AsType[*unwanted](err); ok {
		return nil, u.cause
	}
	if err != nil {
		return nil, err
	}
	if rows := &s.result.Parts[part(s.result, sqlgen.Page)]; rows.Len() > 0 {
		if err := page(s.result); err != nil {
			return nil, err
		}
		rows.clear()
	}
	return s.result, nil
}

// pieceBytes is about how much of a page is handed on at once.
const pieceBytes = 32 << 10

// A streamed receives the page's rows in pieces. The last one stays: where it is
// the only one, the request may be tried again until all has gone well.
type streamed struct {
	collector
	page  func(*Result) error
	begun bool
}

func (s *streamed) receive(part int, rr *pgconn.ResultReader) error {
	if s.result.Pipeline.Statements[part].Part != sqlgen.Page {
		return s.collector.receive(part, rr)
	}
	rows := &s.result.Parts[part]
	for rr.NextRow() {
		rows.append(rr.Values())
		if len(rows.data) < pieceBytes {
			continue
		}
		s.begun = true
		if err := s.page(s.result); err != nil {
			return &unwanted{err}
		}
		rows.clear()
	}
	return nil
}

func (s *streamed) shown() bool { return s.begun }

// An unwanted is why nobody wants further rows of an answer.
type unwanted struct{ cause error }

func (e *unwanted) Error() string { return e.cause.Error() }
func (e *unwanted) Unwrap() error { return e.cause }
