package introspect_test

import (
	"context"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
	"github.com/resourcery/resourcery/schema/overlay"
)

// Every case is SQL and, from a line `models:` on, an overlay. The answer is
// why it cannot be served, or the names where it can.
func TestRefusals(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, "")
	golden.Run(t, "testdata/refusals", func(t *testing.T, c *golden.Case) string {
		sql, models := c.Input, ""
		if i := strings.Index(c.Input, "models:"); i >= 0 {
			sql, models = c.Input[:i], c.Input[i:]
		}
		if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS public, app CASCADE; CREATE SCHEMA public; CREATE SCHEMA app;"+sql); err != nil {
			t.Fatalf("%s: %v", c.Pos, err)
		}
		s, err := fromDatabase(ctx, conn, models)
		if err == nil && c.Cmd == "strictly" {
			err = s.CheckStrict()
		}
		if err != nil {
			return err.Error()
		}
		return strings.ReplaceAll(string(describe(s)), "\n\n", "\n")
	})
}

func fromDatabase(ctx context.Context, conn introspect.Conn, models string) (*schema.Schema, error) {
	c, err := introspect.Load(ctx, conn, introspect.Options{Schemas: []string{"public", "app"}})
	if err != nil {
		return nil, err
	}
	m, err := overlay.Decode([]byte(models))
	if err != nil {
		return nil, err
	}
	if c, err = overlay.Apply(c, m); err != nil {
		return nil, err
	}
	return schema.FromCatalog(c)
}
