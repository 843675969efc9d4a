package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/schema"
)

// TestReferences has a table whose foreign keys lead to a model, to the same
// model again under another name, to a hidden table and to one that is not
// exposed; a column of one of them is hidden.
func TestReferences(t *testing.T) {
	int4 := schema.TypeRef{Schema: "pg_catalog", Name: "int4"}
	table := func(name string, columns ...string) schema.TableDef {
		def := schema.TableDef{
			Table: schema.Table{Schema: "public", Name: name}, Relation: schema.OrdinaryTable,
			Keys: []schema.KeyDef{{Name: name + "_pkey", Columns: columns[:1], Primary: true}},
		}
		for _, c := range columns {
			def.Columns = append(def.Columns, schema.ColumnDef{Name: c, Type: int4, NotNull: c == columns[0]})
		}
		return def
	}
	note := table("note", "id", "tenant", "author", "seal", "owner")
	note.Insertable, note.Updatable = true, true
	note.Columns[1].Override.Hidden = true
	note.Columns[4].Generated = true
	seal := table("seal", "id")
	seal.Override.Hidden = true
	key := func(name, columns, to, refColumns string) schema.ForeignKey {
		in, table, _ := strings.Cut(to, ".")
		return schema.ForeignKey{
			Name: name, Table: note.Table, Columns: strings.Split(columns, " "),
			References: schema.Table{Schema: in, Name: table}, RefColumns: strings.Split(refColumns, " "),
		}
	}
	s, err := schema.FromCatalog(&schema.Catalog{
		Schemas:   []string{"public"},
		Relations: []schema.TableDef{note, seal, table("author", "id", "tenant")},
		Types:     []schema.TypeDef{{TypeRef: int4, Kind: schema.Int4, Equal: true, Ordered: true}},
		ForeignKeys: []schema.ForeignKey{
			key("a", "tenant author", "public.author", "tenant id"), key("b", "author tenant", "public.author", "id tenant"),
			key("c", "seal", "public.seal", "id"), key("d", "owner", "auth.users", "uid"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	m, _ := s.Model("note")
	var got []string
	for _, ref := range m.References {
		columns := func(fields []*schema.Field) (names []string) {
			for _, f := range fields {
				names = append(names, f.Column+" "+f.Type.Name)
			}
			return names
		}
		got = append(got, fmt.Sprint(columns(ref.From), ref.Table, columns(ref.To), ref.Target != nil, ref.Generated))
	}
	want := []string{
		"[tenant int4 author int4] public.author [tenant int4 id int4] true false",
		"[seal int4] public.seal [id int4] false false",
		"[owner int4] auth.users [uid int4] false true",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	all := map[string]bool{"id": true, "tenant": true, "author": true, "seal": true, "owner": true}
	v := schema.NewView(s, "reader", schema.Privileges{
		note.Table:                         {Select: map[string]bool{"id": true, "author": true, "seal": true}, Insert: all, Update: all},
		seal.Table:                         {Select: map[string]bool{"id": true}},
		{Schema: "public", Name: "author"}: {Select: all},
	})
	mv := v.Of(m)
	for i, want := range []bool{true, true, false} {
		if got := v.Sees(m.References[i]); got != want {
			t.Errorf("reference %d: the role sees what it leads to: %v", i, got)
		}
		if !s.FullView().Sees(m.References[i]) {
			t.Errorf("reference %d: the full view does not see what it leads to", i)
		}
	}
	for i, want := range []bool{true, false, false, true, false} {
		if f := m.Fields[i]; mv.Insertable(f) != want || mv.Updatable(f) != want {
			t.Errorf("column %s may be written: %v", f.Column, !want)
		}
	}
}
