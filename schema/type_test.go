package schema_test

import (
	"testing"

	"github.com/resourcery/resourcery/schema"
)

// A catalogue that was written by hand need not list the common types; of its
// own ones it says where their operators are, and a domain has those of what it
// is over.
func TestTypesOfCatalog(t *testing.T) {
	own := func(name string) schema.TypeRef { return schema.TypeRef{Schema: "ext", Name: name} }
	s, err := schema.FromCatalog(&schema.Catalog{
		Schemas: []string{"public"},
		Types: []schema.TypeDef{
			{TypeRef: own("citext"), Kind: schema.Text, Equal: true, Ordered: true, Operators: "ext"},
			{TypeRef: own("_citext"), Kind: schema.Array, Elem: own("citext"), Equal: true, Ordered: true},
			{TypeRef: own("nick"), Kind: schema.Domain, Elem: own("citext"), Equal: true, Ordered: true},
		},
		Relations: []schema.TableDef{{
			Table: schema.Table{Schema: "public", Name: "a"}, Relation: schema.OrdinaryTable,
			Columns: []schema.ColumnDef{
				{Name: "id", Type: schema.BuiltIn("int4"), NotNull: true},
				{Name: "times", Type: schema.BuiltIn("tstzmultirange")},
				{Name: "lists", Type: schema.BuiltIn("_int4multirange")},
				{Name: "span", Type: schema.BuiltIn("tstzrange")},
				{Name: "nick", Type: own("nick")},
				{Name: "nicks", Type: own("_citext")},
			},
			Keys: []schema.KeyDef{{Name: "a_pkey", Columns: []string{"id"}, Primary: true}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	m, _ := s.Model("a")
	typeOf := func(name string) *schema.Type { f, _ := m.Attribute(name); return f.Type }
	if times := typeOf("times"); times.Kind != schema.Range || !times.Multi || times.Elem.Kind != schema.Timestamptz {
		t.Errorf("times: %+v", times)
	}
	if lists := typeOf("lists"); lists.Kind != schema.Array || !lists.Elem.Multi || lists.Elem.Elem.Kind != schema.Int4 {
		t.Errorf("lists: %+v of %+v", lists, lists.Elem)
	}
	if span := typeOf("span"); span.Multi {
		t.Errorf("span: %+v", span)
	}
	for name, want := range map[string]string{"times": "pg_catalog", "nick": "ext", "nicks": "pg_catalog"} {
		if got := typeOf(name).OperatorSchema(); got != want {
			t.Errorf("%s: operators of %q, want %q", name, got, want)
		}
	}
}
