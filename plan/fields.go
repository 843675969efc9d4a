package plan

import (
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// A fieldset is the names that the request wants of one type.
type fieldset map[string]bool

// resolveFieldsets resolves the `fields` parameters (contract 4.15).
func (b *builder) resolveFieldsets() {
	for i := range b.request.Fields {
		if b.full() {
			return
		}
		fs := &b.request.Fields[i]
		mv, ok := b.view.Model(fs.Type)
		if !ok || !mv.Readable {
			b.refuse(unknownFieldsType(fs, b.view))
			continue
		}
		if _, twice := b.fieldsets[mv.Model]; twice {
			b.refuse(fieldsTwice(fs, mv.Model))
			continue
		}
		if b.fieldsets == nil {
			b.fieldsets = make(map[*schema.Model]fieldset)
		}
		b.fieldsets[mv.Model] = b.fieldset(mv, fs)
	}
}

func (b *builder) fieldset(mv *schema.ModelView, fs *parse.Fieldset) fieldset {
	set := make(fieldset, len(fs.Names))
	for _, name := range fs.Names {
		if b.full() {
			return set
		}
		_, attribute := mv.Attribute(name)
		_, relationship := mv.Relationship(name)
		if !attribute && !relationship {
			b.refuse(unknownField(fs, name, mv))
			continue
		}
		set[name] = true
	}
	return set
}

// shown returns the attributes and relationships that resources of the model
// show in the document.
func (b *builder) shown(mv *schema.ModelView) ([]*schema.Field, []*schema.Relationship) {
	set, ok := b.fieldsets[mv.Model]
	if !ok {
		return mv.Attributes, mv.Relationships
	}
	var fields []*schema.Field
	for _, f := range mv.Attributes {
		if set[f.Name] {
			fields = append(fields, f)
		}
	}
	var relationships []*schema.Relationship
	for _, r := range mv.Relationships {
		if set[r.Name] {
			relationships = append(relationships, r)
		}
	}
	return fields, relationships
}
