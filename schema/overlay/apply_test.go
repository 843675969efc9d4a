package overlay_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/overlay"
)

// Apply leaves its catalogue alone, and twice is as good as once: a generated
// file may have the overlay in it already.
func TestApplyCopies(t *testing.T) {
	models, err := overlay.Decode([]byte(`
models:
  Post:
    type: articles
    fields: {title: {name: heading, search: titleVector}, content: {hidden: true}}
    relationships:
      writer: {foreignKey: Post_authorId_fkey}
      labels: {through: _PostToTag}
      editor: {columns: [viewCount], references: User}
  User: {relationships: {written: {foreignKey: Post_authorId_fkey}}}
  Revision: {hidden: true}
`))
	if err != nil {
		t.Fatal(err)
	}
	before := golden.Schema(t).Catalog()
	once, err := overlay.Apply(before, models)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(golden.Schema(t).Catalog(), before); diff != "" {
		t.Errorf("Apply changed what it was given:\n%s", diff)
	}
	twice, err := overlay.Apply(once, models)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(once, twice); diff != "" {
		t.Errorf("applied twice:\n%s", diff)
	}
	s, err := schema.FromCatalog(once)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := s.Model("articles")
	heading, _ := m.Attribute("heading")
	if heading == nil || heading.Search == nil || heading.Search.Column != "titleVector" {
		t.Errorf("articles.heading: %+v", heading)
	}
	for _, name := range []string{"writer", "labels", "editor"} {
		if _, ok := m.Relationship(name); !ok {
			t.Errorf("no relationship %s", name)
		}
	}
	if _, ok := m.Attribute("content"); ok {
		t.Error("content is served")
	}
	if _, ok := s.Model("revision"); ok {
		t.Error("revision is served")
	}
}
