package schema

// A View is a schema as one role may see it: models, fields and relationships
// are the schema's own, and what the role may not read is absent from the
// lists. It is immutable.
type View struct {
	schema *Schema
	role   string
	models []ModelView // by Model.Ordinal
}

// A ModelView is one model as a role may see it.
type ModelView struct {
	Model         *Model
	Readable      bool // false: the role may not read the key, so nothing of the model
	Attributes    []*Field
	Relationships []*Relationship
	Insert        bool
	Update        bool
	Delete        bool

	hiddenAttribute map[string]bool // nil: none
	hiddenRelation  map[string]bool
}

// Privileges is what a role may do with the relations of a schema: what
// introspect reads and NewView takes. A table that is absent may not be used.
type Privileges map[Table]TablePrivileges

// TablePrivileges is what a role may do with one table. Column privileges
// count: Select, Insert and Update list the columns that the role may use.
// All lists are empty where the role lacks USAGE on the table's schema.
type TablePrivileges struct {
	Select map[string]bool // by column name
	Insert map[string]bool
	Update map[string]bool
	Delete bool
}

// FullView returns the schema as a role with every privilege sees it: for
// planning without a database, and for goldens.
func (s *Schema) FullView() *View { panic("unbuilt") }

// NewView returns the schema as the role with these privileges sees it. A
// relationship is visible where its own columns are, the join table's columns
// are, the referenced columns are, and the target is readable.
func NewView(s *Schema, role string, p Privileges) *View { panic("unbuilt") }

// Schema returns the schema that v is a view of.
func (v *View) Schema() *Schema { return v.schema }

// Role returns the role that v was made for, "" for FullView.
func (v *View) Role() string { return v.role }

// Model returns the view of the model of a type; types match case-insensitively.
// Models that the role may not read are found too: see Readable.
func (v *View) Model(typ string) (*ModelView, bool) {
	m, ok := v.schema.Model(typ)
	if !ok {
		return nil, false
	}
	return v.Of(m), true
}

// Of returns the view of a model of v's schema.
func (v *View) Of(m *Model) *ModelView { return &v.models[m.Ordinal] }

// Attribute returns the attribute of that name, if the role may read it.
func (v *ModelView) Attribute(name string) (*Field, bool) {
	f, ok := v.Model.Attribute(name)
	return f, ok && !v.hiddenAttribute[name]
}

// Relationship returns the relationship of that name, if the role may see it.
func (v *ModelView) Relationship(name string) (*Relationship, bool) {
	r, ok := v.Model.Relationship(name)
	return r, ok && !v.hiddenRelation[name]
}
