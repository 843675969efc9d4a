package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

// The notification that asks for a reload: NOTIFY resourcery, 'reload schema'.
const (
	channel = "resourcery"
	payload = "reload schema"
)

// How long to wait before connecting again: longer after each failure.
const (
	shortestWait = time.Second
	longestWait  = time.Minute
)

// A Listener waits for notifications on a connection of its own, as one of the
// pool's would be lost to the requests.
type Listener struct {
	// Config says where to connect.
	Config *pgx.ConnConfig
	// Reload is called for each notification, and after the connection was
	// lost and made again, as a notification may have been missed meanwhile.
	Reload func()
	// Tried is called once, when the first attempt to listen has come to an end:
	// from then on no notification is missed, unless the log says so.
	Tried func()
	Log   *slog.Logger
}

// Run listens until ctx ends, connecting again whenever the connection breaks.
func (l *Listener) Run(ctx context.Context) {
	wait := shortestWait
	for first := true; ; first = false {
		connected, err := l.listen(ctx, first)
		if first && !connected {
			l.Tried()
		}
		if ctx.Err() != nil {
			return
		}
		if connected {
			wait = shortestWait
		}
		l.Log.Warn("not listening for schema changes; connecting again", "after", wait, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, longestWait)
	}
}

// listen returns when the connection breaks or ctx ends, and whether it got as
// far as listening.
func (l *Listener) listen(ctx context.Context, first bool) (connected bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, l.Config.Copy())
	if err != nil {
		return false, fmt.Errorf("connect: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		err = errors.Join(err, conn.Close(closing))
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return false, fmt.Errorf("listen: %w", err)
	}
	if first {
		l.Tried()
	} else {
		l.Reload()
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true, fmt.Errorf("wait for notifications: %w", err)
		}
		if n.Payload == payload {
			l.Reload()
			continue
		}
		l.Log.Warn("unknown notification", "channel", channel, "known", payload)
	}
}
