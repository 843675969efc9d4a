package integration

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A tap stands between a pool and its server. It reads the protocol that goes
// by in clear and counts what makes a client wait; it can also be the server
// that is down.
type tap struct {
	listener net.Listener
	mu       sync.Mutex
	down     bool
	open     map[net.Conn]bool
	counted  traffic
}

// traffic is what the clients of a tap have sent since it was last reset.
type traffic struct {
	asks  int // messages that demand an answer: Sync, Flush, Query, FunctionCall
	turns int // bursts: first messages after a server had said that it is ready
}

// tapped returns a configuration of pools that connect by the tap.
func (p *tap) tapped(configure func(*pgxpool.Config)) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) {
		configure(c)
		network, address := pgconn.NetworkAddress(c.ConnConfig.Host, c.ConnConfig.Port)
		go p.serve(network, address)
		host, port, err := net.SplitHostPort(p.listener.Addr().String())
		if err != nil {
			panic(err)
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			panic(err)
		}
		c.ConnConfig.Host, c.ConnConfig.Port = host, uint16(number)
		c.ConnConfig.TLSConfig, c.ConnConfig.Fallbacks = nil, nil
	}
}

func newTap(t *testing.T) *tap {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{listener: listener, open: make(map[net.Conn]bool)}
	t.Cleanup(func() {
		p.cut()
		listener.Close()
	})
	return p
}

// reset returns what was counted and begins anew.
func (p *tap) reset() traffic {
	p.mu.Lock()
	defer p.mu.Unlock()
	counted := p.counted
	p.counted = traffic{}
	return counted
}

// cut ends all connections, and every further one at once.
func (p *tap) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = true
	for c := range p.open {
		c.Close()
	}
}

// restore lets connections through again.
func (p *tap) restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// keep notes a connection; false: the server is down.
func (p *tap) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		c.Close()
		return false
	}
	p.open[c] = true
	return true
}

func (p *tap) drop(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

func (p *tap) serve(network, address string) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.keep(client) {
			go p.relay(client, network, address)
		}
	}
}

func (p *tap) relay(client net.Conn, network, address string) {
	defer p.drop(client)
	server, err := net.Dial(network, address)
	if err != nil || !p.keep(server) {
		return
	}
	defer p.drop(server)
	s := &stream{tap: p}
	go func() {
		defer client.Close()
		s.copy(client, server, s.answered)
	}()
	defer server.Close()
	if err := copyStartup(server, client); err == nil {
		s.copy(server, client, s.asked)
	}
}

// A stream is one connection through the tap.
type stream struct {
	tap   *tap
	ready bool // the server has answered all that was asked
}

// copy passes messages on, each after note has seen its type.
func (s *stream) copy(to io.Writer, from io.Reader, note func(kind byte)) {
	for {
		var header [5]byte
		if _, err := io.ReadFull(from, header[:]); err != nil {
			return
		}
		note(header[0])
		if err := passOn(to, from, header[:], header[1:]); err != nil {
			return
		}
	}
}

func (s *stream) asked(kind byte) {
	s.tap.mu.Lock()
	defer s.tap.mu.Unlock()
	if s.ready && kind != 'X' { // Terminate waits for nothing
		s.ready = false
		s.tap.counted.turns++
	}
	switch kind {
	case 'S', 'H', 'Q', 'F':
		s.tap.counted.asks++
	}
}

func (s *stream) answered(kind byte) {
	s.tap.mu.Lock()
	defer s.tap.mu.Unlock()
	if kind == 'Z' { // ReadyForQuery
		s.ready = true
	}
}

// copyStartup passes the first message on, which has no type.
func copyStartup(to io.Writer, from io.Reader) error {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return err
	}
	return passOn(to, from, length[:], length[:])
}

// passOn writes a header that has been read, and the body that follows it: small
// ones at once, as PgBouncer does not wait for the rest of a message while it logs
// in.
func passOn(to io.Writer, from io.Reader, header, length []byte) error {
	n := int64(binary.BigEndian.Uint32(length)) - 4
	if n < 0 {
		return errors.New("a message shorter than its length")
	}
	w := bufio.NewWriter(to)
	if _, err := w.Write(header); err != nil {
		return err
	}
	if _, err := io.CopyN(w, from, n); err != nil {
		return err
	}
	return w.Flush()
}
