package schema_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/schema"
)

func encode(t *testing.T, c *schema.Catalog) string {
	t.Helper()
	var b bytes.Buffer
	n, err := c.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo: %d, %v", n, err)
	}
	return b.String()
}

// A file that is read and written again has the same bytes.
func TestFileRoundTrip(t *testing.T) {
	text := encode(t, golden.Schema(t).Catalog())
	c, err := schema.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if again := encode(t, c); again != text {
		t.Errorf("written again:\n%s", again)
	}
	path := filepath.Join(t.TempDir(), "resourcery.schema.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := schema.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if again := encode(t, s.Catalog()); again != text {
		t.Errorf("written after Load:\n%s", again)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"version": 1, "schemas": ["public"], "tabels": []}`:                     `unknown object member name "tabels"`,
		`{"version": 1, "tables": [{"schema": "a", "name": "b", "kind": "x"}]}`:   `unknown object member name "kind"`,
		`{"version": 2, "tables": []}`:                                            `version 2 of the file is not known`,
		`{"tables": []}`:                                                          `version 0 of the file is not known`,
		`{"version": 1, "version": 1}`:                                            `duplicate object member name "version"`,
		`{"version": 1} {}`:                                                       `invalid character '{' after top-level value`,
		`{"version": 1, "types": [{"schema": "a", "name": "b", "kind": "int3"}]}`: `"int3" is no kind`,
		`{"version": 1, "tables": [{"relation": "index"}]}`:                       `"index" is no relation`,
		``: `EOF`,
	} {
		if _, err := schema.Decode(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Decode(%s): %v, want %s", text, err, want)
		}
	}
	if _, err := schema.Load(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.HasPrefix(err.Error(), "load schema: ") {
		t.Errorf("a file that is not there: %v", err)
	}
}
