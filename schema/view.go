package schema

import (
	"cmp"
	"slices"
)

// A View is a schema as one role may see it: models, fields and relationships
// are the schema's own, and what the role may not read is absent from the
// lists. It is immutable.
type View struct {
	schema *Schema
	role   string
	models []ModelView // by Model.Ordinal

	guarded    map[Table]bool
	privileges Privileges
	all        bool // every privilege, whatever privileges says
}

// A ModelView is one model as a role may see it.
type ModelView struct {
	Model         *Model
	Readable      bool // false: the role may not read the key, so nothing of the model
	Attributes    []*Field
	Relationships []*Relationship
	Row           []*Field // the key and the attributes, in column order, each once
	Insert        bool
	Update        bool
	Delete        bool

	hiddenAttribute map[string]bool // nil: none
	hiddenRelation  map[string]bool
	privileges      TablePrivileges
	all             bool // every privilege, whatever privileges says
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
	// RowSecurity reports that row-level security applies to the role on the
	// table, or may: of views and foreign tables nobody knows.
	RowSecurity bool
}

// FullView returns the schema as a role with every privilege sees it: for
// planning without a database, and for goldens.
func (s *Schema) FullView() *View {
	v := &View{schema: s, models: make([]ModelView, len(s.models)), all: true}
	for i, m := range s.models {
		v.models[i] = ModelView{
			Model: m, Readable: true, Attributes: m.Attributes, Relationships: m.Relationships,
			Row: row(m.Key, m.Attributes), Insert: m.Insertable, Update: m.Updatable, Delete: m.Deletable, all: true,
		}
	}
	return v
}

// NewView returns the schema as the role with these privileges sees it. A
// relationship is visible where its own columns are, the join table's columns
// are, the referenced columns are, and the target is readable. p is kept and
// must not change any more.
func NewView(s *Schema, role string, p Privileges) *View {
	v := &View{schema: s, role: role, models: make([]ModelView, len(s.models)), guarded: make(map[Table]bool), privileges: p}
	for t, may := range p {
		v.guarded[t] = may.RowSecurity
	}
	for i, m := range s.models {
		t := p[m.Table]
		v.models[i] = ModelView{
			Model: m, Readable: readable(t, m.Key), privileges: t,
			Insert: m.Insertable && anyOf(t.Insert), Update: m.Updatable && anyOf(t.Update), Delete: m.Deletable && t.Delete,
		}
	}
	for i := range v.models {
		v.models[i].show(v, p)
	}
	return v
}

// show fills in what of the model the role sees.
func (v *ModelView) show(of *View, p Privileges) {
	m := v.Model
	v.hiddenAttribute, v.hiddenRelation = map[string]bool{}, map[string]bool{}
	for _, f := range m.Attributes {
		if v.Readable && v.privileges.Select[f.Column] {
			v.Attributes = append(v.Attributes, f)
		} else {
			v.hiddenAttribute[f.Name] = true
		}
	}
	for _, r := range m.Relationships {
		if v.Readable && of.Of(r.Target).Readable && joinable(r, p) {
			v.Relationships = append(v.Relationships, r)
		} else {
			v.hiddenRelation[r.Name] = true
		}
	}
	v.Row = row(m.Key, v.Attributes)
}

// row puts a key and attributes of its model together.
func row(key, attributes []*Field) []*Field {
	fields := slices.Concat(key, attributes)
	slices.SortFunc(fields, func(a, b *Field) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return slices.Compact(fields)
}

// joinable reports whether all columns that a relationship joins by may be read.
func joinable(r *Relationship, p Privileges) bool {
	if !readable(p[r.Model.Table], r.From) || !readable(p[r.Target.Table], r.To) {
		return false
	}
	if r.Through == nil {
		return true
	}
	t := p[r.Through.Table]
	for _, columns := range [][]JoinColumn{r.Through.Near, r.Through.Far} {
		for _, c := range columns {
			if !t.Select[c.Name] {
				return false
			}
		}
	}
	return true
}

func readable(t TablePrivileges, fields []*Field) bool {
	for _, f := range fields {
		if !t.Select[f.Column] {
			return false
		}
	}
	return true
}

func anyOf(columns map[string]bool) bool {
	for _, may := range columns {
		if may {
			return true
		}
	}
	return false
}

// Insertable reports whether the role may give a value for the field on
// create: the model takes inserts, the field is not read-only, and the role
// has the privilege. A column of a foreign key that the role may not read as a
// whole is read-only: nobody could tell what it links to.
func (v *ModelView) Insertable(f *Field) bool {
	return v.Insert && !f.ReadOnly && (v.all || v.privileges.Insert[f.Column] && v.followable(f))
}

// Selectable reports whether the role may read the field's column, served or not.
func (v *ModelView) Selectable(f *Field) bool { return v.all || v.privileges.Select[f.Column] }

// Updatable reports the same as Insertable for updates.
func (v *ModelView) Updatable(f *Field) bool {
	return v.Update && !f.ReadOnly && (v.all || v.privileges.Update[f.Column] && v.followable(f))
}

// followable reports whether the role may read all columns of the foreign keys
// that the field is part of.
func (v *ModelView) followable(f *Field) bool {
	for _, ref := range v.Model.References {
		if slices.Contains(ref.From, f) && !readable(v.privileges, ref.From) {
			return false
		}
	}
	return true
}

// Sees reports whether the role may read what a reference leads to, so that it
// can be asked which of its rows are visible.
func (v *View) Sees(ref *Reference) bool {
	if ref.Target != nil && !v.Of(ref.Target).Readable {
		return false
	}
	return v.all || readable(v.privileges[ref.Table], ref.To)
}

// Schema returns the schema that v is a view of.
func (v *View) Schema() *Schema { return v.schema }

// Role returns the role that v was made for, "" for FullView.
func (v *View) Role() string { return v.role }

// Guarded reports whether row-level security applies to the role on a table, or
// may. It is what held when the view was made.
func (v *View) Guarded(t Table) bool { return v.guarded[t] }

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
