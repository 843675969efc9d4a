package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
	"github.com/resourcery/resourcery/benchmarks/internal/delay"
)

// A trip is what one client saw of one contender with a delay between Go and
// Postgres, and without: p50.
type trip struct {
	Workload, Contender string
	Far, Near           time.Duration
}

// trips measures one client with the delay and without.
func (p *program) trips(ctx context.Context, d *database, near *contenders, r *record) (err error) {
	config, err := pgconn.ParseConfig(d.dsn)
	if err != nil {
		return fmt.Errorf("read the connection string: %w", err)
	}
	postgres, address := pgconn.NetworkAddress(config.Host, config.Port)
	proxy, err := delay.Start(postgres, address, p.delay)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, proxy.Close()) }()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", proxy.Addr())
	}
	if r.Ping, err = ping(ctx, d.dsn, dial); err != nil {
		return err
	}
	far, err := openContenders(ctx, d.dsn, opening{conns: 2, dial: dial})
	if err != nil {
		return err
	}
	defer far.close()
	for _, w := range p.workloads {
		p.progress("%s, with %s between Go and Postgres", w.Name, p.delay)
		for i, c := range far.list {
			if !c.answers(w) {
				continue
			}
			t := trip{Workload: w.Name, Contender: c.name}
			if t.Far, err = p.alone(ctx, d, c, w); err != nil {
				return err
			}
			if t.Near, err = p.alone(ctx, d, near.list[i], w); err != nil {
				return err
			}
			r.Trips = append(r.Trips, t)
		}
	}
	return nil
}

// alone is the p50 of one client in a slot.
func (p *program) alone(ctx context.Context, d *database, c *contender, w blog.Workload) (time.Duration, error) {
	one, err := newCrowd(ctx, c, w.Requests(p.size), 1)
	if err != nil {
		return 0, err
	}
	defer one.close()
	// Statements are prepared and plans are generic after these.
	for n := range 8 {
		if err := one.clients[0].ask(n); err != nil {
			return 0, fmt.Errorf("%s, %s: %w", w.Name, c.name, err)
		}
	}
	got, err := one.measure(p.slot, &backends{})
	if err != nil {
		return 0, fmt.Errorf("%s, %s: %w", w.Name, c.name, err)
	}
	return got.P50, p.restore(ctx, d, w)
}

// ping is the shortest trip to Postgres and back, the median of some.
func ping(ctx context.Context, dsn string, dial pgconn.DialFunc) (time.Duration, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return 0, fmt.Errorf("read the connection string: %w", err)
	}
	config.DialFunc = dial
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return 0, fmt.Errorf("connect through the delaying proxy: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var took []time.Duration
	for range 21 {
		start := time.Now()
		if err := conn.Ping(ctx); err != nil {
			return 0, fmt.Errorf("measure a trip: %w", err)
		}
		took = append(took, time.Since(start))
	}
	return median(took), nil
}
