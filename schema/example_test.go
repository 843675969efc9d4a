package schema_test

import (
	"fmt"

	"github.com/resourcery/resourcery/schema"
)

// A schema can be written in Go, without a database: FromCatalog names it as
// it names an introspected one.
func ExampleFromCatalog() {
	user := schema.Table{Schema: "public", Name: "User"}
	post := schema.Table{Schema: "public", Name: "Post"}
	s, err := schema.FromCatalog(&schema.Catalog{
		Schemas: []string{"public"},
		Relations: []schema.TableDef{
			{
				Table: user, Relation: schema.OrdinaryTable, Insertable: true, Updatable: true, Deletable: true,
				Columns: []schema.ColumnDef{
					{Name: "id", Type: schema.BuiltIn("int4"), NotNull: true, Default: true},
					{Name: "email", Type: schema.BuiltIn("text"), NotNull: true},
				},
				Keys: []schema.KeyDef{{Name: "User_pkey", Columns: []string{"id"}, Primary: true}},
			},
			{
				Table: post, Relation: schema.OrdinaryTable, Insertable: true, Updatable: true, Deletable: true,
				Columns: []schema.ColumnDef{
					{Name: "id", Type: schema.BuiltIn("int4"), NotNull: true, Default: true},
					{Name: "title", Type: schema.BuiltIn("text"), NotNull: true},
					{Name: "authorId", Type: schema.BuiltIn("int4")},
				},
				Keys: []schema.KeyDef{{Name: "Post_pkey", Columns: []string{"id"}, Primary: true}},
			},
		},
		ForeignKeys: []schema.ForeignKey{{
			Name: "Post_authorId_fkey", Table: post, Columns: []string{"authorId"},
			References: user, RefColumns: []string{"id"},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range s.Models() {
		fmt.Println(m.Type)
		for _, f := range m.Attributes {
			fmt.Println("  attribute", f.Name, f.Type.Kind)
		}
		for _, r := range m.Relationships {
			fmt.Println("  relationship", r.Name, "to", r.Target.Type)
		}
	}
	// Output:
	// post
	//   attribute title text
	//   attribute authorId int4
	//   relationship author to user
	// user
	//   attribute email text
	//   relationship posts to post
}
