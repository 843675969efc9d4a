package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fastSettings suit a cluster that is thrown away.
var fastSettings = []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off"}

// cluster is a directory of ours with what a server started from binaries
// needs: pgdata/, the superuser's password and the server's log.
type cluster struct {
	binaries  binaries
	account   *account // whom the server runs as; nil: the current user
	dir       string
	temporary bool
	password  string
	logStart  int64 // where in the log the present start begins
}

func startLocal(ctx context.Context, opts Options) (*Server, error) {
	major, err := keptVersion(opts.DataDir)
	if err != nil {
		return nil, err
	}
	found, err := findBinaries(ctx, major)
	if err != nil {
		return nil, err
	}
	return startCluster(ctx, found, Local, opts)
}

// startCluster runs the binaries over opts.DataDir, or over a temporary
// directory.
func startCluster(ctx context.Context, from binaries, source Source, opts Options) (*Server, error) {
	progress(opts, "starting PostgreSQL %d from %s", from.major, from.dir)
	c, err := openCluster(ctx, from, opts.DataDir)
	if err != nil {
		return nil, err
	}
	server, err := c.start(ctx)
	if err != nil {
		return nil, errors.Join(err, c.remove())
	}
	server.Source = source
	return server, nil
}

// keptVersion is the major version of the cluster in a data directory, zero
// if there is none yet. A directory with other content is refused: nothing of
// anybody else's is touched.
func keptVersion(dir string) (int, error) {
	if dir == "" {
		return 0, nil
	}
	text, err := os.ReadFile(filepath.Join(dir, "pgdata", "PG_VERSION"))
	if err == nil {
		major, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return 0, fmt.Errorf("read the version of the cluster in %s: %w", dir, err)
		}
		return major, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("read the version of the cluster in %s: %w", dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("read the data directory: %w", err)
	}
	if slices.ContainsFunc(entries, func(entry fs.DirEntry) bool { return !strings.HasSuffix(entry.Name(), unfinished) }) {
		return 0, fmt.Errorf("data directory %s is neither empty nor a cluster made here", dir)
	}
	return 0, nil
}

// openCluster returns the cluster in dataDir, made anew if there is none.
func openCluster(ctx context.Context, from binaries, dataDir string) (*cluster, error) {
	account, err := serverAccount()
	if err != nil {
		return nil, err
	}
	c := &cluster{binaries: from, account: account, dir: dataDir, temporary: dataDir == ""}
	if err := c.makeDir(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(c.dataDir()); errors.Is(err, fs.ErrNotExist) {
		if err := c.init(ctx); err != nil {
			return nil, errors.Join(err, c.removeUnfinished(), c.remove())
		}
	}
	password, err := os.ReadFile(c.passwordFile())
	if err != nil {
		return nil, fmt.Errorf("read the superuser's password: %w", err)
	}
	c.password = strings.TrimSpace(string(password))
	return c, nil
}

func (c *cluster) dataDir() string      { return filepath.Join(c.dir, "pgdata") }
func (c *cluster) passwordFile() string { return filepath.Join(c.dir, "password") }
func (c *cluster) logFile() string      { return filepath.Join(c.dir, "server.log") }

func (c *cluster) makeDir() error {
	if c.temporary {
		dir, err := temporaryDir(c.account)
		if err != nil {
			return err
		}
		c.dir = dir
		return nil
	}
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return fmt.Errorf("find the data directory: %w", err)
	}
	c.dir = dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	if err := c.account.own(dir); err != nil {
		return err
	}
	return c.account.checkReach(dir)
}

// locales are tried in turn: C.UTF-8 sorts alike on every machine and knows
// the case of every letter, but macOS before 15 lacks it.
var locales = [][]string{
	{"--locale=C.UTF-8"},
	{"--locale=C", "--lc-ctype=UTF-8"},
	{"--locale=C", "--lc-ctype=en_US.UTF-8"},
	{"--locale=C"},
}

// unfinished ends the names of what init is still making.
const unfinished = ".new"

// init makes the cluster. The data directory is put into place last, so
// whatever ends the process in between, it is complete or not there.
func (c *cluster) init(ctx context.Context) error {
	if err := c.removeUnfinished(); err != nil {
		return err
	}
	password := c.passwordFile() + unfinished
	if err := os.WriteFile(password, []byte(rand.Text()+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the superuser's password: %w", err)
	}
	if err := c.account.own(password); err != nil {
		return err
	}
	if err := c.initdb(ctx, c.dataDir()+unfinished, password); err != nil {
		return err
	}
	for _, path := range []string{c.passwordFile(), c.dataDir()} {
		if err := os.Rename(path+unfinished, path); err != nil {
			return fmt.Errorf("put the new cluster into place: %w", err)
		}
	}
	return nil
}

func (c *cluster) initdb(ctx context.Context, dataDir, passwordFile string) error {
	for i, locale := range locales {
		args := append([]string{
			"--pgdata=" + dataDir, "--username=postgres", "--pwfile=" + passwordFile,
			"--auth=scram-sha-256", "--encoding=UTF8", "--no-sync",
		}, locale...)
		out, err := c.account.command(ctx, c.dir, filepath.Join(c.binaries.dir, "initdb"), args...).CombinedOutput()
		if err == nil {
			return nil
		}
		if last := i == len(locales)-1; last || !bytes.Contains(out, []byte("invalid locale")) {
			return fmt.Errorf("initdb: %w\n%s", err, bytes.TrimSpace(out))
		}
	}
	panic("postgres: no locale to try")
}

// removeUnfinished removes what an init that did not end well left.
func (c *cluster) removeUnfinished() error {
	err := errors.Join(os.RemoveAll(c.dataDir()+unfinished), os.RemoveAll(c.passwordFile()+unfinished))
	if err != nil {
		return fmt.Errorf("remove an unfinished cluster: %w", err)
	}
	return nil
}

// start runs the server and waits until it answers. The port was free a
// moment ago; if another process took it since, another port is tried.
func (c *cluster) start(ctx context.Context) (*Server, error) {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		server, err := c.startOn(ctx, port)
		if err == nil {
			return server, nil
		}
		log := c.logTail()
		if attempt < attempts && ctx.Err() == nil && strings.Contains(log, "could not bind") {
			continue
		}
		return nil, fmt.Errorf("%w\n%s", err, log)
	}
}

func (c *cluster) startOn(ctx context.Context, port int) (*Server, error) {
	// Appended to: a server that is using the directory already writes there.
	log, err := os.OpenFile(c.logFile(), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	defer log.Close()
	if c.logStart, err = log.Seek(0, io.SeekEnd); err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}

	args := []string{
		"-D", c.dataDir(), "-p", strconv.Itoa(port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "logging_collector=off", "-c", "log_destination=stderr",
	}
	if c.temporary {
		for _, setting := range fastSettings {
			args = append(args, "-c", setting)
		}
	}
	process, err := c.launch(log, args)
	if err != nil {
		return nil, err
	}
	dsn := dsnURL(c.password, net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	version, err := awaitReady(ctx, dsn, process.done)
	if err != nil {
		return nil, errors.Join(err, process.stop(stopTimeout))
	}
	return &Server{DSN: dsn, Version: version, stop: func() error {
		return errors.Join(process.stop(stopTimeout), c.remove())
	}}, nil
}

// stopTimeout is how long a server may take to shut down before it is killed.
const stopTimeout = 20 * time.Second

// remove deletes the directory of a temporary cluster.
func (c *cluster) remove() error {
	if !c.temporary {
		return nil
	}
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("remove the temporary cluster: %w", err)
	}
	return nil
}

// logTail is the end of what the server logged since its start, enough to
// tell why it did not come up.
func (c *cluster) logTail() string {
	const most = 2000
	text, err := os.ReadFile(c.logFile())
	if err != nil {
		return "no server log: " + err.Error()
	}
	text = text[min(c.logStart, int64(len(text))):]
	text = text[max(0, len(text)-most):]
	return string(bytes.TrimSpace(text))
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func dsnURL(password, host string) string {
	dsn := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword("postgres", password),
		Host:     host,
		Path:     "/postgres",
		RawQuery: "sslmode=disable",
	}
	return dsn.String()
}
