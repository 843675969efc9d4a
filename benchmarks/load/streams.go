package main

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
	"github.com/resourcery/resourcery/benchmarks/internal/handmade"
	"github.com/resourcery/resourcery/httpapi"
)

// A stream is what reading all comments in one answer told.
type stream struct {
	Contender     string
	Rows          int
	Bytes         int64
	Took          time.Duration
	RowsPerSecond float64
	FirstByte     time.Duration // until the first byte was written
	// HeapAlloc and HeapInuse are the largest that were seen, of runtime.MemStats.
	HeapAlloc, HeapInuse uint64
	// Failed says why there is no answer, "" where there is.
	Failed string
	sum    uint64
}

// streams reads all comments, without pages and without includes.
func (p *program) streams(ctx context.Context, d *database) ([]stream, error) {
	o := opening{conns: 1}
	config, err := o.config(d.dsn, "load stream")
	if err != nil {
		return nil, err
	}
	site, err := blog.OpenConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	defer site.Close()
	handler, err := site.Host(httpapi.RESTOptions{Endpoint: blog.Endpoint, PageSize: httpapi.Unlimited})
	if err != nil {
		return nil, err
	}
	if config, err = o.config(d.dsn, "load stream"); err != nil {
		return nil, err
	}
	hand, err := handmade.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	defer hand.Close()

	var rows int
	if err := d.conn.QueryRow(ctx, `SELECT count(*)::int FROM "Comment" WHERE NOT hidden OR "authorId" = `+blog.UserID).Scan(&rows); err != nil {
		return nil, fmt.Errorf("count the comments: %w", err)
	}
	var out []stream
	for _, c := range []*contender{{name: byHand, handler: hand}, {name: library, handler: handler}} {
		p.progress("streaming %d comments, %s", rows, c.name)
		s, err := streaming(ctx, c)
		if err != nil {
			return nil, err
		}
		s.Rows, s.RowsPerSecond = rows, float64(rows)/s.Took.Seconds()
		out = append(out, s)
	}
	if s := &out[1]; s.Failed == "" && s.sum != out[0].sum {
		s.Failed = "the document is another one than the hand-written handler's"
	}
	return out, nil
}

// A counter counts and hashes what it is written, and notes when that began.
type counter struct {
	discard
	start time.Time
	first time.Duration
	hash  maphash.Hash
}

var seed = maphash.MakeSeed()

func (w *counter) Write(p []byte) (int, error) {
	if w.first == 0 {
		w.first = time.Since(w.start)
	}
	_, _ = w.hash.Write(p)
	return w.discard.Write(p)
}

// Flush and FlushError are there as a server's writer has them.
func (w *counter) Flush()            {}
func (w *counter) FlushError() error { return nil }

// streaming asks once and watches the heap meanwhile.
func streaming(ctx context.Context, c *contender) (stream, error) {
	s := stream{Contender: c.name}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, blog.Endpoint+"/comment?page%5Btotal%5D=none", nil)
	if err != nil {
		return s, fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Accept", accepted)
	runtime.GC()         // what pools keep goes with the second collection
	debug.FreeOSMemory() // which collects garbage first

	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() { s.watch(done) })
	w := &counter{discard: discard{header: http.Header{}, status: http.StatusOK}, start: time.Now()}
	w.hash.SetSeed(seed)
	c.handler.ServeHTTP(w, request)
	s.Took = time.Since(w.start)
	close(done)
	group.Wait()
	s.Bytes, s.FirstByte, s.sum = w.bytes, w.first, w.hash.Sum64()
	if w.status != http.StatusOK {
		s.Failed = fmt.Sprintf("status %d", w.status)
	}
	return s, nil
}

// watch notes the largest heap until done.
func (s *stream) watch(done <-chan struct{}) {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.HeapAlloc, s.HeapInuse = max(s.HeapAlloc, m.HeapAlloc), max(s.HeapInuse, m.HeapInuse)
		select {
		case <-done:
			return
		case <-ticker.C:
		}
	}
}
