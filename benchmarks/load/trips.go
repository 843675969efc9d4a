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

// A trip is what one client saw of one contender through a proxy, with a delay
// between Go and Postgres and without: p50, the medians over the rounds. Apart is
// that of the differences within a round.
type trip struct {
	Workload, Contender string
	Far, Near, Apart    time.Duration
}

// trips measures one client with the delay and without. Both go through a proxy,
// as that takes its time with large answers.
func (p *program) trips(ctx context.Context, d *database, r *record) (err error) {
	far, err := p.apart(ctx, d, p.delay)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, far.close()) }()
	near, err := p.apart(ctx, d, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, near.close()) }()
	if r.Ping, err = ping(ctx, d.dsn, far.dial); err != nil {
		return err
	}
	for _, w := range p.workloads {
		p.progress("%s, with %s between Go and Postgres", w.Name, p.delay)
		for i, c := range far.list {
			if w.Writes || !c.answers(w) {
				continue
			}
			t, err := p.trip(ctx, c, near.list[i], w)
			if err != nil {
				return err
			}
			r.Trips = append(r.Trips, t)
		}
	}
	return nil
}

// trip measures one workload with the delay and without, in turn.
func (p *program) trip(ctx context.Context, far, near *contender, w blog.Workload) (trip, error) {
	var with, without, apart []time.Duration
	for range p.rounds {
		one, err := p.alone(ctx, far, w)
		if err != nil {
			return trip{}, err
		}
		other, err := p.alone(ctx, near, w)
		if err != nil {
			return trip{}, err
		}
		with, without, apart = append(with, one), append(without, other), append(apart, one-other)
	}
	return trip{w.Name, far.name, median(with), median(without), median(apart)}, nil
}

// An apart is contenders whose connections go through a proxy.
type apart struct {
	*contenders
	proxy *delay.Proxy
	dial  pgconn.DialFunc
}

// apart opens the contenders behind a proxy with that round trip.
func (p *program) apart(ctx context.Context, d *database, roundTrip time.Duration) (*apart, error) {
	config, err := pgconn.ParseConfig(d.dsn)
	if err != nil {
		return nil, fmt.Errorf("read the connection string: %w", err)
	}
	postgres, address := pgconn.NetworkAddress(config.Host, config.Port)
	proxy, err := delay.Start(postgres, address, roundTrip)
	if err != nil {
		return nil, err
	}
	a := &apart{proxy: proxy, dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", proxy.Addr())
	}}
	if a.contenders, err = openContenders(ctx, d.dsn, opening{conns: 2, dial: a.dial}); err != nil {
		return nil, errors.Join(err, proxy.Close())
	}
	return a, nil
}

func (a *apart) close() error {
	a.contenders.close()
	return a.proxy.Close()
}

// alone is the p50 of one client in a slot.
func (p *program) alone(ctx context.Context, c *contender, w blog.Workload) (time.Duration, error) {
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
	return got.P50, nil
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
