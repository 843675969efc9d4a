package main

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// A sample is what one slot told of one contender.
type sample struct {
	Requests  int
	PerSecond float64
	P50, P99  time.Duration
	// CPU is time of this process per request, the clients' share with it, and
	// PostgresCPU that of the backends; 0: not measured.
	CPU, PostgresCPU time.Duration
	// Allocs and Bytes are what this process allocated per request.
	Allocs, Bytes float64
}

// A crowd is clients that ask at the same time.
type crowd struct {
	clients   []client
	latencies [][]time.Duration
}

// kept is how many latencies a client has room for without allocating.
const kept = 1 << 14

// newCrowd makes clients of a contender that begin at different requests.
func newCrowd(ctx context.Context, c *contender, requests []blog.Request, size int) (*crowd, error) {
	out := &crowd{latencies: make([][]time.Duration, size)}
	for i := range size {
		at := i * len(requests) / size
		one, err := c.newClient(ctx, slices.Concat(requests[at:], requests[:at]))
		if err != nil {
			out.close()
			return nil, err
		}
		out.clients = append(out.clients, one)
		out.latencies[i] = make([]time.Duration, 0, kept)
	}
	return out, nil
}

func (c *crowd) close() {
	for _, one := range c.clients {
		one.close()
	}
}

// ask has the clients ask for as long as the slot is, and each at least once.
func (c *crowd) ask(slot time.Duration) error {
	errs := make([]error, len(c.clients))
	end := time.Now().Add(slot)
	var group sync.WaitGroup
	for i, one := range c.clients {
		group.Go(func() {
			latencies := c.latencies[i][:0]
			for n, before := 0, time.Now(); n == 0 || before.Before(end); n++ {
				if errs[i] = one.ask(n); errs[i] != nil {
					return
				}
				after := time.Now()
				latencies = append(latencies, after.Sub(before))
				before = after
			}
			c.latencies[i] = latencies
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// measure has the clients ask for a slot and returns what that told.
func (c *crowd) measure(slot time.Duration, pg *backends) (sample, error) {
	runtime.GC()
	var before, after runtime.MemStats
	if err := pg.start(); err != nil {
		return sample{}, err
	}
	runtime.ReadMemStats(&before)
	cpu, start := processCPU(), time.Now()
	if err := c.ask(slot); err != nil {
		return sample{}, err
	}
	elapsed, cpu := time.Since(start), processCPU()-cpu
	runtime.ReadMemStats(&after)
	postgres, err := pg.used()
	if err != nil {
		return sample{}, err
	}
	all := slices.Concat(c.latencies...)
	slices.Sort(all)
	n := len(all)
	return sample{
		Requests:    n,
		PerSecond:   float64(n) / elapsed.Seconds(),
		P50:         all[n/2],
		P99:         all[min(n-1, n*99/100)],
		CPU:         cpu / time.Duration(n),
		PostgresCPU: postgres / time.Duration(n),
		Allocs:      float64(after.Mallocs-before.Mallocs) / float64(n),
		Bytes:       float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
	}, nil
}
