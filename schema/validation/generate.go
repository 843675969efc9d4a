package validation

import (
	"slices"

	"github.com/resourcery/resourcery/schema"
)

// Generate describes the resource objects of every model that can be written,
// as requests give them: the values that attributes may have, what a create
// must give, and the to-one relationships that cannot be empty. Equal schemas
// give equal files.
func Generate(s *schema.Schema) *File {
	f := &File{Version: FormatVersion, Models: map[string]Model{}}
	for _, m := range s.Models() {
		resource, needs := resourceObject(m), needed(m)
		var described Model
		switch {
		case m.Updatable && m.Insertable:
			described.Update = resource.encode()
			needs.Ref = "update"
			described.Create = needs.encode()
		case m.Updatable:
			described.Update = resource.encode()
		case m.Insertable:
			resource.Required, resource.AllOf = needs.Required, needs.AllOf
			for name, n := range needs.Properties {
				resource.Properties[name].Required = n.Required
			}
			described.Create = resource.encode()
		default:
			continue
		}
		f.Models[m.Type] = described
	}
	return f
}

// resourceObject describes what holds for create and update.
func resourceObject(m *schema.Model) *node {
	attributes := &node{Type: types{"object"}, Properties: map[string]*node{}}
	for _, f := range m.Attributes {
		if described(m, f) {
			attributes.Properties[f.Name] = attribute(m, f)
		}
	}
	n := &node{Type: types{"object"}, Properties: map[string]*node{"attributes": attributes}}
	relationships := map[string]*node{}
	for _, r := range m.Relationships {
		if r.Required() && !slices.ContainsFunc(r.From, func(f *schema.Field) bool { return f.ReadOnly }) {
			relationships[r.Name] = &node{Type: types{"object"}, Properties: map[string]*node{"data": {Type: types{"object"}}}}
		}
	}
	if len(relationships) > 0 {
		n.Properties["relationships"] = &node{Type: types{"object"}, Properties: relationships}
	}
	return n
}

// needed describes what a create must give: attributes that may not be NULL and
// have no default, those of a foreign key as attribute or as relationship. The
// parts of a key may also come as the id, and are left to the database.
func needed(m *schema.Model) *node {
	n, attributes := &node{}, &node{}
	for _, f := range m.Attributes {
		if !described(m, f) || mayBeNull(m, f) || f.Default || slices.Contains(m.Key, f) {
			continue
		}
		ways := []*node{{Properties: map[string]*node{"attributes": {Required: []string{f.Name}}}, Required: []string{"attributes"}}}
		for _, r := range m.Relationships {
			if r.Own && slices.Contains(r.From, f) {
				ways = append(ways, &node{Properties: map[string]*node{"relationships": {Required: []string{r.Name}}}, Required: []string{"relationships"}})
			}
		}
		if len(ways) == 1 {
			attributes.Required = append(attributes.Required, f.Name)
		} else {
			n.AllOf = append(n.AllOf, &node{AnyOf: ways})
		}
	}
	if len(attributes.Required) > 0 {
		n.Required = []string{"attributes"}
		n.Properties = map[string]*node{"attributes": attributes}
	}
	return n
}
