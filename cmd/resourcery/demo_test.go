package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/resourcery/resourcery/internal/sample"
)

var (
	urlPattern   = regexp.MustCompile(`http://[^\s']+`)
	tokenPattern = regexp.MustCompile(`Bearer ([^']+)'`)
)

// startDemo starts the demo with temporary files of its own and waits for it.
func startDemo(t *testing.T, args ...string) (p *process, urls []string) {
	t.Helper()
	p = start(t, append([]string{"demo", "--addr", "127.0.0.1:0"}, args...)...)
	p.ready(t, "Ctrl-C stops")
	return p, urlPattern.FindAllString(p.stdout.String(), -1)
}

func TestDemo(t *testing.T) {
	places := newPlaces(t)
	began := time.Now()
	p, urls := startDemo(t)
	t.Logf("ready after %s", time.Since(began).Round(time.Millisecond))

	t.Run("every URL answers", func(t *testing.T) {
		if len(urls) < len(tries)+2 {
			t.Fatalf("only %d URLs in\n%s", len(urls), &p.stdout)
		}
		for _, u := range urls[1:] { // the first is the API's own
			u = strings.TrimRight(u, ",")
			status, body := get(t, u, "")
			if status != 200 {
				t.Errorf("%s: %d %s", u, status, body)
			}
			if !strings.Contains(body, `"type":`) && !strings.HasSuffix(u, drafts) {
				t.Errorf("%s shows nothing: %s", u, body)
			}
		}
	})
	t.Run("callers see their own drafts", func(t *testing.T) {
		u := urls[len(urls)-2] // the last is where posts are created
		var seen [][]string
		_, body := get(t, u, "")
		if found := ids(t, body); len(found) != 0 {
			t.Errorf("drafts without a token: %v", found)
		}
		for _, match := range tokenPattern.FindAllStringSubmatch(p.stdout.String(), len(sample.People())) {
			status, body := get(t, u, match[1])
			found := ids(t, body)
			if status != 200 || len(found) == 0 {
				t.Errorf("status %d, drafts %v", status, found)
			}
			if slices.ContainsFunc(seen, func(other []string) bool { return slices.Equal(other, found) }) {
				t.Errorf("two callers see the same drafts: %v", found)
			}
			seen = append(seen, found)
		}
		if len(seen) != len(sample.People()) {
			t.Errorf("%d tokens", len(seen))
		}
	})
	t.Run("the write is done", func(t *testing.T) {
		match := regexp.MustCompile(`curl -X POST .*`).FindString(p.stdout.String())
		status, body := curl(t, shellWords(t, match))
		if status != 201 || !strings.Contains(body, `"title":"Rye, slowly"`) {
			t.Errorf("%s: %d %s", match, status, body)
		}
	})
	t.Run("a bad token is refused", func(t *testing.T) {
		if status, body := get(t, urls[1], "x.y.z"); status != 401 {
			t.Errorf("status %d: %s", status, body)
		}
	})
	t.Run("checks", func(t *testing.T) {
		base, err := url.Parse(urls[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/healthz", "/readyz"} {
			if status, body := get(t, "http://"+base.Host+path, ""); status != 200 || body != "ok\n" {
				t.Errorf("%s: %d %q", path, status, body)
			}
		}
		if status, _ := get(t, "http://"+base.Host+"/apix", ""); status != 404 {
			t.Errorf("beside the API: %d", status)
		}
	})
	p.stop(t)
	if p.code != 0 {
		t.Errorf("code %d\n%s", p.code, &p.stderr)
	}
	places.checkEmpty(t)
}

// What is kept is used again, with the passwords and secrets of the new run.
func TestDemoKeepsData(t *testing.T) {
	parent, err := os.MkdirTemp("", "resourcery-kept-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(parent) })
	// The server may run as another user, who has to get there.
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(parent, "data")
	var bodies []string
	for range 2 {
		p, urls := startDemo(t, "--data", data)
		status, body := get(t, urls[1], "")
		if status != 200 {
			t.Errorf("%d %s", status, body)
		}
		bodies = append(bodies, fmt.Sprint(ids(t, body)))
		p.stop(t)
		if p.code != 0 {
			t.Errorf("code %d\n%s", p.code, &p.stderr)
		}
	}
	if bodies[0] != bodies[1] {
		t.Errorf("first %s, then %s", bodies[0], bodies[1])
	}
	if _, err := os.Stat(data); err != nil {
		t.Error(err)
	}
}

// An interruption at any moment of the start leaves nothing behind.
func TestDemoInterrupted(t *testing.T) {
	places := newPlaces(t)
	for _, delay := range []time.Duration{0, 150 * time.Millisecond, 700 * time.Millisecond, 1500 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), delay)
		var stdout, stderr output
		run(ctx, []string{"demo", "--addr", "127.0.0.1:0"}, &stdout, &stderr)
		cancel()
		t.Logf("stopped after %s: %s", delay, strings.TrimSpace(stderr.String()))
		places.checkEmpty(t)
	}
}

func TestDemoAddressTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	code, _, stderr := runCommand(t, "demo", "--addr", taken.Addr().String())
	want := fmt.Sprintf("resourcery: another program listens on %s already; choose another address with --addr, such as --addr 127.0.0.1:0\n", taken.Addr())
	if code != 1 || stderr != want {
		t.Errorf("code %d, %s", code, stderr)
	}
}

// places is a directory for temporary files of the test alone, so that what
// other programs do meanwhile is not taken for the demo's.
type places struct{ dir string }

func newPlaces(t *testing.T) places {
	t.Helper()
	dir, err := os.MkdirTemp("", "resourcery-demo-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	// The server may run as another user, who has to get there.
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	return places{dir}
}

// checkEmpty fails the test where a file is left, or a process that was started
// with one.
func (p places) checkEmpty(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("left behind: %s", e.Name())
	}
	for _, line := range commandLines(t) {
		if strings.Contains(line, p.dir) {
			t.Errorf("still running: %s", line)
		}
	}
}

// commandLines returns those of all processes, from /proc or by ps where there
// is none.
func commandLines(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		// A process that has ended meanwhile has no file any more.
		if text, err := os.ReadFile(file); err == nil {
			out = append(out, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	if len(files) > 0 {
		return out
	}
	text, err := exec.Command("ps", "-axo", "args").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}
