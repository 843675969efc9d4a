package delay_test

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"github.com/resourcery/resourcery/benchmarks/internal/delay"
)

// echo answers with what it is sent.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func TestProxy(t *testing.T) {
	const roundTrip = 30 * time.Millisecond
	proxy, err := delay.Start("tcp", echo(t), roundTrip)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", proxy.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, size := range []int{1, 1 << 20} {
		sent := bytes.Repeat([]byte("x"), size)
		start := time.Now()
		go func() { _, _ = conn.Write(sent) }()
		got := make([]byte, size)
		if _, err := io.ReadFull(conn, got); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < roundTrip {
			t.Errorf("%d bytes came back after %s, before %s", size, took, roundTrip)
		}
		if !bytes.Equal(got, sent) {
			t.Errorf("%d bytes came back changed", size)
		}
	}
	if err := proxy.Close(); err != nil {
		t.Error(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection outlived the proxy")
	}
}
