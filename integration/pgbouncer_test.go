//go:build pgbouncer

package integration

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/pgtest"
)

// bounced are the options of a site whose pool of n connections goes through a
// PgBouncer of the test's own, which has two to Postgres for all of them.
func bounced(t testing.TB, n int32) siteOptions {
	t.Helper()
	return through(pgtest.PgBouncer(t, asLogin(t, pgtest.Server(t).DSN)), n)
}

func through(b *pgtest.Bouncer, n int32) siteOptions {
	return siteOptions{
		config: func(c *pgxpool.Config) {
			exec.ConfigurePgBouncer(c)
			c.MaxConns = n
			c.ConnConfig.Host, c.ConnConfig.Port = b.Host, b.Port
			c.ConnConfig.TLSConfig, c.ConnConfig.Fallbacks = nil, nil
		},
		open: func(o *exec.Options) { o.PgBouncer = true },
	}
}

// TestPgBouncerScripts runs the scripts through PgBouncer: the answers are the
// same.
func TestPgBouncerScripts(t *testing.T) {
	golden.Run(t, "testdata/scripts", script(bounced(t, 4)))
}

// TestPgBouncerSettings has the database itself set in another style, which
// PgBouncer takes over for its clients.
func TestPgBouncerSettings(t *testing.T) {
	want := answers(t, newSite(t, siteOptions{}))
	s := newSite(t, bounced(t, 4))
	s.alter(t, "ALTER DATABASE %I SET %I = %L")
	s.killBackends(t)
	for path, got := range answers(t, s) {
		if !bytes.Equal(got, want[path]) {
			t.Errorf("%s:\n%s\nwant\n%s", path, got, want[path])
		}
	}
}

// TestPgBouncerSessionsAreSealed has more clients than connections to Postgres,
// which they get in turn. Cancelled requests and killed backends do not come
// together: PgBouncer 1.18 ends itself where Postgres has more to say on a
// connection that it is cancelling.
func TestPgBouncerSessionsAreSealed(t *testing.T) {
	for name, keys := range keyForms {
		t.Run(name, func(t *testing.T) {
			o := bounced(t, 8)
			o.keys = keys
			s := newSite(t, o)
			s.alternate(t, []int{0, 1, 2, 3, 4, 5}, func(_ *testing.T, ended <-chan struct{}) { <-ended })
			s.leavesNothingBehind(t)
			s.alternate(t, []int{0, 1, 2, 3, 4}, s.disturb)
			s.leavesNothingBehind(t)
		})
	}
}

// TestPgBouncerNothingOutlivesARequest looks at what PgBouncer has after each of
// several answers and refusals.
func TestPgBouncerNothingOutlivesARequest(t *testing.T) {
	s := newSite(t, bounced(t, 2))
	goesBack(t, s)
	s.leavesNothingBehind(t)
}

// leavesNothingBehind looks at both connections to Postgres, at once, as a client
// that is not told which one it gets: no session, no style, and no statement by a
// name.
func (s *site) leavesNothingBehind(t *testing.T) {
	t.Helper()
	pids := make(map[uint32]bool)
	for range 2 {
		tx, err := s.pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback(context.Background())
		var pid uint32
		var left string
		if err := tx.QueryRow(t.Context(), leftovers).Scan(&pid, &left); err != nil {
			t.Fatalf("look at a connection: %v", err)
		}
		pids[pid] = true
		if want := s.pool.Config().ConnConfig.User + "|||0|ISO, MDY|postgres|0"; left != want {
			t.Errorf("left on a connection to Postgres: %s, want %s", left, want)
		}
	}
	if len(pids) != 2 {
		t.Errorf("%d connections to Postgres were seen, want 2", len(pids))
	}
}

const leftovers = `
SELECT pg_backend_pid(), concat_ws('|', current_user, coalesce(current_setting('request.jwt.claims', true), ''),
       coalesce(current_setting('resourcery.k1', true), ''), current_setting('statement_timeout'),
       current_setting('DateStyle'), current_setting('IntervalStyle'), (SELECT count(*) FROM pg_prepared_statements))`

// TestPgBouncerWantsItsConfiguration opens a pool that was configured for
// Postgres itself: it would fail later, now and then.
func TestPgBouncerWantsItsConfiguration(t *testing.T) {
	o := bounced(t, 2)
	s := newSite(t, o)
	pool := newPool(t, s.dsn, exec.Configure)
	_, err := exec.Open(t.Context(), pool, exec.Options{Schema: s.schema, AllowUnsafeRole: true, PgBouncer: true})
	if err == nil || !strings.Contains(err.Error(), "prepare its configuration with exec.ConfigurePgBouncer") {
		t.Errorf("%v", err)
	}
}
