package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/bearer"
	"github.com/resourcery/resourcery/cmd/resourcery/internal/config"
	"github.com/resourcery/resourcery/cmd/resourcery/internal/live"
	"github.com/resourcery/resourcery/cmd/resourcery/internal/metrics"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
)

const defaultAddr = "127.0.0.1:8080"

// serving is all that `serve` can be told.
type serving struct {
	source
	paging
	dialect
	access
	bounds
	endpoint    string
	corsOrigins []string
	metricsAddr string
	logValues   bool
	file        func() (*config.File, error) // the configuration, read anew
}

func (p *program) serveCommand() *cobra.Command {
	var o serving
	var addr string
	cmd := &cobra.Command{
		Use:   "serve --dsn URL",
		Short: "Serve a database",
		Long: "Serve a database. The schema is read when the command starts, on SIGHUP, and on\n" +
			"NOTIFY resourcery, 'reload schema'; SIGTERM lets running requests finish.",
		Args: noArguments,
	}
	f := cmd.Flags()
	o.source.flags(f)
	f.StringVar(&addr, "addr", defaultAddr, "where to listen, `host:port`; port 0 chooses a free one")
	f.StringVar(&o.endpoint, "endpoint", "", "the `URL` of the API as its clients see it (default http://<addr>/api)")
	o.paging.flags(f)
	o.dialect.flags(f)
	o.access.flags(f)
	o.bounds.flags(f)
	f.StringSliceVar(&o.corsOrigins, "cors-origins", nil, "the `origins` that browsers may call from, such as https://app.example.org, or * for any (default none)")
	f.StringVar(&o.metricsAddr, "metrics-addr", "", "where to serve metrics for Prometheus, `host:port`, at "+metrics.Path+" (default nowhere)")
	f.BoolVar(&o.logValues, "log-values", false, "log what Postgres says of an error also where it quotes values of requests and rows")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		file, err := p.settle(f)
		if err != nil {
			return err
		}
		o.access.variables = file.Session
		o.file = func() (*config.File, error) { return p.configuration(f.Lookup(configFlag)) }
		listener, err := listen("addr", addr)
		if err != nil {
			return err
		}
		defer listener.Close()
		ctx, cancel := context.WithCancel(cmd.Context())
		defer cancel()
		return o.serve(ctx, listener, p.logger(), func(e endpoint) {
			fmt.Fprintf(p.stdout, "resourcery listens on %s, the API is %s\n", listener.Addr(), e.url)
		})
	}
	return cmd
}

// listen takes the address of a flag, before anything is started that would have
// to be stopped again.
func listen(flag, addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("another program listens on %s already; choose another address with --%s, such as --%s 127.0.0.1:0", addr, flag, flag)
	case err != nil:
		return nil, fmt.Errorf("--%s %s: %w", flag, addr, err)
	}
	return listener, nil
}

// serve serves until ctx ends and calls ready once, when requests are answered.
func (o *serving) serve(ctx context.Context, listener net.Listener, log *slog.Logger, ready func(endpoint)) error {
	at, err := parseEndpoint(o.endpoint, listener.Addr())
	if err != nil {
		return err
	}
	if err := o.bounds.validate(); err != nil {
		return err
	}
	sessions, err := o.sessions(log)
	if err != nil {
		return err
	}
	style, err := httpapi.REST(o.restOptions(at.url))
	if err != nil {
		return err
	}
	pool, err := openPool(ctx, o.source, o.maxConns)
	if err != nil {
		return err
	}
	defer pool.Close()

	api, err := live.NewAPI(ctx, func(ctx context.Context) (http.Handler, error) {
		return o.handler(ctx, pool, sessions, style, log)
	}, log)
	if err != nil {
		return err
	}
	answering, err := crossOrigin(o.corsOrigins, api)
	if err != nil {
		return err
	}
	if o.metricsAddr != "" {
		counted := metrics.New(at.path, pool)
		answering = counted.Counting(answering)
		stop, err := o.expose(ctx, counted, log)
		if err != nil {
			return err
		}
		defer stop()
	}
	defer o.reloading(ctx, api, pool, log)()
	ready(at)
	site := &live.Site{
		Base: at.path, API: answering, Log: log,
		Ping: func(ctx context.Context) error { return reach(ctx, pool) },
	}
	return live.Serve(ctx, listener, site, log)
}

// restOptions are the options of the API at an endpoint.
func (o *serving) restOptions(endpoint string) httpapi.RESTOptions {
	out := restOptions(endpoint, o.paging, o.dialect)
	out.Timeout = o.requestTimeout
	return out
}

// expose serves metrics on a listener of their own, as they are not for callers
// of the API; the function that it returns stops that and waits for its end.
func (o *serving) expose(ctx context.Context, m *metrics.Metrics, log *slog.Logger) (stop func(), err error) {
	listener, err := listen("metrics-addr", o.metricsAddr)
	if err != nil {
		return nil, err
	}
	log.Info("metrics", "url", "http://"+reachable(listener.Addr())+metrics.Path)
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		if err := live.Serve(ctx, listener, m, log); err != nil {
			log.Error("metrics are not served any more", "error", err)
		}
	})
	return func() {
		cancel()
		group.Wait()
	}, nil
}

// handler reads the schema, and the overlay with it, and makes the API's handler.
func (o *serving) handler(ctx context.Context, pool *pgxpool.Pool, sessions *bearer.Sessions, style httpapi.Style, log *slog.Logger) (http.Handler, error) {
	file, err := o.file()
	if err != nil {
		return nil, err
	}
	if err := checkLanguage(ctx, pool, o.searchLanguage); err != nil {
		return nil, err
	}
	catalog, err := readCatalog(ctx, pool, o.source, file)
	if err != nil {
		return nil, err
	}
	s, db, err := openDatabase(ctx, pool, catalog, exec.Options{
		Variables: sessions.Variables(), AnonymousRole: o.anonRole, AllowUnsafeRole: o.unsafe, PgBouncer: o.pgbouncer,
		StatementTimeout: o.statementTimeout, AcquireTimeout: o.acquireTimeout, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	return httpapi.NewHost(httpapi.HostOptions{
		Client: func(r *http.Request) (exec.Client, error) {
			session, err := sessions.Of(r)
			if err != nil {
				return exec.Client{}, err
			}
			return db.As(session), nil
		},
		Logger: log, LogValues: o.logValues, Schema: s, Handler: style,
		MaxInFlight: o.maxInFlight, Rate: o.rate(sessions),
	})
}

// reloading starts what replaces the schema, and returns once notifications are
// heard; the function that it returns stops that and waits for its end.
func (o *serving) reloading(ctx context.Context, api *live.API, pool *pgxpool.Pool, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)

	var group sync.WaitGroup
	group.Go(func() { api.Run(ctx) })
	// In transaction mode PgBouncer keeps no connection on which to listen.
	if !o.pgbouncer {
		tried := make(chan struct{})
		listener := live.Listener{Config: pool.Config().ConnConfig, Reload: api.Reload, Tried: func() { close(tried) }, Log: log}
		group.Go(func() { listener.Run(ctx) })
		<-tried
	}
	group.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				api.Reload()
			}
		}
	})
	return func() {
		signal.Stop(hangups)
		cancel()
		group.Wait()
	}
}
