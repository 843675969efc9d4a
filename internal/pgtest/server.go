// Package pgtest gives every test a database of its own on a real PostgreSQL.
//
// A package whose tests use it hands its TestMain to Main:
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
// One server serves the test process. It is found or started by package
// postgres when the first test asks for a database, and there is no going
// without: where none is to be had the test fails. The environment decides
// which server that is:
//
//   - RESOURCERY_TEST_DSN: the connection string of a running server and of a
//     role that may create databases and roles. Test processes may share it.
//   - RESOURCERY_TEST_POSTGRES: given, docker, local or download; only that
//     source is used. Unset: those four in that order.
//   - RESOURCERY_TEST_IMAGE: the image for docker, name:tag.
//
// It refuses to know what is in a database: the SQL is the test's.
package pgtest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/resourcery/resourcery/internal/pgtest/postgres"
)

// Main runs the tests and stops the server that they made use of, then exits
// the process. Without it the server ends too, but a container only after the
// test binary's timeout.
func Main(m *testing.M) {
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Server returns the server that the tests of this process share, started by
// the first call. It fails the test if there is none to be had.
func Server(t testing.TB) *postgres.Server {
	t.Helper()
	server, err := shared.get()
	if err != nil {
		t.Fatalf("%v\nor set RESOURCERY_TEST_DSN to a superuser's connection string", err)
	}
	return server
}

// sharedServer is started once. A failure is kept as well: each further test
// would only wait for the same.
type sharedServer struct {
	mu     sync.Mutex
	asked  bool
	server *postgres.Server
	err    error
}

var shared sharedServer

func (s *sharedServer) get() (*postgres.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked {
		s.asked = true
		s.server, s.err = start()
	}
	return s.server, s.err
}

func (s *sharedServer) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return nil
	}
	return s.server.Stop()
}

func start() (*postgres.Server, error) {
	order := postgres.TestOrder()
	if name := os.Getenv("RESOURCERY_TEST_POSTGRES"); name != "" {
		source, err := postgres.ParseSource(name)
		if err != nil {
			return nil, fmt.Errorf("read RESOURCERY_TEST_POSTGRES: %w", err)
		}
		order = []postgres.Source{source}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	server, err := postgres.Start(ctx, postgres.Options{
		Order:    order,
		DSN:      os.Getenv("RESOURCERY_TEST_DSN"),
		Image:    os.Getenv("RESOURCERY_TEST_IMAGE"),
		Lifetime: testTimeout() + time.Minute,
	})
	if err != nil {
		return nil, fmt.Errorf("start a server for the tests: %w", err)
	}
	return server, nil
}

// testTimeout is when go test kills this process, an hour if it does not.
func testTimeout() time.Duration {
	if timeout := flag.Lookup("test.timeout"); timeout != nil {
		if value, ok := timeout.Value.(flag.Getter).Get().(time.Duration); ok && value > 0 {
			return value
		}
	}
	return time.Hour
}
