package schema_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/schema"
)

// outline lists what is served, in order.
func outline(s *schema.Schema) string {
	var b strings.Builder
	for i, m := range s.Models() {
		fmt.Fprintf(&b, "%d %s:", i, m.Type)
		for _, f := range m.Attributes {
			fmt.Fprintf(&b, " %s", f.Name)
		}
		for j, r := range m.Relationships {
			fmt.Fprintf(&b, " %d %s>%s", j, r, r.Target.Type)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Names and ordinals do not depend on the order of a catalogue's lists.
func TestFromCatalogIgnoresOrder(t *testing.T) {
	s := golden.Schema(t)
	c := *s.Catalog()
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		random.Shuffle(len(c.Relations), func(i, j int) { c.Relations[i], c.Relations[j] = c.Relations[j], c.Relations[i] })
		random.Shuffle(len(c.ForeignKeys), func(i, j int) { c.ForeignKeys[i], c.ForeignKeys[j] = c.ForeignKeys[j], c.ForeignKeys[i] })
		random.Shuffle(len(c.Types), func(i, j int) { c.Types[i], c.Types[j] = c.Types[j], c.Types[i] })
		shuffled, err := schema.FromCatalog(&c)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := outline(shuffled), outline(s); got != want {
			t.Fatalf("in another order:\n%s\nwant:\n%s", got, want)
		}
		if shuffled.Generation() == s.Generation() {
			t.Fatal("two schemas of one generation")
		}
	}
}

// What FromCatalog returns agrees with itself: ordinals are indexes, types and
// names are found, joined columns pair, inverses lead back.
func TestFromCatalogInvariants(t *testing.T) {
	s := golden.Schema(t)
	for i, m := range s.Models() {
		found, ok := s.Model(strings.ToUpper(m.Type))
		if !ok || found != m || m.Ordinal != i || m.Schema() != s || len(m.Key) == 0 {
			t.Errorf("model %s: %+v", m.Type, m)
		}
		for j, f := range m.Fields {
			if f.Ordinal != j || f.Type == nil {
				t.Errorf("%s.%s: %+v", m.Type, f.Name, f)
			}
		}
		for _, f := range m.Attributes {
			if got, ok := m.Attribute(f.Name); !ok || got != f {
				t.Errorf("%s.%s is not found", m.Type, f.Name)
			}
		}
		for j, r := range m.Relationships {
			got, ok := m.Relationship(r.Name)
			if !ok || got != r || r.Ordinal != j || r.Model != m || r.Inverse.Inverse != r || r.Inverse.Target != m {
				t.Errorf("%s: %+v", r, r)
			}
			far := len(r.From)
			if r.Through != nil {
				far = len(r.Through.Far)
				if len(r.Through.Near) != len(r.From) || r.Constraint != "" {
					t.Errorf("%s pairs unlike columns", r)
				}
			} else if r.Constraint != r.Inverse.Constraint || r.Constraint == "" {
				t.Errorf("%s: constraint %q", r, r.Constraint)
			}
			if far != len(r.To) {
				t.Errorf("%s pairs unlike columns", r)
			}
		}
	}
}

// A catalogue that contradicts itself, written by hand, is refused in full.
func TestFromCatalogRefusesContradictions(t *testing.T) {
	table := func(name string) schema.Table { return schema.Table{Schema: "public", Name: name} }
	text, integer := schema.BuiltIn("text"), schema.BuiltIn("int4")
	custom := func(name string) schema.TypeRef { return schema.TypeRef{Schema: "public", Name: name} }
	_, err := schema.FromCatalog(&schema.Catalog{
		Schemas: []string{"public"},
		Types: []schema.TypeDef{
			{TypeRef: custom("a"), Kind: schema.Array, Elem: custom("a")},
			{TypeRef: custom("b"), Kind: schema.Composite, Members: []schema.MemberDef{{Name: "x", Type: custom("none")}}},
			{TypeRef: custom("c")},
		},
		Relations: []schema.TableDef{
			{Table: table("twice"), Relation: schema.OrdinaryTable},
			{Table: table("twice"), Relation: schema.OrdinaryTable},
			{Table: table("nothing")},
			{
				Table: table("odd"), Relation: schema.OrdinaryTable,
				Columns: []schema.ColumnDef{
					{Name: "id", Type: integer}, {Name: "id", Type: text},
					{Name: "a", Type: custom("a")}, {Name: "b", Type: custom("b")}, {Name: "c", Type: custom("c")},
					{Name: "d", Type: schema.BuiltIn("_int5")},
				},
				Keys: []schema.KeyDef{{Name: "odd_pkey", Columns: []string{"key"}}, {Name: "none"}},
			},
			{Table: table("ok"), Relation: schema.OrdinaryTable, Columns: []schema.ColumnDef{{Name: "id", Type: integer, NotNull: true}},
				Keys: []schema.KeyDef{{Name: "ok_pkey", Columns: []string{"id"}, Primary: true}}},
		},
		ForeignKeys: []schema.ForeignKey{
			{Name: "f1", Table: table("ok"), Columns: []string{"x"}, References: table("ok"), RefColumns: []string{"id"}},
			{Name: "f2", Table: table("ok"), Columns: []string{"id"}, References: table("ok"), RefColumns: []string{"id", "id"}},
		},
	})
	want := `the schema cannot be served:
table public.nothing has no relation kind in the catalogue
table public.odd has the column "id" twice in the catalogue
table public.odd: column "a": type public.a: type public.a contains itself
table public.odd: column "b": type public.b: member "x": type public.none is not in the catalogue
table public.odd: column "c": type public.c has no kind
table public.odd: column "d": type pg_catalog._int5 is not in the catalogue
table public.odd: key "none" has no columns in the catalogue
table public.odd: key "odd_pkey" names the column "key", which the catalogue has not
table public.twice is twice in the catalogue
table public.ok: foreign key "f1" names the column "x", which the catalogue has not
table public.ok: foreign key "f2" pairs 1 columns with 2`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}
