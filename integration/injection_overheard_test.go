package integration

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"net"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
)

// An overheard notes the text of every statement that a pool's connections ask
// Postgres to run, whether it is sent anew or by the name that it was prepared
// under.
type overheard struct {
	mu   sync.Mutex
	seen map[string]bool
}

func newOverheard() *overheard { return &overheard{seen: make(map[string]bool)} }

// noted returns a configuration of pools whose connections it reads.
func (l *overheard) noted(configure func(*pgxpool.Config)) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) {
		configure(c)
		c.ConnConfig.TLSConfig, c.ConnConfig.Fallbacks = nil, nil
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &notedConn{Conn: conn, overheard: l, named: make(map[string]string)}, nil
		}
	}
}

// take returns the statements since the last call.
func (l *overheard) take() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := maps.Clone(l.seen)
	clear(l.seen)
	return taken
}

func (l *overheard) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[text] = true
}

// A notedConn is a connection whose outgoing messages are read.
type notedConn struct {
	net.Conn
	overheard *overheard
	pending   []byte
	started   bool              // the first message, which has no type, has been sent
	named     map[string]string // texts of prepared statements
}

func (c *notedConn) Write(b []byte) (int, error) {
	c.pending = append(c.pending, b...)
	for c.message() {
	}
	return c.Conn.Write(b)
}

// message reads one message, if it is there as a whole.
func (c *notedConn) message() bool {
	header := 5
	if !c.started {
		header = 4
	}
	if len(c.pending) < header {
		return false
	}
	end := header - 4 + int(binary.BigEndian.Uint32(c.pending[header-4:]))
	if len(c.pending) < end {
		return false
	}
	if c.started {
		c.read(c.pending[0], c.pending[header:end])
	}
	c.started = true
	c.pending = c.pending[end:]
	return true
}

func (c *notedConn) read(kind byte, body []byte) {
	switch texts := bytes.SplitN(body, []byte{0}, 3); kind {
	case 'Q': // Query
		c.overheard.note(string(texts[0]))
	case 'P': // Parse: name, text
		c.named[string(texts[0])] = string(texts[1])
		c.overheard.note(string(texts[1]))
	case 'B': // Bind: portal, name of the statement
		c.overheard.note(c.named[string(texts[1])])
	}
}
