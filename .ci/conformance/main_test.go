package main

import (
	"errors"
	"strings"
	"testing"
)

const output = `{"Action":"run","Package":"example.org/m/integration","Test":"TestScripts"}
{"Action":"run","Package":"example.org/m/integration","Test":"TestScripts/reads/list"}
{"Action":"pass","Package":"example.org/m/integration","Test":"TestScripts/reads/list"}
{"Action":"pass","Package":"example.org/m/integration","Test":"TestScripts"}
{"Action":"pass","Package":"example.org/m/plan","Test":"TestSort"}
{"Action":"run","Package":"example.org/m/plan","Test":"TestSort"}
{"Action":"fail","Package":"example.org/m/plan","Test":"TestSort"}
{"Action":"pass","Package":"example.org/m/plan","Test":"TestSort"}
{"Action":"skip","Package":"example.org/m/plan","Test":"TestPage"}
{"Action":"run","Package":"example.org/m/plan","Test":"TestHang"}
{"Action":"pass","Package":"example.org/m","Test":"ExampleServe"}
{"Action":"pass","Package":"example.org/m/plan"}
go: a line that is no JSON
`

func TestCheck(t *testing.T) {
	results := newResults("example.org/m")
	if err := results.read(strings.NewReader(output)); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, row, problem string
	}{
		{"passed", "| 5.1 | lists | `integration.TestScripts/reads/list` |", ""},
		{"two passed", "| 5.1 | a \\| b | `integration.TestScripts`, `integration.TestScripts/reads/list` |", ""},
		{"in the root", "| 1 | serves | `.ExampleServe` |", ""},
		{"failed once", "| 2 | sorts | `plan.TestSort` |", "failed"},
		{"one of two failed", "| 2 | sorts | `integration.TestScripts` `plan.TestSort` |", "failed"},
		{"skipped", "| 3 | pages | `plan.TestPage` |", "was skipped"},
		{"hangs", "| 3 | pages | `plan.TestHang` |", "did not end"},
		{"unknown", "| 4 | writes | `integration.TestScripts/writes` |", "does not exist or did not run"},
		{"refused", "| 6 | extensions | refused, not built |", ""},
		{"refused, yet a test that fails", "| 6 | extensions | refused, not built: `plan.TestSort` |", "failed"},
		{"the host's", "| 7 | TLS | host's: it ends TLS |", ""},
		{"the host's without a reason", "| 7 | TLS | host's |", "names no test"},
		{"empty", "| 8 | caching | |", "names no test"},
		{"words", "| 8 | caching | yes, `Cache-Control` |", "names no test"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows, err := readRows(strings.NewReader("# Rules\n\n| rule | text | proof |\n|---|:--|---:|\n" + test.row + "\n\nEnd.\n"))
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) != 1 || rows[0].line != 5 {
				t.Fatalf("rows: %v", rows)
			}
			problems, tested, untested := check(rows, results)
			err = errors.Join(problems...)
			switch {
			case test.problem == "" && err != nil:
				t.Errorf("problem: %v", err)
			case test.problem == "" && tested+untested != 1:
				t.Errorf("counted %d tested, %d untested", tested, untested)
			case test.problem != "" && (err == nil || !strings.Contains(err.Error(), test.problem)):
				t.Errorf("problem %v, want %q", err, test.problem)
			}
		})
	}
}

func TestReadRowsRefusesNoTable(t *testing.T) {
	for _, text := range []string{"", "# Rules\n", "| rule | proof |\n|---|---|\n"} {
		if rows, err := readRows(strings.NewReader(text)); err == nil {
			t.Errorf("rows of %q: %v", text, rows)
		}
	}
}
