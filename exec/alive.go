package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// idle is how long a connection may have been idle until a write asks whether it
// is still there: a write that was sent to a dead one cannot be sent again, as
// nobody knows whether it was done.
const idle = time.Second

// alive looks whether Postgres has ended a connection that was idle: then there
// is something to read, its farewell or the end. That takes a millisecond and no
// round trip. (PgConn.CheckConn does the same under a context, whose end would
// have what the connection runs cancelled.)
func alive(conn *pgconn.PgConn) error {
	if used := statementsOf(conn).used; used.IsZero() || time.Since(used) < idle {
		return nil
	}
	wire := conn.Conn()
	if err := wire.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		return fmt.Errorf("look whether a connection is alive: %w", err)
	}
	var b [1]byte
	_, err := wire.Read(b[:])
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return wire.SetReadDeadline(time.Time{})
	}
	_ = conn.Close(context.Background()) // the pool drops it
	if err == nil {
		err = errors.New("it has said something that nobody asked for")
	}
	return fmt.Errorf("a connection that was idle has ended: %w", err)
}
