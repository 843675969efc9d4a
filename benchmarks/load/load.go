package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// A series is what all rounds told of one contender, with so many clients and
// one workload.
type series struct {
	Workload  string
	Clients   int
	Contender string
	Rounds    []sample
}

// load measures all workloads with all numbers of clients.
func (p *program) load(ctx context.Context, d *database, all *contenders, r *record) error {
	harness, err := p.harness(ctx)
	if err != nil {
		return err
	}
	r.Harness = harness
	for _, w := range p.workloads {
		for _, clients := range p.clients {
			p.progress("%s, %s", w.Name, several(clients))
			measured, err := p.turns(ctx, d, all, turn{w, clients})
			if err != nil {
				return err
			}
			r.Load = append(r.Load, measured...)
		}
	}
	return nil
}

// A turn is a workload with so many clients.
type turn struct {
	workload blog.Workload
	clients  int
}

// turns measures the contenders in turn, round after round. Rounds begin with
// another one than those before, and every second goes the other way, so that what
// one leaves behind falls on all.
func (p *program) turns(ctx context.Context, d *database, all *contenders, t turn) ([]series, error) {
	var out []series
	var crowds []*crowd
	var serving []*backends
	requests := t.workload.Requests(p.size)
	for _, c := range all.list {
		if !c.answers(t.workload) {
			continue
		}
		crowd, err := newCrowd(ctx, c, requests, t.clients)
		if err != nil {
			return nil, err
		}
		defer crowd.close()
		if err := crowd.ask(p.warmUp()); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", t.workload.Name, c.name, err)
		}
		pg, err := findBackends(ctx, d.conn, c.application)
		if err != nil {
			return nil, err
		}
		out = append(out, series{t.workload.Name, t.clients, c.name, nil})
		crowds, serving = append(crowds, crowd), append(serving, pg)
	}
	for round := range p.rounds {
		for i := range out {
			if i = (i + round/2) % len(out); round%2 > 0 {
				i = len(out) - 1 - i
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := p.restore(ctx, d, t.workload); err != nil {
				return nil, err
			}
			one, err := crowds[i].measure(p.slot, serving[i])
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", t.workload.Name, out[i].Contender, err)
			}
			out[i].Rounds = append(out[i].Rounds, one)
		}
	}
	return out, p.restore(ctx, d, t.workload)
}

// warmUp is how long clients ask before they are measured: plans become generic
// with the sixth execution, and pools fill.
func (p *program) warmUp() time.Duration { return min(p.slot, 300*time.Millisecond) }

// harness measures the clients alone, with a handler that does nothing.
func (p *program) harness(ctx context.Context) (sample, error) {
	nothing := &contender{name: "nothing", handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	w, _ := blog.Named("W1")
	crowd, err := newCrowd(ctx, nothing, w.Requests(p.size), 1)
	if err != nil {
		return sample{}, err
	}
	defer crowd.close()
	if err := crowd.ask(p.warmUp()); err != nil {
		return sample{}, err
	}
	return crowd.measure(min(p.slot, 100*time.Millisecond), &backends{})
}
