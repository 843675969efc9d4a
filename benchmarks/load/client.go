package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// A client asks one contender, one request after the other. All requests are
// made beforehand, so that asking costs next to nothing.
type client interface {
	// ask sends the n-th request, over and over through all of them, and fails
	// where the answer is no success.
	ask(n int) error
	close()
}

// newClient makes a client for requests.
func (c *contender) newClient(ctx context.Context, requests []blog.Request) (client, error) {
	if c.address != "" {
		return dialClient(c.address, requests)
	}
	return newCaller(ctx, c.handler, requests)
}

const accepted = "application/vnd.api+json"

// A caller calls a handler in process and throws its answers away.
type caller struct {
	handler  http.Handler
	requests []*http.Request
	bodies   []body
	texts    []string
	w        discard
	cancel   context.CancelFunc
}

// body is that of a request that is sent more than once.
type body struct{ strings.Reader }

func (*body) Close() error { return nil }

// discard counts what it is written.
type discard struct {
	header http.Header
	status int
	bytes  int64
}

func (w *discard) Header() http.Header         { return w.header }
func (w *discard) WriteHeader(status int)      { w.status = status }
func (w *discard) Write(p []byte) (int, error) { w.bytes += int64(len(p)); return len(p), nil }

func (w *discard) reset() {
	clear(w.header)
	w.status, w.bytes = http.StatusOK, 0
}

// newCaller makes requests as a server has them: their context can end.
func newCaller(ctx context.Context, h http.Handler, requests []blog.Request) (*caller, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &caller{handler: h, bodies: make([]body, len(requests)), w: discard{header: http.Header{}}, cancel: cancel}
	for _, r := range requests {
		made, err := http.NewRequestWithContext(ctx, r.Method, "http://blog.example"+r.URI(), nil)
		if err != nil {
			cancel()
			return nil, fmt.Errorf("make a request: %w", err)
		}
		made.RequestURI = r.URI()
		made.Header.Set("Accept", accepted)
		if r.Body != "" {
			made.Header.Set("Content-Type", accepted)
			made.ContentLength = int64(len(r.Body))
		}
		c.requests, c.texts = append(c.requests, made), append(c.texts, r.Body)
	}
	return c, nil
}

func (c *caller) close() { c.cancel() }

func (c *caller) ask(n int) error {
	n %= len(c.requests)
	r := c.requests[n]
	r.Body = http.NoBody
	if c.texts[n] != "" {
		c.bodies[n].Reset(c.texts[n])
		r.Body = &c.bodies[n]
	}
	c.w.reset()
	c.handler.ServeHTTP(&c.w, r)
	if c.w.status >= 300 {
		return fmt.Errorf("%s %s: status %d", r.Method, r.RequestURI, c.w.status)
	}
	return nil
}

// A wire speaks just enough of HTTP/1.1 to a server on this machine.
type wire struct {
	conn     net.Conn
	reader   *bufio.Reader
	requests [][]byte
}

func dialClient(address string, requests []blog.Request) (*wire, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect to the contender: %w", err)
	}
	w := &wire{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)}
	for _, r := range requests {
		text := r.Method + " " + r.URI() + " HTTP/1.1\r\nHost: blog.example\r\nAccept: " + accepted + "\r\n"
		if r.Body != "" {
			text += "Content-Type: " + accepted + "\r\nContent-Length: " + strconv.Itoa(len(r.Body)) + "\r\n"
		}
		w.requests = append(w.requests, []byte(text+"\r\n"+r.Body))
	}
	return w, nil
}

func (w *wire) close() { _ = w.conn.Close() }

var lengthHeader = []byte("Content-Length: ")

func (w *wire) ask(n int) error {
	if _, err := w.conn.Write(w.requests[n%len(w.requests)]); err != nil {
		return fmt.Errorf("send a request: %w", err)
	}
	status, err := w.reader.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 2")) {
		return fmt.Errorf("answered with %q", status)
	}
	length := 0
	for {
		line, err := w.reader.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("read an answer: %w", err)
		}
		if len(line) <= 2 {
			break
		}
		if digits, ok := bytes.CutPrefix(line, lengthHeader); ok {
			for _, d := range bytes.TrimSpace(digits) {
				length = length*10 + int(d-'0')
			}
		}
	}
	if _, err := w.reader.Discard(length); err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	return nil
}
