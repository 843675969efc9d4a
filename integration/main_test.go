// Package integration runs the whole API over HTTP against a real PostgreSQL.
//
// The files in testdata are scripts: what a caller asks, and the status, the
// headers and the document that come back. A file starts with its site: either
// the sample database or SQL of its own, and the host's options.
package integration

import (
	"strings"
	"testing"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestScripts runs every script.
//
//	site                         the sample database, its small set
//	site                         with SQL as input: a database made by it, with the overlay
//	                             that follows a line `-- models`
//	     page-size=2 max-page-size=3 unlimited divider=- allow=(x,y) max-included=3 strict regexp
//	     estimates language=english totals=none timeout=2s ...
//	     validated               bodies are held against the generated JSON Schemas
//	     tags                    answers are printed with their entity tags, see tags
//	sql                          SQL that the server's superuser runs
//	rows                         a query of the superuser's; its rows are printed
//	as ann                       requests, one per line; a line `Name: value` is a header of the one before,
//	                             and what begins with a bracket is its body
//	ids ann                      paths, one per line; only the ids of the answer, or its errors, are printed
func TestScripts(t *testing.T) {
	golden.Run(t, "testdata/scripts", script(siteOptions{keys: exec.KeysInSession}))
}

// TestScriptsWithKeysBound runs those that read where include steps get their keys
// as parameters: the answers are the same. Writes find theirs in variables always.
func TestScriptsWithKeysBound(t *testing.T) {
	golden.RunSome(t, "testdata/scripts", reading, script(siteOptions{keys: exec.KeysBound}))
}

// reading reports whether a script reads alone.
func reading(name string) bool {
	return !strings.HasPrefix(name, "write_") && !strings.HasPrefix(name, "conformance_") && !strings.HasSuffix(name, "_writes")
}
