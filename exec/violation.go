package exec

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// violation is the answer to a constraint that a write breaks, by the table of
// the contract's section 8. It points at what the request gives for the
// constraint's columns. What Postgres tells of the row goes into the cause alone.
//
// st is the statement that failed, nil for what shows only at the end of the
// transaction.
func violation(e *pgconn.PgError, p *plan.Plan, table schema.Table, st *sqlgen.Statement) (*jsonapi.Error, bool) {
	v := broken{err: e, plan: p, write: writeOf(p), table: table, statement: st}
	if m := modelOfPlan(p); m != nil {
		v.schema = m.Schema()
		v.constraint, v.known = v.schema.Constraint(table, e.ConstraintName)
		if v.known && v.constraint.Model != nil {
			v.table = v.constraint.Model.Table // Postgres names the partition
		}
	}
	switch e.Code {
	case "23505":
		return v.answer(jsonapi.Conflict, "A resource with the same values exists already."), true
	case "23P01":
		return v.answer(jsonapi.Conflict, "The values clash with those of another resource."), true
	case "23503", "23001":
		return v.foreignKey(), true
	case "23502":
		return v.notNull(), true
	case "23514", "44000": // 44000: the check option of a view
		return v.check(), true
	default:
		return nil, false
	}
}

// A broken is a constraint that a write broke.
type broken struct {
	err        *pgconn.PgError
	plan       *plan.Plan
	write      *plan.Write // nil for deletes
	schema     *schema.Schema
	table      schema.Table
	statement  *sqlgen.Statement
	constraint schema.Constraint
	known      bool
}

func (v *broken) answer(code jsonapi.Code, detail string) *jsonapi.Error {
	return v.at(code, detail, v.place(v.constraint.Fields))
}

func (v *broken) at(code jsonapi.Code, detail string, at jsonapi.Source) *jsonapi.Error {
	return &jsonapi.Error{Code: code, Detail: detail, Source: at, ORMCode: v.err.Code, Cause: v.err}
}

// foreignKey tells a target that is not there from rows that still refer to what
// is deleted, or to a key that changes.
func (v *broken) foreignKey() *jsonapi.Error {
	if v.write == nil || v.refersToUs() {
		return v.at(jsonapi.Conflict, "Other resources refer to this one.", jsonapi.Source{})
	}
	if v.refersToLink() {
		return v.at(jsonapi.Conflict, "Other resources refer to a link that was to go.", placeOf(v.plan, v.member()))
	}
	if rel := v.joinedBy(); rel != nil && rel.Through.NearConstraint == v.err.ConstraintName {
		return v.at(jsonapi.NotFound, "The resource does not exist, or you may not see it.", jsonapi.Source{})
	}
	at := v.place(v.constraint.Fields)
	if at == (jsonapi.Source{}) && v.table == v.write.Model.Table {
		at = placeOfFields(v.plan, v.write, v.constraint.Fields) // the first of several
	}
	missing := targetNotFound(at) // no SQLSTATE: one that is hidden would not have it
	missing.Cause = v.err
	return missing
}

// refersToUs reports whether the rows that break the key refer to the one that
// is written: they are of another table, or of the same one and the request
// writes nothing of the key.
func (v *broken) refersToUs() bool {
	if !v.known || v.constraint.References != v.write.Model || v.member() != nil {
		return false
	}
	return v.constraint.Model != v.write.Model || !slices.ContainsFunc(v.write.Set, func(a plan.Assignment) bool {
		return slices.Contains(v.constraint.Fields, a.Field)
	})
}

// refersToLink reports whether the rows that break the key refer to one of the
// join table: they are of neither of the tables that the statement is about.
func (v *broken) refersToLink() bool {
	rel := v.member()
	return v.statement != nil && rel != nil && rel.Through != nil && v.table != rel.Through.Table
}

func (v *broken) notNull() *jsonapi.Error {
	if v.write == nil || v.cascades() {
		return v.at(jsonapi.Conflict, "Other resources refer to this one and cannot be without it.", jsonapi.Source{})
	}
	f, rel := v.column(), v.member()
	switch {
	case f == nil || f.Hidden:
		return v.unnamed(v.place(nil))
	case rel != nil && rel.Through == nil && slices.Contains(rel.To, f):
		return v.at(jsonapi.RequiredRelationship, "Its members cannot be without this relationship.", placeOf(v.plan, rel))
	case rel != nil && rel.Through != nil && rel.Through.Model != nil:
		if !v.showsAttribute(rel.Through.Model, f) {
			return v.unnamed(placeOf(v.plan, rel))
		}
		return v.at(jsonapi.WrongPayload, "Members are linked by resources of type "+quoted(rel.Through.Model.Type)+
			", whose attribute "+quoted(f.Name)+" is required; create these instead.", placeOf(v.plan, rel))
	case rel == nil && v.isKey(f):
		return v.at(jsonapi.WrongPayload, "The id is required, as the database makes none.", v.missing(f))
	}
	for _, rel := range v.write.Model.Relationships {
		if rel.Own && rel.Required() && slices.Contains(rel.From, f) && v.showsRelationship(rel) {
			return v.at(jsonapi.RequiredRelationship, "The relationship "+quoted(rel.Name)+" is required.", v.missing(f))
		}
	}
	if !v.showsAttribute(v.write.Model, f) {
		return v.unnamed(v.place(nil))
	}
	return v.at(jsonapi.WrongPayload, "The attribute "+quoted(f.Name)+" is required.", v.missing(f))
}

// cascades reports whether the row that lacks a value is one of another table,
// which refers to the row that is written.
func (v *broken) cascades() bool {
	return v.statement != nil && v.statement.Relationship == nil && v.table != v.write.Model.Table &&
		v.write.Model.Relation == schema.OrdinaryTable && v.refers()
}

// refers reports whether the table has a foreign key to the model's.
func (v *broken) refers() bool {
	return slices.ContainsFunc(v.write.Model.Relationships, func(rel *schema.Relationship) bool {
		return !rel.Own && rel.Through == nil && rel.Target.Table == v.table
	})
}

// column is the field that was NULL, nil where it is none of the rows that the
// request writes: a trigger wrote another table. Of a view Postgres names the
// table beneath, whose columns mostly have the same names.
func (v *broken) column() *schema.Field {
	m := v.write.Model
	f, ok := v.schema.Column(v.table, v.err.ColumnName)
	switch {
	case ok && slices.Contains(m.Fields, f):
		v.table = m.Table
		return f
	case ok && v.member() != nil:
		return f
	case m.Relation != schema.PlainView:
		return nil
	}
	if i := slices.IndexFunc(m.Fields, func(f *schema.Field) bool { return f.Column == v.err.ColumnName }); i >= 0 {
		v.table = m.Table
		return m.Fields[i]
	}
	return nil
}

func (v *broken) isKey(f *schema.Field) bool {
	key := v.write.Model.Key
	return len(key) == 1 && f == key[0]
}

// missing is where a value is that is NULL, or where it would be.
func (v *broken) missing(f *schema.Field) jsonapi.Source {
	at := v.place([]*schema.Field{f})
	if at != (jsonapi.Source{}) || v.write == nil {
		return at
	}
	if v.isKey(f) {
		return jsonapi.Pointer(strings.TrimSuffix(v.plan.Attributes, "/attributes"))
	}
	return jsonapi.Pointer(v.plan.Attributes)
}

func quoted(name string) string { return `"` + name + `"` }

// check answers for check constraints, those of domains among them, which name a
// type instead of a table.
func (v *broken) check() *jsonapi.Error {
	at := v.place(v.constraint.Fields)
	if v.err.TableName == "" && v.err.DataTypeName != "" && v.write != nil {
		at = v.domain()
	}
	return v.at(jsonapi.ValidationError, "The database does not take the values: a rule of the table refuses them.", at)
}

// domain is where the request gives the one value that has the domain, or has
// it in it.
func (v *broken) domain() jsonapi.Source {
	var found []jsonapi.Source
	for _, a := range v.write.Set {
		if v.holds(a.Field.Type) {
			found = append(found, placeOfCell(v.plan, a.Value))
		}
	}
	if len(found) != 1 {
		return jsonapi.Source{}
	}
	return found[0]
}

// holds reports whether values of the type are of the domain that the error
// names, or may have such values in them.
func (v *broken) holds(t *schema.Type) bool {
	switch t.Kind {
	case schema.Domain:
		return t.Name == v.err.DataTypeName && t.Schema == v.err.SchemaName || v.holds(t.Elem)
	case schema.Array, schema.Range:
		return v.holds(t.Elem)
	case schema.Composite:
		return slices.ContainsFunc(t.Members, func(m schema.Member) bool { return v.holds(m.Type) })
	default:
		return false
	}
}

// place is where the request gives what broke: the one column, or the
// relationship whose rows it is about.
func (v *broken) place(fields []*schema.Field) jsonapi.Source {
	if v.write == nil {
		return jsonapi.Source{}
	}
	if rel := v.member(); rel != nil {
		return placeOf(v.plan, rel)
	}
	if v.table != v.write.Model.Table || len(fields) == 0 {
		return jsonapi.Source{}
	}
	at := placeOfFields(v.plan, v.write, fields)
	if len(fields) == 1 {
		return at
	}
	for _, a := range v.write.Set {
		if slices.Contains(fields, a.Field) && placeOfCell(v.plan, a.Value) != at {
			return jsonapi.Source{} // several places: no single one is at fault
		}
	}
	return at
}

// member is the relationship among those whose members the request changes that
// the broken row tells of.
func (v *broken) member() *schema.Relationship {
	switch {
	case v.write == nil:
		return nil
	case v.statement != nil: // which is about one, or about the row itself
		return v.statement.Relationship
	}
	for _, m := range v.write.Members {
		rel := m.Relationship
		if rel.Through != nil && rel.Through.Table == v.table || rel.Through == nil && rel.Target.Table == v.table && v.others(rel.Target) {
			return rel
		}
	}
	return nil
}

// others reports whether rows of the model that the request writes are others
// than its own.
func (v *broken) others(m *schema.Model) bool { return m != v.write.Model || len(v.write.Set) == 0 }

// joinedBy is the same where the row is one of a join table.
func (v *broken) joinedBy() *schema.Relationship {
	if rel := v.member(); rel != nil && rel.Through != nil {
		return rel
	}
	return nil
}

func modelOfPlan(p *plan.Plan) *schema.Model {
	switch a := p.Action.(type) {
	case *plan.Create:
		return a.Model
	case *plan.Update:
		return a.Model
	case *plan.Delete:
		return a.Model
	case *plan.Read, *plan.Batch:
		return nil
	default:
		panic("exec: an action of no known type")
	}
}
