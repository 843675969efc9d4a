package schema_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/resourcery/resourcery/schema"
)

// randomCatalog makes tables whose few names meet again and again.
func randomCatalog(r *rand.Rand) *schema.Catalog {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	c := &schema.Catalog{Schemas: []string{"public", "app"}}
	for i := range 2 + r.IntN(5) {
		t := schema.TableDef{
			Table:    schema.Table{Schema: pick("public", "public", "app"), Name: pick("a", "b", "as", "user", "a_b", "_x") + pick("", fmt.Sprint(i))},
			Relation: schema.OrdinaryTable, Insertable: true,
		}
		t.Override.Hidden = r.IntN(10) == 0
		seen := map[string]bool{}
		for range 1 + r.IntN(5) {
			name := pick("id", "a", "aId", "a_id", "user", "bId", "as", "b", "x_", "type")
			if seen[name] {
				continue
			}
			seen[name] = true
			column := schema.ColumnDef{Name: name, Type: schema.BuiltIn("int4"), NotNull: r.IntN(2) == 0}
			column.Override.Hidden = r.IntN(12) == 0
			if r.IntN(12) == 0 {
				column.Override.Name = pick("a", "renamed", "b")
			}
			t.Columns = append(t.Columns, column)
		}
		some := func() []string {
			names := []string{t.Columns[r.IntN(len(t.Columns))].Name}
			if other := t.Columns[r.IntN(len(t.Columns))].Name; r.IntN(2) == 0 && other != names[0] {
				names = append(names, other)
			}
			return names
		}
		t.Keys = append(t.Keys, schema.KeyDef{Name: "pkey", Columns: some(), Primary: r.IntN(5) > 0})
		for k := range r.IntN(2) {
			t.Keys = append(t.Keys, schema.KeyDef{Name: fmt.Sprint("u", k), Columns: some()})
		}
		c.Relations = append(c.Relations, t)
	}
	for range r.IntN(8) {
		from, to := c.Relations[r.IntN(len(c.Relations))], c.Relations[r.IntN(len(c.Relations))]
		columns, key := from.Columns, to.Keys[r.IntN(len(to.Keys))].Columns
		if len(columns) < len(key) {
			continue
		}
		k := schema.ForeignKey{Name: pick("f", "g", "h"), Table: from.Table, References: to.Table, RefColumns: key}
		for _, i := range r.Perm(len(columns))[:len(key)] {
			k.Columns = append(k.Columns, columns[i].Name)
		}
		if r.IntN(6) == 0 {
			k.Override.One = pick("a", "named")
		}
		c.ForeignKeys = append(c.ForeignKeys, k)
	}
	return c
}

// Whatever a catalogue holds, it is refused, or every name is there once.
func TestFromCatalogNamesAreUnique(t *testing.T) {
	served, relationships := 0, 0
	for seed := range uint64(20_000) {
		s, err := schema.FromCatalog(randomCatalog(rand.New(rand.NewPCG(seed, 0))))
		if err != nil {
			continue
		}
		served++
		types := map[string]bool{}
		for _, m := range s.Models() {
			names := map[string]bool{"id": true}
			for _, f := range m.Attributes {
				if names[f.Name] || f.Hidden {
					t.Fatalf("seed %d: %s.%s is there twice, or hidden", seed, m.Type, f.Name)
				}
				names[f.Name] = true
			}
			for _, r := range m.Relationships {
				relationships++
				if names[r.Name] || r.Name == "type" || r.Inverse.Inverse != r {
					t.Fatalf("seed %d: %s is there twice, or has no inverse", seed, r)
				}
				names[r.Name] = true
				if got, _ := r.Target.Relationship(r.Inverse.Name); got != r.Inverse {
					t.Fatalf("seed %d: the inverse of %s is not served", seed, r)
				}
				for _, f := range r.From {
					if r.Own && f.Hidden {
						t.Fatalf("seed %d: %s goes over the hidden %s", seed, r, f.Column)
					}
				}
			}
			if types[m.Type] {
				t.Fatalf("seed %d: two models %s", seed, m.Type)
			}
			types[m.Type] = true
		}
	}
	if served < 1000 || relationships < 1000 {
		t.Errorf("only %d catalogues with %d relationships were served", served, relationships)
	}
}
