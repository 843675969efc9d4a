package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	const pass = `{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"a note\n"}
{"Action":"pass","Package":"m/a","Test":"TestA"}
{"Action":"output","Package":"m/a","Output":"PASS\n"}
{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t0.1s\n"}
{"Action":"pass","Package":"m/a"}
{"Action":"output","Package":"m/b","Output":"?   \tm/b\t[no test files]\n"}
{"Action":"skip","Package":"m/b"}
`
	tests := []struct {
		name, in string
		out      []string
		err      string
	}{
		{"pass", pass, []string{"ok  \tm/a\t0.1s\n", "[no test files]", "1 tests passed, 0 failed, 0 skipped"}, ""},
		{"fail", pass + `{"Action":"output","Package":"m/a","Test":"TestB","Output":"    b_test.go:1: wrong\n"}
{"Action":"fail","Package":"m/a","Test":"TestB"}
`, []string{"b_test.go:1: wrong"}, "failed: m/a TestB"},
		{"skip", pass + `{"Action":"skip","Package":"m/a","Test":"TestC"}` + "\n", nil, "skipped: m/a TestC"},
		{"panic", pass + `{"Action":"output","Package":"m/a","Test":"TestD","Output":"panic: oh\n"}
{"Action":"fail","Package":"m/a"}
`, []string{"panic: oh"}, "failed: m/a"},
		{"build", `{"ImportPath":"m/a","Action":"build-output","Output":"a.go:1: syntax error\n"}
{"ImportPath":"m/a","Action":"build-fail"}
`, []string{"a.go:1: syntax error"}, "failed: m/a (build)"},
		{"plain text", "go: no such module\n", []string{"go: no such module"}, "no test ran"},
		{"nothing", "", nil, "no test ran"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			err := report(strings.NewReader(test.in), &out)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if message != test.err {
				t.Errorf("error %q, want %q", message, test.err)
			}
			for _, want := range test.out {
				if !strings.Contains(out.String(), want) {
					t.Errorf("output lacks %q:\n%s", want, out.String())
				}
			}
			if strings.Contains(out.String(), "a note") {
				t.Errorf("output of a test that passed:\n%s", out.String())
			}
		})
	}
}
