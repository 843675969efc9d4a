// Package live keeps an API running while its schema changes: the handler of
// the newest reading of the schema that succeeded answers, and signals and
// notifications ask for the next reading (contract 11.5).
//
// It knows no schema and no plan; how a handler is made is its caller's.
package live

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"
)

// Load reads the schema anew and returns a handler that serves it.
type Load func(context.Context) (http.Handler, error)

// loadTimeout bounds one reading, so that a database that hangs does not keep
// later ones from being tried.
const loadTimeout = time.Minute

// An API is a handler that can be replaced while it serves. Requests that are
// running finish on the handler that they began with.
type API struct {
	load    Load
	log     *slog.Logger
	current atomic.Pointer[http.Handler]
	asked   chan struct{}
}

// NewAPI reads the schema for the first time.
func NewAPI(ctx context.Context, load Load, log *slog.Logger) (*API, error) {
	a := &API{load: load, log: log, asked: make(chan struct{}, 1)}
	if err := a.replace(ctx); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *API) replace(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	handler, err := a.load(ctx)
	if err != nil {
		return err
	}
	a.current.Store(&handler)
	return nil
}

// ServeHTTP answers with the newest handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*a.current.Load()).ServeHTTP(w, r)
}

// Reload asks for a new reading of the schema and returns at once. Asking again
// before that reading has begun changes nothing.
func (a *API) Reload() {
	select {
	case a.asked <- struct{}{}:
	default:
	}
}

// Run does what Reload asks for until ctx ends. A reading that fails leaves
// the handler as it is and says so in the log.
func (a *API) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.asked:
		}
		err := a.replace(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			a.log.Error("reload failed; the schema read before is served on", "error", err)
		default:
			a.log.Info("schema reloaded")
		}
	}
}
