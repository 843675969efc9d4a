// Package delay is a proxy for TCP that holds back what passes through, as a
// network would between machines that are far apart. It bounds no rates.
package delay

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// A Proxy passes connections on to one address. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	network  string
	target   string
	oneWay   time.Duration

	group sync.WaitGroup
	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil once closed
}

// Start listens on a free port of this machine for what is meant for the
// target. Each byte arrives half of the round trip later, in both directions.
func Start(network, target string, roundTrip time.Duration) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the delaying proxy: %w", err)
	}
	p := &Proxy{listener: listener, network: network, target: target, oneWay: roundTrip / 2, conns: make(map[net.Conn]struct{})}
	p.group.Go(p.accept)
	return p, nil
}

// Addr is where it listens, host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close ends it and all its connections, and waits for that.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.mu.Lock()
	for c := range p.conns {
		err = errors.Join(err, ignoreClosed(c.Close()))
	}
	p.conns = nil
	p.mu.Unlock()
	p.group.Wait()
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		p.group.Go(func() { p.serve(near) })
	}
}

// serve passes one connection on until either side ends it.
func (p *Proxy) serve(near net.Conn) {
	defer near.Close()
	far, err := net.Dial(p.network, p.target)
	if err != nil {
		return
	}
	defer far.Close()
	if !p.keep(near, far) {
		return
	}
	defer p.forget(near, far)
	var group sync.WaitGroup
	group.Go(func() { p.pass(far, near) })
	group.Go(func() { p.pass(near, far) })
	group.Wait()
}

func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conns == nil {
		return false
	}
	for _, c := range conns {
		p.conns[c] = struct{}{}
	}
	return true
}

func (p *Proxy) forget(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.conns, c)
	}
}

// A piece is bytes that are on their way.
type piece struct {
	due  time.Time
	data []byte
}

// onTheWay is how many pieces may be on their way at once.
const onTheWay = 1024

// pass delivers what src sends to dst, and at the end of it closes both.
func (p *Proxy) pass(dst, src net.Conn) {
	pieces := make(chan piece, onTheWay)
	go func() {
		defer close(pieces)
		for {
			data := make([]byte, 32<<10)
			n, err := src.Read(data)
			if n > 0 {
				pieces <- piece{time.Now().Add(p.oneWay), data[:n]}
			}
			if err != nil {
				return // the end, or one side is gone
			}
		}
	}()
	for next := range pieces {
		sleep(time.Until(next.due))
		if _, err := dst.Write(next.data); err != nil {
			break
		}
	}
	_ = dst.Close()
	_ = src.Close()
	for range pieces { // until the reader has ended
		continue
	}
}
