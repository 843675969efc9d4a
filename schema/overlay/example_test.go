package overlay_test

import (
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/overlay"
)

// The models are one member of a larger file, which decodes itself.
func ExampleApply() {
	var config struct {
		Addr   string         `yaml:"addr"`
		Models overlay.Models `yaml:"models"`
	}
	err := yaml.UnmarshalWithOptions([]byte(`
addr: 127.0.0.1:8080
models:
  Post:
    type: articles
    fields:
      viewCount: {name: views, readOnly: true}
`), &config, yaml.Strict())
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog, err := overlay.Apply(&schema.Catalog{
		Schemas: []string{"public"},
		Relations: []schema.TableDef{{
			Table:    schema.Table{Schema: "public", Name: "Post"},
			Relation: schema.OrdinaryTable,
			Columns: []schema.ColumnDef{
				{Name: "id", Type: schema.BuiltIn("int4"), NotNull: true},
				{Name: "viewCount", Type: schema.BuiltIn("int4"), NotNull: true},
			},
			Keys: []schema.KeyDef{{Name: "Post_pkey", Columns: []string{"id"}, Primary: true}},
		}},
	}, config.Models)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := schema.FromCatalog(catalog)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := s.Model("articles")
	f, _ := m.Attribute("views")
	fmt.Println(m.Type, m.Table, f.Name, f.Column, f.ReadOnly)
	// Output: articles public.Post views viewCount true
}
