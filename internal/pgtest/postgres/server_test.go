package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/internal/pgtest/postgres"
)

// abandon makes the test binary start a server, print its DSN and wait to be
// killed.
const abandon = "POSTGRES_TEST_ABANDON"

func TestMain(m *testing.M) {
	if os.Getenv(abandon) == "" {
		os.Exit(m.Run())
	}
	server, err := postgres.Start(context.Background(), postgres.Options{Order: binaries()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(server.DSN)
	select {}
}

// binaries are the sources that run server binaries.
func binaries() []postgres.Source {
	return []postgres.Source{postgres.Local, postgres.Download}
}

// environment gives the options that the environment asks of tests.
func environment(t *testing.T) postgres.Options {
	t.Helper()
	opts := postgres.Options{
		Order:    postgres.TestOrder(),
		DSN:      os.Getenv("RESOURCERY_TEST_DSN"),
		Image:    os.Getenv("RESOURCERY_TEST_IMAGE"),
		Lifetime: 5 * time.Minute,
	}
	if name := os.Getenv("RESOURCERY_TEST_POSTGRES"); name != "" {
		source, err := postgres.ParseSource(name)
		if err != nil {
			t.Fatal(err)
		}
		opts.Order = []postgres.Source{source}
	}
	return opts
}

func start(t *testing.T, opts postgres.Options) *postgres.Server {
	t.Helper()
	server, err := postgres.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func TestStart(t *testing.T) {
	server := start(t, environment(t))
	if got := ask(t, server.DSN, "SELECT split_part(current_setting('server_version'), ' ', 1)"); got != server.Version {
		t.Errorf("the server's version is %s, stated as %s", got, server.Version)
	}
	if server.Source == postgres.Given {
		return // and not ours to configure or to stop
	}
	if got := ask(t, server.DSN, "SELECT current_setting('is_superuser')"); got != "on" {
		t.Errorf("is_superuser is %s", got)
	}
	if got := ask(t, server.DSN, "SELECT current_setting('fsync')"); got != "off" {
		t.Errorf("fsync is %s on a server that is thrown away", got)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if answers(t, server.DSN) {
		t.Error("the server answers after Stop")
	}
	if err := server.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
}

func TestStartLeavesNoDirectory(t *testing.T) {
	server := start(t, postgres.Options{Order: binaries()})
	dir := filepath.Dir(ask(t, server.DSN, "SELECT current_setting('data_directory')"))
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}

func TestStartRefusesWrongPassword(t *testing.T) {
	server := start(t, postgres.Options{Order: binaries()})
	config, err := pgx.ParseConfig(server.DSN)
	if err != nil {
		t.Fatal(err)
	}
	config.Password = "guess"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err == nil {
		conn.Close(t.Context())
		t.Error("the server lets in whoever asks")
	}
}

func TestDataDir(t *testing.T) {
	// Not t.TempDir: for root that is a directory only root may enter.
	dir, err := os.MkdirTemp("", "resourcery-datadir-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	opts := postgres.Options{Order: binaries(), DataDir: filepath.Join(dir, "data")}

	first := start(t, opts)
	ask(t, first.DSN, "CREATE TABLE kept AS SELECT 'still here' AS word; SELECT ''")
	if got := ask(t, first.DSN, "SELECT current_setting('fsync')"); got != "on" {
		t.Errorf("fsync is %s on a server whose data is kept", got)
	}
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	second := start(t, opts)
	if got := ask(t, second.DSN, "SELECT word FROM kept"); got != "still here" {
		t.Errorf("the table of the first run: %q", got)
	}

	t.Run("in use", func(t *testing.T) {
		refused(t, opts, "already exists")
		if !answers(t, second.DSN) {
			t.Error("the server that uses the directory is gone")
		}
	})
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Run("without its password", func(t *testing.T) {
		password := filepath.Join(opts.DataDir, "password")
		if err := os.Rename(password, password+".lost"); err != nil {
			t.Fatal(err)
		}
		refused(t, opts, "read the superuser's password")
		if err := os.Rename(password+".lost", password); err != nil {
			t.Fatal(err)
		}
		third := start(t, opts)
		if got := ask(t, third.DSN, "SELECT word FROM kept"); got != "still here" {
			t.Errorf("the refusal cost the data: %q", got)
		}
		if err := third.Stop(); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("another version", func(t *testing.T) {
		version := filepath.Join(opts.DataDir, "pgdata", "PG_VERSION")
		if err := os.WriteFile(version, []byte("9\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, opts, "version 9,")
	})
	t.Run("of somebody else", func(t *testing.T) {
		strange := filepath.Join(dir, "strange")
		if err := os.MkdirAll(filepath.Join(strange, "letters"), 0o755); err != nil {
			t.Fatal(err)
		}
		refused(t, postgres.Options{Order: binaries(), DataDir: strange}, "neither empty nor a cluster made here")
		if _, err := os.Stat(filepath.Join(strange, "letters")); err != nil {
			t.Errorf("a refused directory was touched: %v", err)
		}
	})
	t.Run("in Docker", func(t *testing.T) {
		refused(t, postgres.Options{Order: []postgres.Source{postgres.Docker}, DataDir: dir}, "does not keep its data")
	})
}

func TestNotFound(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
	_, err := postgres.Start(t.Context(), postgres.Options{Order: []postgres.Source{postgres.Given, postgres.Docker}})
	var missing *postgres.NotFoundError
	if !errors.As(err, &missing) || len(missing.Attempts) != 2 {
		t.Fatalf("error: %v", err)
	}
	for _, want := range []string{"given: no connection string", "docker: reach Docker", "apt install postgresql"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
}

func TestNoSuchImage(t *testing.T) {
	_, err := postgres.Start(t.Context(), postgres.Options{
		Order: []postgres.Source{postgres.Docker},
		Image: "127.0.0.1:1/nowhere:1",
	})
	// Where there is no Docker either, it is not reached.
	if err == nil || !strings.Contains(err.Error(), "pull 127.0.0.1:1/nowhere:1") && !strings.Contains(err.Error(), "reach Docker") {
		t.Errorf("error: %v", err)
	}
}

func TestGivenServerIsMeant(t *testing.T) {
	_, err := postgres.Start(t.Context(), postgres.Options{
		Order: postgres.TestOrder(),
		DSN:   "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable",
	})
	if err == nil || !strings.Contains(err.Error(), "use the given postgres") {
		t.Errorf("error: %v", err)
	}
}

func TestParseSource(t *testing.T) {
	for _, source := range postgres.TestOrder() {
		if got, err := postgres.ParseSource(source.String()); err != nil || got != source {
			t.Errorf("ParseSource(%q) = %v, %v", source, got, err)
		}
	}
	if _, err := postgres.ParseSource("oracle"); err == nil {
		t.Error("oracle is a source")
	}
}

func TestKilledProcessLeavesNothing(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), abandon+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var dsn string
	if _, err := fmt.Fscanln(io.LimitReader(out, 1000), &dsn); err != nil {
		t.Fatalf("read the server's DSN: %v", err)
	}
	dir := filepath.Dir(ask(t, dsn, "SELECT current_setting('data_directory')"))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed, so this is an error
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", dir)
		}
	}
	if answers(t, dsn) {
		t.Error("the server outlived the process that started it")
	}
}

func refused(t *testing.T, opts postgres.Options, want string) {
	t.Helper()
	// A download would be the answer to a missing version, and a slow one.
	if len(opts.Order) > 1 {
		opts.Order = opts.Order[:1]
	}
	server, err := postgres.Start(t.Context(), opts)
	if err == nil {
		t.Error("not refused")
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
		return
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("error lacks %q: %v", want, err)
	}
}

// ask runs statements and returns the first value of the last one.
func ask(t *testing.T, dsn, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return string(results[len(results)-1].Rows[0][0])
}

func answers(t *testing.T, dsn string) bool {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		return false
	}
	defer conn.Close(t.Context())
	return true
}
