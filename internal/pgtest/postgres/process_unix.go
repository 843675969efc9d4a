//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// watchdog runs the server and ends it when file 3 is closed, which happens
// however the process that holds the other end ends, killed included. A
// temporary directory ($1) goes with the server.
const watchdog = `
dir=$1; shift
"$@" 3<&- &
server=$!
{ read -r _ <&3; kill -INT $server; } 2>/dev/null &
watcher=$!
wait $server
status=$?
kill $watcher 2>/dev/null
[ -z "$dir" ] || rm -rf "$dir"
exit $status
`

// process is a server under its watchdog.
type process struct {
	cmd  *exec.Cmd
	life *os.File      // the watchdog's pipe; closing it ends the server
	done chan struct{} // closed when the server has ended
}

func (c *cluster) launch(log *os.File, args []string) (*process, error) {
	watched, life, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make the watchdog's pipe: %w", err)
	}
	defer watched.Close()

	doomed := ""
	if c.temporary {
		doomed = c.dir
	}
	shell := []string{"-c", watchdog, "sh", doomed, filepath.Join(c.binaries.dir, "postgres")}
	// No context: Stop ends the server, not the call that started it.
	cmd := c.account.command(context.Background(), c.dir, "/bin/sh", append(shell, args...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{watched}
	if err := cmd.Start(); err != nil {
		life.Close()
		return nil, fmt.Errorf("run postgres: %w", err)
	}
	p := &process{cmd: cmd, life: life, done: make(chan struct{})}
	go func() {
		// How it ended is in the server's log.
		_ = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// stop asks for a fast shutdown, and kills the server after the timeout.
func (p *process) stop(timeout time.Duration) error {
	closing := p.life.Close()
	select {
	case <-p.done:
		return closing
	case <-time.After(timeout):
		err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
		return errors.Join(closing, err, fmt.Errorf("postgres did not shut down within %s and was killed", timeout))
	}
}

// account is the user that the server runs as when the current one is root,
// whom PostgreSQL refuses. A nil account is the current user.
type account struct {
	name     string
	uid, gid int
}

// serverAccount is postgres or else nobody for root, nil for anybody else.
func serverAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(found.Uid)
		if err != nil {
			return nil, fmt.Errorf("read the user id of %s: %w", name, err)
		}
		gid, err := strconv.Atoi(found.Gid)
		if err != nil {
			return nil, fmt.Errorf("read the group id of %s: %w", name, err)
		}
		return &account{name: name, uid: uid, gid: gid}, nil
	}
	return nil, errors.New("postgres refuses to run as root, and there is neither a user postgres nor a user nobody")
}

// command prepares a program to run as the account, in a process group of its
// own: a terminal's interrupt is for the program that started the server.
func (a *account) command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	// PG* variables of the caller's shell are about other servers.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "PG") || strings.HasPrefix(variable, "LC_") || strings.HasPrefix(variable, "LANG")
	})
	cmd.Env = append(cmd.Env, "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// own makes the account the owner of a file or directory.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	if err := os.Chown(path, a.uid, a.gid); err != nil {
		return fmt.Errorf("give %s to %s: %w", path, a.name, err)
	}
	return nil
}

// checkReach tells whether the account can get to a directory.
func (a *account) checkReach(dir string) error {
	if a == nil {
		return nil
	}
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return fmt.Errorf("look at %s: %w", parent, err)
		}
		if !a.mayEnter(info) {
			return fmt.Errorf("postgres does not run as root, and user %s, whom it runs as, may not enter %s", a.name, parent)
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}

func (a *account) mayEnter(info os.FileInfo) bool {
	mode := info.Mode().Perm()
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(stat.Uid) == a.uid:
		return mode&0o100 != 0
	case ok && int(stat.Gid) == a.gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}

// temporaryDir makes a directory that the account owns and can reach.
func temporaryDir(a *account) (string, error) {
	var problems []error
	for _, parent := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		dir, err := os.MkdirTemp(parent, "resourcery-postgres-")
		if err != nil {
			problems = append(problems, fmt.Errorf("make a temporary directory: %w", err))
			continue
		}
		if err := errors.Join(a.checkReach(dir), a.own(dir)); err != nil {
			problems = append(problems, err, os.Remove(dir))
			continue
		}
		return dir, nil
	}
	return "", errors.Join(problems...)
}
