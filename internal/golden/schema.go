package golden

import (
	"bytes"
	_ "embed"
	"testing"

	"github.com/resourcery/resourcery/schema"
)

// SchemaSQL creates the tables behind Schema.
//
//go:embed schema.sql
var SchemaSQL string

//go:embed schema.json
var schemaJSON []byte

// Schema returns the schema that golden files are written against: schema.sql
// as it was introspected. A test of schema/introspect proves that the two agree.
func Schema(t testing.TB) *schema.Schema {
	t.Helper()
	c, err := schema.Decode(bytes.NewReader(schemaJSON))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromCatalog(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
