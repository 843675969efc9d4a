//go:build pgbouncer && unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Bouncer is a running PgBouncer in front of a server, in transaction mode
// with two connections to Postgres for each database and user.
type Bouncer struct {
	// Host and Port are where it listens.
	Host string
	Port uint16
}

// PgBouncer returns a PgBouncer in front of the tests' server, for the users of
// these connection strings, whose passwords it has, and for the superuser. It
// ends with the test. The build tag pgbouncer says that there is the program, and
// without it the test fails.
func PgBouncer(t testing.TB, dsns ...string) *Bouncer {
	t.Helper()
	server, err := pgconn.ParseConfig(Server(t).DSN)
	if err != nil {
		t.Fatal(err)
	}
	return PgBouncerTo(t, net.JoinHostPort(server.Host, strconv.Itoa(int(server.Port))), dsns...)
}

// PgBouncerTo does the same where the server is to be reached by another address.
func PgBouncerTo(t testing.TB, address string, dsns ...string) *Bouncer {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Fatal("the build tag pgbouncer is set, and there is no pgbouncer: install it (apt install pgbouncer, brew install pgbouncer)")
		}
	}
	b := &bouncer{server: address, superuser: Server(t).DSN, dsns: dsns}
	if err := b.prepare(); err != nil {
		t.Fatal(err)
	}
	if err := b.start(program); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.stop(); err != nil {
			t.Errorf("stop pgbouncer: %v", err)
		}
		if t.Failed() {
			t.Logf("pgbouncer's log:\n%s", b.output.String())
		}
	})
	if err := b.await(t.Context()); err != nil {
		t.Fatalf("start pgbouncer: %v\n%s", err, b.output.String())
	}
	return &Bouncer{Host: "127.0.0.1", Port: b.port}
}

// A bouncer is the process and its directory.
type bouncer struct {
	server    string // its address
	superuser string
	dsns      []string
	dir       string
	port      uint16
	cmd       *exec.Cmd
	life      io.Closer // closing it ends the process
	output    buffer
}

const bouncerConfig = `[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = scram-sha-256
auth_file = %s
pool_mode = transaction
default_pool_size = 2
max_client_conn = 1000
server_reset_query_always = 0
query_wait_timeout = 15
server_login_retry = 1
log_connections = 0
log_disconnections = 0
`

// prepare writes the configuration, where the user that the program runs as can
// read it.
func (b *bouncer) prepare() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	b.port = port
	if b.dir, err = os.MkdirTemp("", "resourcery-pgbouncer-"); err != nil {
		return fmt.Errorf("make a directory for pgbouncer: %w", err)
	}
	users := filepath.Join(b.dir, "users.txt")
	var lines strings.Builder
	for _, dsn := range append(b.dsns, b.superuser) {
		u, err := url.Parse(dsn)
		if err != nil {
			return errors.New("read the connection string for pgbouncer: it is no URL")
		}
		password, _ := u.User.Password()
		fmt.Fprintf(&lines, "%q %q\n", u.User.Username(), password)
	}
	host, serverPort, err := net.SplitHostPort(b.server)
	if err != nil {
		return fmt.Errorf("read the server's address: %w", err)
	}
	config := fmt.Sprintf(bouncerConfig, host, serverPort, b.port, users)
	return errors.Join(
		os.WriteFile(users, []byte(lines.String()), 0o600),
		os.WriteFile(b.config(), []byte(config), 0o600),
		b.giveAway(users, b.config(), b.dir),
	)
}

func (b *bouncer) config() string { return filepath.Join(b.dir, "pgbouncer.ini") }

// unprivileged is whom the program runs as where the tests run as root, whom it
// refuses.
const unprivileged = "nobody"

func (b *bouncer) giveAway(paths ...string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	found, err := user.Lookup(unprivileged)
	if err != nil {
		return fmt.Errorf("find a user for pgbouncer: %w", err)
	}
	uid, uidErr := strconv.Atoi(found.Uid)
	gid, gidErr := strconv.Atoi(found.Gid)
	errs := []error{uidErr, gidErr}
	for _, path := range paths {
		errs = append(errs, os.Chown(path, uid, gid))
	}
	return errors.Join(errs...)
}

// watched runs a program until its own input ends, which it does however the
// process at the other end ends, and removes the directory.
const watched = `dir=$1; shift; "$@" </dev/null & read -r _; kill -INT $!; wait $!; rm -rf "$dir"`

func (b *bouncer) start(program string) error {
	args := []string{"-c", watched, "sh", b.dir, program}
	if os.Geteuid() == 0 {
		args = append(args, "-u", unprivileged)
	}
	b.cmd = exec.Command("/bin/sh", append(args, b.config())...)
	b.cmd.Stdout, b.cmd.Stderr = &b.output, &b.output
	life, err := b.cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("make pgbouncer's pipe: %w", err)
	}
	b.life = life
	if err := b.cmd.Start(); err != nil {
		return fmt.Errorf("run pgbouncer: %w", err)
	}
	return nil
}

func (b *bouncer) stop() error { return errors.Join(b.life.Close(), b.cmd.Wait()) }

// await waits until it lets a client through to the server.
func (b *bouncer) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	config, err := pgconn.ParseConfig(b.superuser)
	if err != nil {
		return err
	}
	config.Host, config.Port, config.Fallbacks, config.TLSConfig = "127.0.0.1", b.port, nil, nil
	for {
		conn, err := pgconn.ConnectConfig(ctx, config)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func freePort() (uint16, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return uint16(listener.Addr().(*net.TCPAddr).Port), nil
}

// A buffer keeps what a process prints.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
