package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// run lasts until everything is measured and written.
func (p *program) run(ctx context.Context) (err error) {
	database, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.close(ctx)) }()

	started := time.Now()
	r := &record{
		Date: started.UTC().Format(time.DateTime), Machine: describeMachine(), Server: database.about,
		DataSet: p.size.String() + ": " + p.size.Rows(), Rounds: p.rounds, Slot: p.slot.String(), Delay: p.delay.String(),
	}
	contenders, err := openContenders(ctx, database.dsn, opening{conns: slices.Max(p.clients)})
	if err != nil {
		return err
	}
	defer contenders.close()
	if r.Answers, err = p.compare(ctx, database, contenders); err != nil {
		return err
	}
	if err := p.load(ctx, database, contenders, r); err != nil {
		return err
	}
	if p.delay > 0 {
		if err := p.trips(ctx, database, r); err != nil {
			return err
		}
	}
	if p.profile != "" {
		if err := p.profiles(ctx, database, contenders); err != nil {
			return err
		}
	}
	if p.stream {
		contenders.close() // whose memory would be counted
		if r.Streams, err = p.streams(ctx, database); err != nil {
			return err
		}
	}
	r.Took = time.Since(started).Round(time.Second).String()
	r.Targets = r.targets()
	if err := p.publish(r); err != nil {
		return err
	}
	if p.check && slices.ContainsFunc(r.Targets, func(t target) bool { return !t.Met }) {
		return errMissed
	}
	return nil
}

// restore takes back what a workload has written.
func (p *program) restore(ctx context.Context, d *database, w blog.Workload) error {
	if !w.Writes {
		return nil
	}
	if err := blog.Restore(ctx, d.conn, p.size); err != nil {
		return fmt.Errorf("after %s: %w", w.Name, err)
	}
	return nil
}
