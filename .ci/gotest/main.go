// Gotest reads the output of go test -json on its standard input, prints what
// go test would have printed, and fails when a test failed or was skipped: a
// skipped test proves nothing.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := report(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
}

// event is a line of go test -json, see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

// test is a test of a package; its name is empty for the package itself.
type test struct{ pkg, name string }

func report(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	outputs := make(map[test][]string)
	var passed int
	var failed, skipped []string
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read line %d: %w", number, err)
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			// Not every message of the go command is JSON.
			fmt.Fprint(out, string(line))
			continue
		}
		key := test{e.Package, e.Test}
		switch {
		case e.Action == "build-output":
			fmt.Fprint(out, e.Output)
		case e.Action == "build-fail":
			failed = append(failed, e.ImportPath+" (build)")
		case e.Action == "output" && e.Test == "":
			if e.Output != "PASS\n" {
				fmt.Fprint(out, e.Output)
			}
		case e.Action == "output":
			if !strings.HasPrefix(e.Output, "=== ") {
				outputs[key] = append(outputs[key], e.Output)
			}
		case e.Action == "pass" && e.Test != "":
			passed++
			delete(outputs, key)
		case e.Action == "fail":
			failed = append(failed, strings.TrimSpace(e.Package+" "+e.Test))
			fmt.Fprint(out, strings.Join(outputs[key], ""))
			delete(outputs, key)
		case e.Action == "skip" && e.Test != "":
			skipped = append(skipped, e.Package+" "+e.Test)
		}
	}
	return verdict(out, outputs, passed, failed, skipped)
}

// verdict prints the count and what never ended, which is where a panic or a
// timeout is told.
func verdict(out io.Writer, unended map[test][]string, passed int, failed, skipped []string) error {
	for key, lines := range unended {
		if slices.Contains(failed, key.pkg) {
			fmt.Fprintf(out, "--- unfinished: %s %s\n%s", key.pkg, key.name, strings.Join(lines, ""))
		}
	}
	fmt.Fprintf(out, "%d tests passed, %d failed, %d skipped\n", passed, len(failed), len(skipped))
	switch {
	case len(failed) > 0:
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	case len(skipped) > 0:
		return fmt.Errorf("skipped: %s", strings.Join(skipped, ", "))
	case passed == 0:
		return errors.New("no test ran")
	}
	return nil
}
