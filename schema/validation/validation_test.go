package validation_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
	"github.com/resourcery/resourcery/schema/overlay"
	"github.com/resourcery/resourcery/schema/validation"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rulesModels gives what rules.sql has without a key one.
const rulesModels = `
models:
  far: {id: [id]}
  listed: {id: [id]}
  frozen: {id: [id]}
  mark:
    fields:
      stars: {name: points}
`

// open makes a database of the SQL, and its schema.
func open(t *testing.T, sql, models string) (*pgx.Conn, *schema.Schema) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pgtest.Database(t, sql))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(ctx) })
	catalog, err := introspect.Load(ctx, conn, introspect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o, err := overlay.Decode([]byte(models))
	if err != nil {
		t.Fatal(err)
	}
	if catalog, err = overlay.Apply(catalog, o); err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromCatalog(catalog)
	if err != nil {
		t.Fatal(err)
	}
	return conn, s
}

func generated(t *testing.T, s *schema.Schema) (*validation.Set, []byte) {
	t.Helper()
	var text bytes.Buffer
	n, err := validation.Generate(s).WriteTo(&text)
	if err != nil || n != int64(text.Len()) {
		t.Fatalf("WriteTo: %d, %v", n, err)
	}
	path := filepath.Join(t.TempDir(), "resourcery.validation.json")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := validation.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Covers(s); err != nil {
		t.Error(err)
	}
	return set, text.Bytes()
}

// The files are what the databases say, and say it in the same bytes each time.
func TestGenerate(t *testing.T) {
	for _, c := range []struct{ file, sql, models string }{
		{"testdata/sample.json", sample.Schema(), "models: {Like: {fields: {createdAt: {readOnly: true}}}}"},
		{"testdata/rules.json", read(t, "testdata/rules.sql"), rulesModels},
	} {
		_, s := open(t, c.sql, c.models)
		_, text := generated(t, s)
		// The flag is the golden harness's.
		if flag.Lookup("rewrite").Value.String() == "true" {
			if err := os.WriteFile(c.file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(read(t, c.file), string(text)); diff != "" {
			t.Errorf("%s (-want +got; -rewrite writes it anew):\n%s", c.file, diff)
		}
	}
}

// What is refused stands beside what is not, for generated schemas and a
// host's own.
func TestCheck(t *testing.T) {
	sets := map[string]*validation.Set{}
	golden.Run(t, "testdata/check", func(t *testing.T, c *golden.Case) string {
		file := c.CmdArgs[0].Key
		if c.Cmd == "schemas" {
			f, err := validation.Decode(strings.NewReader(c.Input))
			if err != nil {
				return err.Error()
			}
			if sets[file], err = validation.Compile(f); err != nil {
				return err.Error()
			}
			return "ok"
		}
		if sets[file] == nil {
			set, err := validation.Load(filepath.Join("testdata", file))
			if err != nil {
				return err.Error()
			}
			sets[file] = set
		}
		op := map[string]validation.Operation{"create": validation.Create, "update": validation.Update}[c.Cmd]
		var out strings.Builder
		for line := range strings.SplitSeq(c.Input, "\n") {
			es := sets[file].Check(c.CmdArgs[1].Key, op, []byte(line))
			if es == nil {
				out.WriteString("ok\n")
			} else {
				out.WriteString(golden.Errors(es))
			}
		}
		return out.String()
	})
}

func TestLoadRefuses(t *testing.T) {
	if _, err := validation.Load(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.HasPrefix(err.Error(), "load validation: ") {
		t.Errorf("a file that is not there: %v", err)
	}
	path := filepath.Join(t.TempDir(), "v.json")
	if err := os.WriteFile(path, []byte(`{"version": 1, "models": {"post": {"create": {"type": "strnig"}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := validation.Load(path); err == nil || !strings.Contains(err.Error(), "models: post: create: ") || !strings.Contains(err.Error(), path) {
		t.Errorf("a schema that is none: %v", err)
	}
}

func TestCovers(t *testing.T) {
	s := golden.Schema(t)
	set, err := validation.Compile(&validation.File{Version: 1, Models: map[string]validation.Model{
		"Post": {Create: []byte("true")}, "psot": {Create: []byte("{}")}, "zebra": {Update: []byte("false")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := "the validation does not fit the schema:\nno model \"psot\"; did you mean \"post\"?\nno model \"zebra\""
	if err := set.Covers(s); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if es := set.Check("ZEBRA", validation.Update, []byte(`{}`)); len(es) != 1 || es[0].Code != jsonapi.ValidationError {
		t.Errorf("a schema that is false: %v", es)
	}
	if es := set.Check("zebra", validation.Create, []byte(`{`)); es != nil {
		t.Errorf("an operation without a schema: %v", es)
	}
}
