// Conformance checks that docs/conformance.md tells the truth: every row of
// its tables names tests that ran and passed, or says in words that there is
// nothing to test.
//
//	conformance docs/conformance.md test.json...
//
// The last column of a row holds the names in backticks, in the form
// directory.TestName/subtest with the directory relative to the module's root
// (".TestName" in the root itself), or the words "refused, not built", or
// "host's" with a reason.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: conformance docs/conformance.md test.json...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(table string, outputs []string, out io.Writer) error {
	module, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		return fmt.Errorf("ask for the module's path: %w", err)
	}
	results := newResults(strings.TrimSpace(string(module)))
	for _, name := range outputs {
		if err := readFile(name, results.read); err != nil {
			return err
		}
	}
	var rows []row
	if err := readFile(table, func(in io.Reader) (err error) { rows, err = readRows(in); return err }); err != nil {
		return err
	}
	problems, tested, untested := check(rows, results)
	if len(problems) > 0 {
		return fmt.Errorf("%s:\n%w", table, errors.Join(problems...))
	}
	fmt.Fprintf(out, "%d rows proved by tests that passed, %d without a test by their own words\n", tested, untested)
	return nil
}

func readFile(name string, read func(io.Reader) error) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer file.Close()
	if err := read(file); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// row is a row of a table: where it stands, and its last column.
type row struct {
	line  int
	proof string
}

var separator = regexp.MustCompile(`^\|(\s*:?-+:?\s*\|)+$`)

// readRows returns the rows of all tables, without their headings. A document
// without any is an error.
func readRows(in io.Reader) ([]row, error) {
	var rows []row
	body := false // whether the table's heading is over
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		switch {
		case !strings.HasPrefix(line, "|"):
			body = false
		case separator.MatchString(line):
			body = true
		case body:
			cells := splitCells(line)
			rows = append(rows, row{line: number, proof: cells[len(cells)-1]})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("no table with rows")
	}
	return rows, nil
}

// splitCells splits a row at its bars; an escaped bar belongs to a cell.
func splitCells(line string) []string {
	const escaped = "\x00"
	line = strings.ReplaceAll(line, `\|`, escaped)
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	cells := strings.Split(line, "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, escaped, "|"))
	}
	return cells
}

var (
	quoted   = regexp.MustCompile("`([^`]+)`")
	testName = regexp.MustCompile(`^(.*)\.((?:Test|Example|Fuzz)[^./]*(?:/.*)?)$`)
	hosts    = regexp.MustCompile(`(?i)\bhost['’]s\b[^\pL]*\pL`)
)

// check compares the rows with the results. A row that names tests is held to
// them whatever else it says.
func check(rows []row, results *results) (problems []error, tested, untested int) {
	for _, row := range rows {
		names := quoted.FindAllStringSubmatch(row.proof, -1)
		var found []string
		for _, name := range names {
			if testName.MatchString(name[1]) {
				found = append(found, name[1])
			}
		}
		switch {
		case len(found) > 0:
			tested++
			for _, name := range found {
				if err := results.passed(name); err != nil {
					problems = append(problems, fmt.Errorf("line %d: `%s` %w", row.line, name, err))
				}
			}
		case strings.Contains(row.proof, "refused, not built"), hosts.MatchString(row.proof):
			untested++
		default:
			problems = append(problems, fmt.Errorf(
				"line %d: the last column names no test and says neither \"refused, not built\" nor \"host's\" with a reason: %q",
				row.line, row.proof))
		}
	}
	return problems, tested, untested
}

// results are the ends of tests, by directory.TestName/subtest.
type results struct {
	module string
	ends   map[string]string
}

func newResults(module string) *results {
	return &results{module: module, ends: make(map[string]string)}
}

// read takes in one output of go test -json. Of a test that ran more than
// once the worst end counts.
func (r *results) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var event struct{ Action, Package, Test string }
		if json.Unmarshal(line, &event) != nil || event.Test == "" {
			continue
		}
		name := r.name(event.Package, event.Test)
		switch event.Action {
		case "run":
			if r.ends[name] == "" {
				r.ends[name] = "did not end"
			}
		case "pass":
			if end := r.ends[name]; end == "" || end == "did not end" {
				r.ends[name] = "passed"
			}
		case "fail":
			r.ends[name] = "failed"
		case "skip":
			if r.ends[name] != "failed" {
				r.ends[name] = "was skipped"
			}
		}
	}
}

func (r *results) name(pkg, test string) string {
	dir := strings.TrimPrefix(strings.TrimPrefix(pkg, r.module), "/")
	return dir + "." + test
}

// passed is nil if the test ran and passed.
func (r *results) passed(name string) error {
	switch end := r.ends[name]; end {
	case "passed":
		return nil
	case "":
		return errors.New("does not exist or did not run")
	default:
		return errors.New(end)
	}
}
