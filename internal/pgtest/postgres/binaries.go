package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// binaries is a directory that holds postgres and initdb of one version.
type binaries struct {
	dir   string
	major int
}

// binaryGlobs are the directories that packages put server binaries into
// without putting them on the PATH.
var binaryGlobs = []string{
	"/usr/lib/postgresql/*/bin",                               // Debian, Ubuntu
	"/usr/pgsql-*/bin",                                        // the PostgreSQL project's RPMs
	"/usr/libexec/postgresql*",                                // Alpine
	"/opt/homebrew/opt/postgresql*/bin",                       // Homebrew, Apple silicon
	"/usr/local/opt/postgresql*/bin",                          // Homebrew, Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",          // Homebrew, Linux
	"/Applications/Postgres.app/Contents/Versions/[0-9]*/bin", // Postgres.app
	"/opt/local/lib/postgresql*/bin",                          // MacPorts
}

// findBinaries returns the binaries of this machine to be used: those on the
// PATH, else those that pg_config names, else the newest of the usual places.
// major limits the search to one major version; zero: any from MinVersion.
func findBinaries(ctx context.Context, major int) (binaries, error) {
	var seen []string
	usable := func(dir string) (binaries, bool) {
		found, err := inspectBinaries(ctx, dir)
		if err != nil {
			return binaries{}, false
		}
		seen = append(seen, fmt.Sprintf("%d in %s", found.major, found.dir))
		return found, found.major >= MinVersion && (major == 0 || found.major == major)
	}

	if path, err := exec.LookPath("postgres"); err == nil {
		if found, ok := usable(filepath.Dir(path)); ok {
			return found, nil
		}
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		if found, ok := usable(strings.TrimSpace(string(out))); ok {
			return found, nil
		}
	}
	var candidates []binaries
	for _, glob := range binaryGlobs {
		dirs, err := filepath.Glob(glob)
		if err != nil {
			panic("postgres: " + err.Error())
		}
		for _, dir := range dirs {
			if found, ok := usable(dir); ok {
				candidates = append(candidates, found)
			}
		}
	}
	if len(candidates) > 0 {
		return slices.MaxFunc(candidates, func(a, b binaries) int { return a.major - b.major }), nil
	}
	return binaries{}, noBinariesError(major, seen)
}

func noBinariesError(major int, seen []string) error {
	wanted := fmt.Sprintf("postgres and initdb, version %d or newer,", MinVersion)
	if major != 0 {
		wanted = fmt.Sprintf("postgres and initdb, version %d,", major)
	}
	if len(seen) > 0 {
		return fmt.Errorf("%s are not installed; found %s", wanted, strings.Join(seen, ", "))
	}
	return fmt.Errorf("%s are neither on the PATH nor in the usual places (%s and the like)", wanted, binaryGlobs[0])
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// inspectBinaries tells the version of the binaries in a directory, with
// symbolic links resolved: a link in another directory has no siblings.
func inspectBinaries(ctx context.Context, dir string) (binaries, error) {
	server, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		return binaries{}, fmt.Errorf("find postgres: %w", err)
	}
	dir = filepath.Dir(server)
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return binaries{}, fmt.Errorf("find initdb: %w", err)
	}
	out, err := exec.CommandContext(ctx, server, "--version").Output()
	if err != nil {
		return binaries{}, fmt.Errorf("run %s --version: %w", server, err)
	}
	match := versionPattern.FindSubmatch(out)
	if match == nil {
		return binaries{}, errors.New("no version in the output of " + server + " --version")
	}
	major, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return binaries{}, fmt.Errorf("read the version of %s: %w", server, err)
	}
	return binaries{dir: dir, major: major}, nil
}
