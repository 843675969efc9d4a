package handmade

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// A Site is the handler with its pool.
type Site struct {
	Pool *pgxpool.Pool

	// prepared are the statements' descriptions. They are the same on every
	// connection.
	prepared [statements]*pgconn.StatementDescription
	once     sync.Once
	answers  sync.Pool // of *answer
}

// Open connects to an installed data set.
func Open(ctx context.Context, config *pgxpool.Config) (*Site, error) {
	s := &Site{answers: sync.Pool{New: func() any { return new(answer) }}}
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	config.AfterConnect = s.prepare
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the hand-written site: %w", err)
	}
	s.Pool = pool
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the hand-written site: %w", err)
	}
	return s, nil
}

// Close closes the pool.
func (s *Site) Close() { s.Pool.Close() }

// prepare prepares every statement on a new connection, under the role that
// will run them.
func (s *Site) prepare(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "SET ROLE "+blog.Role); err != nil {
		return err
	}
	var prepared [statements]*pgconn.StatementDescription
	for i, sql := range texts {
		var err error
		if prepared[i], err = conn.PgConn().Prepare(ctx, fmt.Sprintf("handmade_%d", i), sql, nil); err != nil {
			return fmt.Errorf("prepare %q: %w", sql, err)
		}
	}
	s.once.Do(func() { s.prepared = prepared })
	_, err := conn.Exec(ctx, "RESET ROLE")
	return err
}

// ServeHTTP answers one request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := s.answers.Get().(*answer)
	a.reset(w.Header())
	if err := s.serve(a, w, r); err != nil {
		a.fail(w, err)
	}
	if cap(a.body) <= keptBody {
		s.answers.Put(a)
	}
}

// keptBody is the largest body whose buffer is used again.
const keptBody = 4 << 20
