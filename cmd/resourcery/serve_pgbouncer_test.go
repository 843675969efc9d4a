//go:build pgbouncer && unix

package main

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/resourcery/resourcery/internal/pgtest"
)

// Every command gets through PgBouncer in transaction mode; what a reload is
// asked by there is the signal.
func TestServeThroughPgBouncer(t *testing.T) {
	dsn := pgtest.Database(t, served)
	b := pgtest.PgBouncer(t, dsn)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = fmt.Sprintf("%s:%d", b.Host, b.Port)
	through := []string{"--dsn", u.String(), "--pgbouncer", "--allow-unsafe-role"}
	p, api := startServe(t, append(through, "--statement-timeout", "10s")...)
	for range 20 {
		if status, body := get(t, api+"/note", ""); status != 200 || len(ids(t, body)) != 2 {
			t.Fatalf("%d %s", status, body)
		}
	}
	db := connect(t, dsn)
	if _, err := db.Exec(t.Context(), "CREATE TABLE task (id int PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	hangUp(t)
	p.stderr.await(t, "schema reloaded")
	if status, body := get(t, api+"/task", ""); status != 200 {
		t.Errorf("after the signal: %d %s", status, body)
	}
	var n int
	if err := db.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d connections listen, %v", n, err)
	}
	if code, stdout, stderr := runCommand(t, append([]string{"explain", "--analyze", "GET /note"}, through...)...); code != 0 {
		t.Errorf("explain: %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := runCommand(t, "introspect", "--dsn", u.String(), "--pgbouncer"); code != 0 {
		t.Errorf("introspect: %d\n%s%s", code, stdout, stderr)
	}
}
