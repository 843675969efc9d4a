package exec

import (
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// unnamed is the answer where the name of what is missing is not for the caller.
func (v *broken) unnamed(at jsonapi.Source) *jsonapi.Error {
	return v.at(jsonapi.WrongPayload, "A value that is needed is missing.", at)
}

// showsAttribute reports whether the caller may know of the field.
func (v *broken) showsAttribute(m *schema.Model, f *schema.Field) bool {
	if v.plan.View == nil {
		return true
	}
	shown, ok := v.plan.View.Of(m).Attribute(f.Name)
	return ok && shown == f
}

// showsRelationship reports the same of a relationship.
func (v *broken) showsRelationship(rel *schema.Relationship) bool {
	if v.plan.View == nil {
		return true
	}
	_, ok := v.plan.View.Of(rel.Model).Relationship(rel.Name)
	return ok
}
