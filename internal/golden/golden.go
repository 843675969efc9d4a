// Package golden is the one harness for tests whose cases and answers are
// files. A file holds cases of the form
//
//	command arg arg=value
//	input
//	----
//	output
//
// with blank lines between them and comments after `#`. An output with blank
// lines of its own stands between doubled `----` lines. `go test ./plan
// -rewrite` writes what the code answers now; the diff is then read like code.
//
// It knows nothing of what is tested.
package golden

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/resourcery/resourcery/jsonapi"
)

// A Case is one case of a file: Cmd, CmdArgs and Input are what the function
// under test is given. Input has no line break at its end.
type Case = datadriven.TestData

// Run runs every case in the files under dir, one subtest for each file. f
// returns the output; a line break at its end is optional. A file's first case
// with another output ends the file. A directory without files fails the test,
// so that a misspelt name does not pass.
func Run(t *testing.T, dir string, f func(t *testing.T, c *Case) string) {
	t.Helper()
	RunSome(t, dir, func(string) bool { return true }, f)
}

// RunSome does the same with those files directly under dir whose names are
// wanted, and with all of those in directories under it.
func RunSome(t *testing.T, dir string, wanted func(name string) bool, f func(t *testing.T, c *Case) string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatalf("read the cases: %v", err)
	}
	if len(entries) == 0 {
		t.Fatalf("no cases in %s", dir)
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() && !wanted(entry.Name()) {
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) {
			datadriven.Walk(t, filepath.Join(dir, entry.Name()), func(t *testing.T, path string) {
				datadriven.RunTest(t, path, f)
			})
		})
	}
}

// Errors returns the error objects that err holds, one to a line, as in
// `400 invalid-filter at filter[author][nmae]: ...`. An error that holds none
// is our fault, not a client's, and reads so. It returns "" for nil.
func Errors(err error) string {
	if err == nil {
		return ""
	}
	if _, ok := errors.AsType[jsonapi.Errors](err); !ok {
		if _, ok := errors.AsType[*jsonapi.Error](err); !ok {
			return "no jsonapi error: " + err.Error() + "\n"
		}
	}
	var b strings.Builder
	for _, e := range jsonapi.AsErrors(err) {
		b.WriteString(e.Error() + "\n")
	}
	return b.String()
}
