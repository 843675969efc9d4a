package introspect_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// connect opens a database that the SQL has made.
func connect(t *testing.T, sql string) *pgx.Conn {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pgtest.Database(t, sql))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(ctx) })
	return conn
}

// load introspects a database that the SQL has made.
func load(t *testing.T, sql string, schemas ...string) *schema.Catalog {
	t.Helper()
	c, err := introspect.Load(context.Background(), connect(t, sql), introspect.Options{Schemas: schemas})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// compare holds a text against a golden file, or writes it there.
func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	// The flag is the golden harness's.
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := read(t, path)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (-want +got; -rewrite writes it anew):\n%s", path, diff)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The schema that other packages' golden files use is what introspection
// makes of its SQL.
func TestStoredSchema(t *testing.T) {
	c := load(t, golden.SchemaSQL)
	if _, err := schema.FromCatalog(c); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := c.WriteTo(&got); err != nil {
		t.Fatal(err)
	}
	compare(t, "../../internal/golden/schema.json", got.Bytes())
}
