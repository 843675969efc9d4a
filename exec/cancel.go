package exec

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// A canceller has Postgres cancel what a connection runs when the request's
// context ends: the client has left, or the time is over. Postgres then answers,
// so that the connection serves on and the outcome of a write is known. pgx's
// default closes the connection instead, which costs a new one for each request
// that is given up, through PgBouncer also one to Postgres; and pgx's own
// canceller holds every such connection for a tenth of a second.
//
// A cancel request that comes late would hit the next request on the connection.
// Postgres hangs up on it once the signal has been sent, so the connection is
// given back after that, and is closed if that has not come.
type canceller struct {
	conn *pgconn.PgConn
	stop context.CancelFunc // no further cancel requests
	done chan bool          // whether Postgres has seen all that were sent
}

const (
	// cancelAgain is after how long the cancel request is repeated: one that
	// comes before its statement has begun does nothing.
	cancelAgain = 50 * time.Millisecond
	// cancelWithin is how long Postgres may take to answer to it, until the
	// connection is closed.
	cancelWithin = 2 * time.Second
)

func newCanceller(conn *pgconn.PgConn) ctxwatch.Handler { return &canceller{conn: conn} }

// HandleCancel is called when the context has ended in the middle of an exchange.
func (c *canceller) HandleCancel(context.Context) {
	// An error is that of a connection which is closed already.
	_ = c.conn.Conn().SetDeadline(time.Now().Add(cancelWithin))
	ctx, stop := context.WithCancel(context.Background())
	c.stop, c.done = stop, make(chan bool, 1)
	go func() { c.done <- cancelUntil(ctx, c.conn) }()
}

// HandleUnwatchAfterCancel is called when that exchange is over.
func (c *canceller) HandleUnwatchAfterCancel() {
	c.stop()
	if seen := <-c.done; !seen {
		// Not with a context: the watcher that calls this would watch it.
		_ = c.conn.Close(context.Background()) // the pool drops it
		return
	}
	_ = c.conn.Conn().SetDeadline(time.Time{})
}

// cancelUntil sends cancel requests until ctx ends. It reports whether Postgres
// has acknowledged every one of them.
func cancelUntil(ctx context.Context, conn *pgconn.PgConn) bool {
	deadline, cancel := context.WithTimeout(context.Background(), cancelWithin)
	defer cancel()
	for {
		if err := conn.CancelRequest(deadline); err != nil || deadline.Err() != nil {
			return false
		}
		select {
		case <-ctx.Done():
			return true
		case <-deadline.Done():
			return true
		case <-time.After(cancelAgain):
		}
	}
}
