package check_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/check"
)

const documentation = "../../../../docs/check.md"

// TestDocumentedCodes compares the table of the documentation with the codes;
// with -rewrite it writes it. Every code is one that a golden finds.
func TestDocumentedCodes(t *testing.T) {
	file, err := os.ReadFile(documentation)
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)
	head, rest, begun := strings.Cut(text, "<!-- codes")
	note, rest, noted := strings.Cut(rest, "-->\n")
	_, tail, ended := strings.Cut(rest, "<!-- end -->")
	if !begun || !noted || !ended {
		t.Fatalf("%s has no place for the codes", documentation)
	}
	var table strings.Builder
	table.WriteString("| code | severity | found |\n|---|---|---|\n")
	found := goldens(t)
	for _, c := range check.Codes {
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", c.Name, c.Severity, c.About)
		if !strings.Contains(found, "\n"+c.Severity.String()+" "+c.Name+" ") {
			t.Errorf("no golden finds %s", c.Name)
		}
	}
	want := head + "<!-- codes" + note + "-->\n" + table.String() + "<!-- end -->" + tail
	switch {
	case want == text:
	case flag.Lookup("rewrite").Value.String() == "true":
		if err := os.WriteFile(documentation, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs from the codes; run `go test ./cmd/resourcery/internal/check -run TestDocumentedCodes -rewrite`", documentation)
	}
}

// goldens are the cases with all that they find.
func goldens(t *testing.T) string {
	t.Helper()
	const dir = "testdata/findings"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		text, err := os.ReadFile(dir + "/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
