package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const security = "../docs/security.md"

// shownBy is a test as documentation names it: package, name, case.
var shownBy = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)[A-Za-z]+)(?:/([a-z_]+))?`")

// TestThreatsNameTests looks for every test that the security page names, and
// for every way in which tenants meet.
func TestThreatsNameTests(t *testing.T) {
	text := readText(t, security)
	named := shownBy.FindAllStringSubmatch(text, -1)
	if len(named) < 40 {
		t.Fatalf("only %d tests are named", len(named))
	}
	for _, name := range named {
		if !declared(t, name[1], name[2]) {
			t.Errorf("there is no %s in %s", name[2], name[1])
		}
		if script := name[3]; script != "" {
			if _, err := os.Stat(filepath.Join("testdata/scripts", script)); err != nil {
				t.Errorf("%s: %v", name[0], err)
			}
		}
	}
	for _, m := range meetings {
		if !strings.Contains(text, "\n| "+m.why+" |") {
			t.Errorf("the page does not say that tenants meet by this: %s", m.why)
		}
	}
}

// declared reports whether a package's test files have the function.
func declared(t *testing.T, pkg, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.Contains(readText(t, file), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
