package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
	"github.com/resourcery/resourcery/benchmarks/internal/handmade"
	"github.com/resourcery/resourcery/benchmarks/internal/indb"
)

// The contenders' names, in the order in which they are shown.
const (
	library  = "library"
	network  = "library over net/http"
	byHand   = "hand-written"
	inServer = "JSON in Postgres"
)

// A contender is one way of answering the requests.
type contender struct {
	name    string
	handler http.Handler
	// address is where it listens, "" for one that is called in process.
	address string
	// application is the name under which its connections are known to Postgres.
	application string
	// byteForByte says that its documents are the library's.
	byteForByte bool
	reads       bool // and nothing else
}

// answers reports whether it has an answer to a workload.
func (c *contender) answers(w blog.Workload) bool { return !w.Writes || !c.reads }

// contenders are all of them, open.
type contenders struct {
	list    []*contender
	closers []func()
}

func (c *contenders) named(name string) *contender {
	for _, one := range c.list {
		if one.name == name {
			return one
		}
	}
	panic("load: no contender " + name)
}

// close closes them; a second call does nothing.
func (c *contenders) close() {
	for i := len(c.closers) - 1; i >= 0; i-- {
		c.closers[i]()
	}
	c.closers = nil
}

// An opening is how the contenders' pools are opened.
type opening struct {
	conns int
	// dial connects to Postgres; nil: directly.
	dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (o opening) config(dsn, application string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("read the connection string: %w", err)
	}
	config.MaxConns = int32(o.conns)
	config.ConnConfig.RuntimeParams["application_name"] = application
	if o.dial != nil {
		config.ConnConfig.DialFunc = o.dial
	}
	return config, nil
}

// openContenders opens a pool for each kind of handler.
func openContenders(ctx context.Context, dsn string, o opening) (c *contenders, err error) {
	c = &contenders{}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	names := map[string]string{}
	for _, name := range []string{library, byHand, inServer} {
		names[name] = "load " + strings.ReplaceAll(name, " ", "-")
	}
	config, err := o.config(dsn, names[library])
	if err != nil {
		return nil, err
	}
	site, err := blog.OpenConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, site.Close)
	handler, err := site.Handler()
	if err != nil {
		return nil, err
	}
	address, stop, err := listen(handler)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, stop)

	if config, err = o.config(dsn, names[byHand]); err != nil {
		return nil, err
	}
	hand, err := handmade.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, hand.Close)

	if config, err = o.config(dsn, names[inServer]); err != nil {
		return nil, err
	}
	inside, err := indb.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, inside.Close)
	c.list = []*contender{
		{name: library, handler: handler, application: names[library], byteForByte: true},
		{name: network, handler: handler, address: address, application: names[library], byteForByte: true},
		{name: byHand, handler: hand, application: names[byHand], byteForByte: true},
		{name: inServer, handler: inside, application: names[inServer], reads: true},
	}
	return c, nil
}

// listen serves a handler on a free port of this machine.
func listen(h http.Handler) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: h}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	return listener.Addr().String(), func() {
		_ = server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			panic("load: serve: " + err.Error())
		}
	}, nil
}
