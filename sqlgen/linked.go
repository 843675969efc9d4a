package sqlgen

import (
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// before leaves in variables what the foreign keys that may stay as they are
// hold before the write. The row is named by these columns. It is locked, where
// it can be, so that it is the one that the write finds.
func (w *writer) before(key []*schema.Field, cells []plan.Cell) {
	fields := w.staying()
	if len(fields) == 0 {
		return
	}
	at := w.next()
	row := sq.Select().From(table(w.write.Model.Table) + " " + at).Limit(1)
	for i, f := range fields {
		row = row.Column(column(at, f.Column) + " AS " + returnedName(i))
	}
	for i, f := range key {
		row = row.Where(sq.Expr(equals(column(at, f.Column), f.Type, "?", f.Type), w.cell(cells[i])))
	}
	if w.guarded {
		row = row.Where(w.whereOK())
	}
	if w.write.Model.Relation == schema.OrdinaryTable {
		row = row.Suffix("FOR NO KEY UPDATE")
	}
	sets, types := make([]string, len(fields)), make([]*schema.Type, len(fields))
	for i, f := range fields {
		sets[i] = setVariable(beforeVariable(w.write.Number, f), "coalesce((SELECT "+packed(returnedName(i))+" FROM b), '')") + " AS c" + number(i)
		types[i] = plainText
	}
	w.returning(Step, types, sq.Select(sets...).PrefixExpr(sq.Expr("WITH b AS MATERIALIZED (?)", row)))
}

// beforeVariable holds a column of the row as it was, in the form of rowVariable:
// resourcery.o0_2.
func beforeVariable(op int, f *schema.Field) string {
	return "resourcery.o" + number(op) + "_" + number(f.Ordinal)
}

// staying are the columns of the foreign keys that may stay as they are, each
// once.
func (w *writer) staying() []*schema.Field {
	var out []*schema.Field
	for _, l := range w.write.Linked {
		for _, f := range l.Reference.From {
			if l.Stays && indexOf(out, f) < 0 {
				out = append(out, f)
			}
		}
	}
	return out
}

// matched are the columns that name the row of an upsert, and their values.
func matched(a *plan.Create) ([]*schema.Field, []plan.Cell) {
	cells := make([]plan.Cell, len(a.Upsert.Match))
	for i, f := range a.Upsert.Match {
		for _, s := range a.Set {
			if s.Field == f {
				cells[i] = s.Value
			}
		}
	}
	return a.Upsert.Match, cells
}

// linked aborts where a foreign key of the row that was written leads to a row
// that the caller does not see, and tells which of them.
func (w *writer) linked() {
	if len(w.write.Linked) == 0 {
		return
	}
	at := w.next()
	which := "CASE"
	for i, l := range w.write.Linked {
		which += " WHEN " + w.hidden(at, l) + " THEN " + aborting(AbortHidden+"."+number(i))
	}
	w.returning(Guard, []*schema.Type{integer}, sq.Select(which+" END AS c0").
		From(table(w.write.Model.Table)+" "+at).Where(holds).
		Where(writtenRow(at, &plan.WrittenRow{Model: w.write.Model, Number: w.write.Number})))
}

// hidden holds for a row whose foreign key leads to one that the caller does not
// see. That it leads anywhere Postgres says, but for keys that only the overlay
// knows.
func (w *writer) hidden(at string, l plan.Linked) string {
	ref, target := l.Reference, w.next()
	var conds, same, found []string
	for i, f := range ref.From {
		own := column(at, f.Column)
		conds = append(conds, own+" IS NOT NULL")
		same = append(same, "("+packed(own)+") "+operator("=")+" pg_catalog.current_setting('"+beforeVariable(w.write.Number, f)+"')")
		found = append(found, equals(comparable(column(target, ref.To[i].Column), ref.To[i].Type), ref.To[i].Type, comparable(own, f.Type), f.Type))
	}
	if l.Stays {
		conds = append(conds, "NOT ("+strings.Join(same, " AND ")+")")
	}
	if !l.Blind {
		conds = append(conds, "NOT EXISTS (SELECT FROM "+table(ref.Table)+" "+target+" WHERE "+strings.Join(found, " AND ")+")")
	}
	return strings.Join(conds, " AND ")
}

// moved aborts where rows that are to become members would be led elsewhere by
// another foreign key that has a column in common, to a row that the caller does
// not see. It comes before the change, as afterwards nothing tells what was there.
func (w *writer) moved(m *plan.Members) {
	for _, l := range m.Moved {
		at := w.next()
		w.abort(m.Relationship, AbortUnseen, sq.Expr(holds+" AND EXISTS (SELECT FROM "+table(m.Relationship.Target.Table)+" "+at+
			" WHERE ? AND "+w.misled(at, m.Relationship, l)+")", named(at, m)))
	}
}

// misled holds for a row that a foreign key would lead to one that the caller does
// not see, were the row a member.
func (w *writer) misled(at string, rel *schema.Relationship, l plan.Linked) string {
	ref, target := l.Reference, w.next()
	var conds, same, found []string
	for i, f := range ref.From {
		own, t := comparable(column(at, f.Column), f.Type), f.Type
		if j := indexOf(rel.To, f); j >= 0 {
			t = rel.From[j].Type
			own = w.parent(rel.From[j], t)
			same = append(same, equals(column(at, f.Column), f.Type, own, t))
		}
		conds = append(conds, own+" IS NOT NULL")
		found = append(found, equals(comparable(column(target, ref.To[i].Column), ref.To[i].Type), ref.To[i].Type, own, t))
	}
	conds = append(conds, "("+strings.Join(same, " AND ")+") IS NOT TRUE")
	if !l.Blind {
		conds = append(conds, "NOT EXISTS (SELECT FROM "+table(ref.Table)+" "+target+" WHERE "+strings.Join(found, " AND ")+")")
	}
	return strings.Join(conds, " AND ")
}
