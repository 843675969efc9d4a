//go:build pgbouncer

package integration

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/internal/pgtest"
)

// TestPgBouncerCancel has clients leave while PgBouncer's connections work for
// them.
func TestPgBouncerCancel(t *testing.T) {
	o := bounced(t, 1)
	o.sql = lasting
	s := newSite(t, o)
	before := s.backendPIDs(t)
	cancels(t, s)
	if after := s.backendPIDs(t); after != before {
		t.Errorf("PgBouncer's connections are %s, and were %s", after, before)
	}
}

// backendPIDs are the backends of the site's database.
func (s *site) backendPIDs(t *testing.T) string {
	t.Helper()
	return s.rows(t, "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY 1")
}

func TestPgBouncerCancelByTime(t *testing.T) {
	o := bounced(t, 1)
	o.sql, o.rest = lasting, httpapi.RESTOptions{Timeout: 300 * time.Millisecond}
	endInTime(t, newSite(t, o))
}

func TestPgBouncerStatementTimeout(t *testing.T) {
	o := bounced(t, 2)
	o.sql, o.open = lasting, func(o *exec.Options) {
		o.PgBouncer, o.StatementTimeout = true, 300*time.Millisecond
	}
	s := newSite(t, o)
	endInTime(t, s)
	s.leavesNothingBehind(t)
}

// TestPgBouncerCancelMany has clients that stay among those that leave, and all
// share two connections to Postgres: no cancel request may hit another's query.
func TestPgBouncerCancelMany(t *testing.T) {
	o := bounced(t, 6)
	o.sql = lasting
	s := newSite(t, o)
	cancelMany(t, s)
}

// TestPgBouncerLosesPostgres ends what a request is running on: the backend,
// which says so, or its connection to PgBouncer, whose own words do not tell
// whether a write was done.
func TestPgBouncerLosesPostgres(t *testing.T) {
	s, p := tappedBehind(t)
	kill := func() { s.killBackends(t) }
	cut := func() { p.cut(); p.restore() }
	for _, c := range []struct {
		name string
		end  func()
		code string
	}{
		{"write that runs", kill, "database-unavailable"},
		{"write that waits for a lock", cut, "outcome-unknown"},
	} {
		r := lastingRequests[c.name]
		release := s.holding(t, r.lock)
		answered := make(chan string)
		go func() {
			_, text := r.send(t, t.Context(), s)
			answered <- text
		}()
		watcher := s.owner(t)
		if !eventually(t, watcher, busy, 1) {
			t.Fatal("the query does not run")
		}
		watcher.Close(context.Background())
		c.end()
		if text := <-answered; !strings.Contains(text, `"code":"`+c.code+`"`) || !strings.Contains(text, "Retry-After") {
			t.Errorf("%s, want %s: %s", c.name, c.code, text)
		}
		s.killBackends(t) // the one that still waits for the lock, and who holds it
		release()
		s.recovers(t)
	}
}

// tappedBehind is a site behind a PgBouncer that reaches Postgres through a tap.
func tappedBehind(t *testing.T) (*site, *tap) {
	t.Helper()
	server, err := pgconn.ParseConfig(pgtest.Server(t).DSN)
	if err != nil {
		t.Fatal(err)
	}
	p := newTap(t)
	go p.serve(pgconn.NetworkAddress(server.Host, server.Port))
	o := through(pgtest.PgBouncerTo(t, p.listener.Addr().String()), 1)
	o.sql = lasting
	return newSite(t, o), p
}

// recovers waits until PgBouncer tries again to connect to Postgres.
func (s *site) recovers(t *testing.T) {
	t.Helper()
	for range 100 {
		if resp, _ := s.request(t, people["reader"], "/free"); resp.StatusCode == http.StatusOK {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.servesOn(t)
}

// TestPgBouncerWithoutPostgres asks while PgBouncer cannot reach Postgres: reads
// and writes are told the same, as nothing was sent.
func TestPgBouncerWithoutPostgres(t *testing.T) {
	s, p := tappedBehind(t)
	s.request(t, people["reader"], "/free")
	p.cut()
	for _, name := range []string{"read that waits for a lock", "write that waits for a lock"} {
		status, text := lastingRequests[name].send(t, t.Context(), s)
		if status != http.StatusServiceUnavailable || !strings.Contains(text, `"code":"database-unavailable"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	p.restore()
	s.recovers(t)
}
