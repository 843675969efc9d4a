package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
)

// TestSuperJSON has the superjson package of npm read documents as a client
// would (contract 6.1), and shows what became of each value that JSON cannot
// carry. Each annotation must reach a value, and no other value changes.
//
//	site                         as in scripts
//	read ann                     requests, one per line
func TestSuperJSON(t *testing.T) {
	folder := superJSON(t)
	var site *site
	golden.Run(t, "testdata/superjson", func(t *testing.T, c *golden.Case) string {
		switch c.Cmd {
		case "site":
			site = newSite(t, siteOptions{sql: c.Input, rest: restOptions(t, c)})
			return "ready\n"
		case "read":
			return site.readBySuperJSON(t, folder, callerNamed(c), c.Input)
		default:
			c.Fatalf(t, "unknown command %q", c.Cmd)
			return ""
		}
	})
}

// superJSON returns the folder with the package, which npm installs as its lock
// file says unless it is there.
func superJSON(t *testing.T) string {
	t.Helper()
	const folder = "superjson"
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%v: the test needs Node.js 18 or newer with npm; install both, e.g. with `apt-get install nodejs npm`", err)
		}
	}
	if installed(t, folder) {
		return folder
	}
	npm := exec.Command("npm", "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = folder
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return folder
}

// installed reports whether npm has installed what the lock file says: it
// leaves a copy behind, which is then the newer one.
func installed(t *testing.T, folder string) bool {
	t.Helper()
	lock, err := os.Stat(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	done, err := os.Stat(filepath.Join(folder, "node_modules", ".package-lock.json"))
	return err == nil && done.ModTime().After(lock.ModTime())
}

// readBySuperJSON fetches each path and prints the values that superjson makes.
func (s *site) readBySuperJSON(t *testing.T, folder string, who caller, input string) string {
	t.Helper()
	asked := requests(t, input)
	documents := make([]json.RawMessage, len(asked))
	for i, r := range asked {
		resp, body := s.do(t, who, r)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d\n%s", r.URL, resp.StatusCode, body)
		}
		documents[i] = body
	}
	var out strings.Builder
	for i, lines := range decodedByNode(t, folder, documents) {
		fmt.Fprintf(&out, "= %s\n", asked[i].URL)
		for _, line := range lines {
			out.WriteString(line + "\n")
		}
		if n := annotated(t, documents[i]); n != len(lines) {
			t.Errorf("%s: %d annotations, but superjson made %d values", asked[i].URL, n, len(lines))
		}
	}
	return out.String()
}

// decodedByNode runs the reader on the documents.
func decodedByNode(t *testing.T, folder string, documents []json.RawMessage) [][]string {
	t.Helper()
	input, err := json.Marshal(documents)
	if err != nil {
		t.Fatal(err)
	}
	node := exec.Command("node", "read.mjs")
	node.Dir, node.Stdin = folder, bytes.NewReader(input)
	var faults bytes.Buffer
	node.Stderr = &faults
	output, err := node.Output()
	if err != nil {
		t.Fatalf("node read.mjs: %v\n%s", err, &faults)
	}
	var lines [][]string
	if err := json.Unmarshal(output, &lines); err != nil || len(lines) != len(documents) {
		t.Fatalf("node read.mjs wrote %s (%v)", output, err)
	}
	return lines
}

// annotated counts the annotations of a document.
func annotated(t *testing.T, document []byte) int {
	t.Helper()
	var d struct {
		Meta struct {
			Serialization struct{ Values map[string]any }
		}
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	return len(d.Meta.Serialization.Values)
}
