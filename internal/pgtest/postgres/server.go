// Package postgres finds a PostgreSQL server or starts one, and stops what it
// started: for the tests (through package pgtest) and for the demo command.
//
// It knows how to come by a server and nothing of what is stored in it: no
// schema, no test, no sample data.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// MinVersion is the oldest major version of PostgreSQL that is used.
const MinVersion = 14

// Options say where a server may come from and how long it lives.
type Options struct {
	// Order lists the sources to try, first to last. Empty: DemoOrder.
	Order []Source

	// DataDir keeps the cluster between runs; it is made if it does not
	// exist, and has to be empty or to hold a cluster made by Start. Empty: a
	// temporary directory, removed by Stop, and a server that trades
	// durability for speed.
	DataDir string

	// DSN is the connection string that the source Given stands for. Empty:
	// that source has nothing to offer.
	DSN string

	// Image is the image, name:tag, that Docker runs. Empty: DefaultImage.
	Image string

	// Lifetime is after how long Docker kills a container whose Stop was
	// never called. Zero: never. A server started from binaries needs no
	// such term: it ends with the process that started it.
	Lifetime time.Duration

	// Progress receives a line before anything that takes time. Nil: none.
	Progress io.Writer
}

// Server is a running PostgreSQL. It is safe for concurrent use, Stop aside.
type Server struct {
	// DSN is the connection string of a superuser. Of a Given server it is
	// the one that was given, whatever its role may do.
	DSN string
	// Version is server_version as the server states it: "17.5".
	Version string
	// Source is where the server came from.
	Source Source

	stop func() error
}

// Stop ends the server and removes what it left: the container, or the
// temporary directory. A DataDir and a Given server stay. A second call does
// nothing.
func (s *Server) Stop() error {
	stop := s.stop
	s.stop = nil
	if stop == nil {
		return nil
	}
	if err := stop(); err != nil {
		return fmt.Errorf("stop postgres (%s): %w", s.Source, err)
	}
	return nil
}

// Start goes through the sources in order and returns the first server that
// answers a query. A Given server that is configured and does not answer ends
// the search, as its owner meant that one; any other failure leads to the next
// source. If none is left the error is a NotFoundError.
func Start(ctx context.Context, opts Options) (*Server, error) {
	order := opts.Order
	if len(order) == 0 {
		order = DemoOrder()
	}
	missing := &NotFoundError{}
	for _, source := range order {
		server, err := source.start(ctx, opts)
		if err == nil {
			return server, nil
		}
		if source == Given && opts.DSN != "" {
			return nil, fmt.Errorf("use the given postgres: %w", err)
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("start postgres from %s: %w", source, err)
		}
		missing.Attempts = append(missing.Attempts, Attempt{Source: source, Err: err})
		progress(opts, "no postgres from %s: %s", source, firstLine(err))
	}
	return nil, missing
}

// NotFoundError is Start's answer when no source had a server.
type NotFoundError struct {
	// Attempts are the sources that were tried, in order.
	Attempts []Attempt
}

// Attempt is a source and why it had no server.
type Attempt struct {
	Source Source
	Err    error
}

// Error lists what was tried and what to install.
func (e *NotFoundError) Error() string {
	var b strings.Builder
	b.WriteString("no postgres to be had; tried:\n")
	for _, attempt := range e.Attempts {
		reason := strings.ReplaceAll(attempt.Err.Error(), "\n", "\n    ")
		fmt.Fprintf(&b, "  %s: %s\n", attempt.Source, reason)
	}
	fmt.Fprintf(&b, "install PostgreSQL %d or newer (apt install postgresql, brew install postgresql@17), or start Docker", MinVersion)
	return b.String()
}

// Unwrap gives the reasons of all attempts.
func (e *NotFoundError) Unwrap() []error {
	reasons := make([]error, len(e.Attempts))
	for i, attempt := range e.Attempts {
		reasons[i] = attempt.Err
	}
	return reasons
}

func startGiven(ctx context.Context, opts Options) (*Server, error) {
	if opts.DSN == "" {
		return nil, errors.New("no connection string is set")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	version, err := probe(ctx, opts.DSN)
	if err != nil {
		return nil, err
	}
	return &Server{DSN: opts.DSN, Version: version, Source: Given}, nil
}

// readyTimeout bounds the wait for a server that was started.
const readyTimeout = 60 * time.Second

// awaitReady polls the server until it answers, for at most readyTimeout.
// died is closed when there is nothing left to wait for; nil if that cannot be
// told.
func awaitReady(ctx context.Context, dsn string, died <-chan struct{}) (version string, err error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		version, err = probe(ctx, dsn)
		if err == nil || errors.Is(err, errTooOld) {
			return version, err
		}
		select {
		case <-died:
			return "", errors.New("the server ended before it was ready")
		case <-ctx.Done():
			return "", fmt.Errorf("wait for the server: %w; last: %w", ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

var errTooOld = fmt.Errorf("postgres is older than %d", MinVersion)

// probe connects once and returns the server's version.
func probe(ctx context.Context, dsn string) (version string, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var number int
	err = conn.QueryRow(ctx,
		"SELECT split_part(current_setting('server_version'), ' ', 1), current_setting('server_version_num')::int").
		Scan(&version, &number)
	if err != nil {
		return "", fmt.Errorf("ask for the version: %w", err)
	}
	if number/10000 < MinVersion {
		return "", fmt.Errorf("%w: %s", errTooOld, version)
	}
	return version, nil
}

func progress(opts Options, format string, args ...any) {
	if opts.Progress != nil {
		fmt.Fprintf(opts.Progress, format+"\n", args...)
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
