package handmade

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// An exchange is the one trip of a request: a pipeline on a connection of its
// own, which is an implicit transaction.
type exchange struct {
	site     *Site
	conn     *pgxpool.Conn
	pipeline *pgconn.Pipeline
}

func (s *Site) begin(ctx context.Context) (exchange, error) {
	conn, err := s.Pool.Acquire(ctx)
	if err != nil {
		return exchange{}, fmt.Errorf("acquire a connection: %w", err)
	}
	return exchange{s, conn, conn.Conn().PgConn().StartPipeline(ctx)}, nil
}

// seal sends the session. Its values are those of the caller, who is always the
// same here.
func (x exchange) seal(a *answer, access statement) {
	s := append(a.session[:0], []byte(blog.UserID), []byte(blog.TenantID), []byte(blog.Role))
	x.send(access, s, sessionFormat, textual)
	a.session = s
}

func (x exchange) send(st statement, params [][]byte, paramFormats, resultFormats []int16) {
	x.pipeline.SendQueryStatement(x.site.prepared[st], params, paramFormats, resultFormats)
}

// sync sends all, and passes over the results of the first statements.
func (x exchange) sync(passed int) error {
	if err := x.pipeline.Sync(); err != nil {
		return fmt.Errorf("send the pipeline: %w", err)
	}
	for range passed {
		rows, err := x.rows()
		if err != nil {
			return err
		}
		if _, err := rows.Close(); err != nil {
			return err
		}
	}
	return nil
}

// rows are those of the next statement. They have to be closed.
func (x exchange) rows() (*pgconn.ResultReader, error) {
	results, err := x.pipeline.GetResults()
	if err != nil {
		return nil, err
	}
	rows, ok := results.(*pgconn.ResultReader)
	if !ok {
		return nil, fmt.Errorf("a %T instead of rows", results)
	}
	return rows, nil
}

// end gives the connection back once the transaction has ended. A transaction
// that fails at its end is told here.
func (x exchange) end() error {
	defer x.conn.Release()
	return x.pipeline.Close()
}
