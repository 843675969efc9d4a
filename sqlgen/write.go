package sqlgen

import (
	"slices"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A writer lowers one write: its checks, its row, its members, its answer. Every
// statement that changes something has as its condition that all checks before
// it have held.
type writer struct {
	aliases
	p       *Pipeline
	write   *plan.Write
	guarded bool // the variable ok has been set
	fresh   bool // the row is a new one, whose members nobody else changes
}

func newWriter(w *plan.Write, in setting) *writer {
	return &writer{p: &Pipeline{Writes: true}, write: w, guarded: in == batched}
}

// returning adds a statement with rows of these types.
func (w *writer) returning(part Part, types []*schema.Type, b builder) *Statement {
	st := &Statement{Part: part}
	for _, t := range types {
		st.Columns = append(st.Columns, Column{Type: t, Format: formatOf(t)})
	}
	st.build(b)
	w.p.add(st)
	return st
}

// whereOK is the condition that earlier checks have held, where there are any.
func (w *writer) whereOK() sq.And {
	if !w.guarded {
		return nil
	}
	return sq.And{text(holds)}
}

// andOK narrows the text of a condition in the same way.
func (w *writer) andOK(cond string) string {
	if !w.guarded {
		return cond
	}
	return cond + " AND " + holds
}

// create lowers a create or an upsert.
func (c *Compiler) create(a *plan.Create, in setting) *Pipeline {
	w := newWriter(&a.Write, in)
	w.fresh = a.Upsert == nil
	w.unseen()
	if a.Upsert != nil {
		w.before(matched(a))
	}
	w.insert(a)
	w.finish(c, nil)
	return w.p
}

// update lowers an update.
func (c *Compiler) update(a *plan.Update, in setting) *Pipeline {
	w := newWriter(&a.Write, in)
	w.unseen()
	w.before(a.Model.Key, a.Key)
	if len(a.Set) > 0 {
		w.change(a)
	} else {
		w.find(a)
	}
	w.finish(c, a.Key)
	return w.p
}

// finish lowers what comes after the row, which key names where it is not kept.
func (w *writer) finish(c *Compiler, key []plan.Cell) {
	w.pointless()
	for _, m := range w.write.Members {
		w.members(m)
	}
	w.linked()
	if len(w.write.Set) > 0 || len(w.write.Members) > 0 || len(w.write.Kept) > 0 {
		w.readable(key)
	}
	if w.write.Answer != nil {
		c.read(w.p, w.write.Answer)
	}
}

// unseen asks which of the targets the caller does not see, and notes whether
// there are any.
func (w *writer) unseen() {
	if len(w.write.Targets) == 0 {
		return
	}
	missing := make([]any, len(w.write.Targets))
	for i, t := range w.write.Targets {
		missing[i] = w.missing(i, t)
	}
	found := "NOT EXISTS (SELECT FROM missing)"
	w.returning(Unseen, []*schema.Type{plainText, plainText, plainText}, sq.Select(
		"(SELECT pg_catalog.array_agg(g ORDER BY g, n)::text FROM missing) AS c0",
		"(SELECT pg_catalog.array_agg(n ORDER BY g, n)::text FROM missing) AS c1",
		setVariable(okVariable, "("+w.andOK(found)+")::text")+" AS c2",
	).PrefixExpr(sq.Expr("WITH missing AS MATERIALIZED ("+strings.TrimSuffix(strings.Repeat("? UNION ALL ", len(missing)), " UNION ALL ")+")", missing...)))
	w.guarded = true
}

// missing selects the indexes of the targets in a list that cannot be seen.
func (w *writer) missing(group int, t *plan.Targets) sq.SelectBuilder {
	at, keys := w.next(), w.next()
	names := make([]string, len(t.Fields))
	lists := make([]any, len(t.Fields))
	on := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		names[i] = keyName(i)
		lists[i] = values(t.Keys[i], t.Types[i])
		on[i] = equals(column(at, f.Column), f.Type, keys+"."+names[i], t.Types[i])
	}
	return sq.Select(number(group)+"::int4 AS g", keys+".n::int4 AS n").
		SuffixExpr(sq.Expr("FROM "+unnested(len(lists))+" WITH ORDINALITY AS "+keys+"("+strings.Join(names, ", ")+", n)"+
			" WHERE NOT EXISTS (SELECT FROM "+table(t.Model.Table)+" "+at+" WHERE "+strings.Join(on, " AND ")+")", lists...))
}

// insert inserts the row, or updates the one with the same key.
func (w *writer) insert(a *plan.Create) {
	inserted := w.inserted(a)
	probe := tried(nil, inserted)
	outcome := []string{"EXISTS (SELECT FROM w) AS c0"}
	types := []*schema.Type{boolean}
	if a.Upsert != nil {
		// The count has every row of w written before the variable is read.
		was := "coalesce(pg_catalog.current_setting('" + upsertedVariable + "', true), '') " + operator("=")
		outcome = append(outcome, was+" '1' AS c1", "CASE WHEN "+was+" '2' THEN "+aborting(AbortIdentity)+" END AS c2")
		types = append(types, boolean, integer)
	}
	st := w.written(outcome, types, inserted.Suffix(w.returned(nil)), nil)
	if a.Upsert == nil {
		st.Probe = []*Statement{probe, goesThrough()}
	}
}

// inserted is the INSERT alone.
func (w *writer) inserted(a *plan.Create) sq.InsertBuilder {
	b, at := sq.Insert(table(a.Model.Table)), ""
	if a.Upsert != nil {
		at = w.next()
		b = sq.Insert(table(a.Model.Table) + " AS " + at)
	}
	row := sq.Select()
	for _, s := range a.Set {
		b = b.Columns(ident(s.Field.Column))
		row = row.Column(w.cell(s.Value))
	}
	if len(a.Set) == 0 {
		row = row.Column("") // a SELECT without columns gives every column its default
	}
	if w.guarded {
		row = row.Where(w.whereOK())
	}
	return b.Select(row).Suffix(conflict(at, a))
}

// conflict turns an INSERT into an upsert. Its condition always holds, and tells
// that the row was there, and whether under the id that the request gives.
func conflict(at string, a *plan.Create) string {
	u := a.Upsert
	if u == nil {
		return ""
	}
	match, set := make([]string, len(u.Match)), make([]string, len(u.Set))
	for i, f := range u.Match {
		match[i] = ident(f.Column)
	}
	for i, f := range u.Set {
		set[i] = ident(f.Column) + " = EXCLUDED." + ident(f.Column)
		if slices.Contains(u.Match, f) { // what is equal may be spelled in another way
			set[i] = ident(f.Column) + " = " + column(at, f.Column)
		}
	}
	return "ON CONFLICT (" + strings.Join(match, ", ") + ") DO UPDATE SET " + strings.Join(set, ", ") +
		" WHERE " + setVariable(upsertedVariable, wasThere(at, a.Claimed())) + " " + operator("<>") + " ''"
}

// wasThere is '1', or '2' where the row differs in one of the columns from what
// was to be inserted.
func wasThere(at string, fields []*schema.Field) string {
	if len(fields) == 0 {
		return "'1'"
	}
	same := make([]string, len(fields))
	for i, f := range fields {
		same[i] = equals(column(at, f.Column), f.Type, column("EXCLUDED", f.Column), f.Type)
	}
	return "CASE WHEN " + strings.Join(same, " AND ") + " THEN '1' ELSE '2' END"
}

// returned is the clause that returns the columns that are kept, or any row.
func (w *writer) returned(at *string) string {
	if len(w.write.Kept) == 0 {
		return "RETURNING 1 AS r"
	}
	out := make([]string, len(w.write.Kept))
	for i, f := range w.write.Kept {
		name := ident(f.Column)
		if at != nil {
			name = column(*at, f.Column)
		}
		out[i] = name + " AS " + returnedName(i)
	}
	return "RETURNING " + strings.Join(out, ", ")
}

func returnedName(i int) string { return "r" + number(i) }

// written adds the statement whose CTE writes the row, or finds it. The columns
// that are kept go to variables; where the row is not there those of the key
// stay what they were to be.
func (w *writer) written(outcome []string, types []*schema.Type, row builder, key []plan.Cell) *Statement {
	columns := make([]any, 0, 8)
	texts := append([]string{}, outcome...)
	for i, f := range w.write.Kept {
		kept := packed("(SELECT " + returnedName(i) + " FROM w LIMIT 1)")
		rest := "''"
		if at := indexOf(w.write.Model.Key, f); at >= 0 && key != nil {
			rest = packed("?")
			columns = append(columns, w.cell(key[at]))
		}
		texts = append(texts, setVariable(rowVariable(w.write.Number, f), "coalesce("+kept+", "+rest+")"))
		types = append(types, plainText)
	}
	texts = append(texts, setVariable(okVariable, "("+w.okAfter()+")::text"))
	types = append(types, plainText)
	w.guarded = true
	return w.returning(Written, types, sq.Select().Column(sq.Expr(strings.Join(texts, ", "), columns...)).
		PrefixExpr(sq.Expr("WITH w AS (?)", row)).
		From("(SELECT pg_catalog.count(*) FROM w) AS n"))
}

// onlyOne is the outcome where a key names the row. It aborts where that is of
// several: only what the host says makes it a key, or other tables inherit it.
var onlyOne = []string{
	"EXISTS (SELECT FROM w) AS c0",
	"CASE WHEN n.count " + operator(">") + " 1 THEN " + aborting(AbortSeveral) + " END AS c1",
}

// okAfter is what holds after the row: it was written. An update that only finds
// its row finds it whatever was checked before.
func (w *writer) okAfter() string { return w.andOK("EXISTS (SELECT FROM w)") }

func indexOf(fields []*schema.Field, f *schema.Field) int {
	for i, other := range fields {
		if other == f {
			return i
		}
	}
	return -1
}

// change updates the row.
func (w *writer) change(a *plan.Update) {
	at := w.next()
	b := sq.Update(table(a.Model.Table) + " AS " + at)
	probe := sq.Update(table(a.Model.Table))
	for _, s := range a.Set {
		cell := w.cell(s.Value)
		b = b.Set(ident(s.Field.Column), cell)
		probe = probe.Set(ident(s.Field.Column), cell)
	}
	b = b.Where(append(w.row(at, a.Model, a.Key, a.Match), w.whereOK()...)).Suffix(w.returned(&at))
	st := w.written(onlyOne, []*schema.Type{boolean, integer}, b, a.Key)
	st.Probe = w.probe(a, probe)
}

// row holds for the row that a write names, in the state that it asks for.
func (w *writer) row(at string, m *schema.Model, key []plan.Cell, match *plan.Match) sq.And {
	conds := w.keyed(at, m, key)
	if match != nil {
		conds = append(conds, matches(at, match))
	}
	return conds
}

// matches holds where the row has one of the digests.
func matches(at string, m *plan.Match) sq.Sqlizer {
	return sq.Expr(digest(at, m.Digest)+" "+operator("=")+" ANY (?)", values(m.Rows, plainText))
}

// probe writes the row without reading it: the cursor finds it, and the UPDATE
// names no column of it, so that policies for reading do not apply to what it
// becomes. Only WITH HOLD cursors may be declared outside a block.
func (w *writer) probe(a *plan.Update, update sq.UpdateBuilder) []*Statement {
	const cursor = "resourcery_row"
	at := w.next()
	found := sq.Select("1").From(table(a.Model.Table) + " " + at).Where(w.keyed(at, a.Model, a.Key)).
		Prefix("DECLARE " + cursor + " NO SCROLL CURSOR WITH HOLD FOR")
	return []*Statement{
		tried(nil, found), tried([]Column{{Type: integer, Format: Text}}, text("FETCH "+cursor)),
		tried(nil, update.Suffix("WHERE CURRENT OF "+cursor)), goesThrough(),
	}
}

// tried is a statement of a probe.
func tried(columns []Column, b builder) *Statement {
	st := &Statement{Part: Step, Columns: columns}
	st.build(b)
	return st
}

// goesThrough ends a probe: nothing of it is kept.
func goesThrough() *Statement {
	return tried([]Column{{Type: integer, Format: Text}}, sq.Select(aborting(AbortProbe)))
}

// find finds the row of an update that leaves it as it is.
func (w *writer) find(a *plan.Update) {
	at := w.next()
	columns := []string{"1 AS r"}
	if len(w.write.Kept) > 0 {
		columns = nil
		for i, f := range w.write.Kept {
			columns = append(columns, column(at, f.Column)+" AS "+returnedName(i))
		}
	}
	b := sq.Select(columns...).From(table(a.Model.Table) + " " + at).Where(w.row(at, a.Model, a.Key, a.Match))
	w.written(onlyOne, []*schema.Type{boolean, integer}, b, a.Key)
}

// readable aborts where the row was written and cannot be read. The key names it
// where it has not been kept, and is the same as before.
func (w *writer) readable(key []plan.Cell) {
	at := w.next()
	row := sq.Sqlizer(writtenRow(at, &plan.WrittenRow{Model: w.write.Model, Number: w.write.Number}))
	if !w.keepsKey() {
		row = w.keyed(at, w.write.Model, key)
	}
	w.abort(nil, AbortUnreadable, sq.Expr(holds+" AND NOT EXISTS (SELECT FROM "+table(w.write.Model.Table)+" "+at+" WHERE ?)", row))
}

// keepsKey reports whether the key is among what is kept.
func (w *writer) keepsKey() bool {
	for _, f := range w.write.Model.Key {
		if indexOf(w.write.Kept, f) < 0 {
			return false
		}
	}
	return true
}

// abort adds a guard: where the condition holds, nothing of the transaction is
// kept.
func (w *writer) abort(rel *schema.Relationship, reason string, cond sq.Sqlizer) {
	st := w.returning(Guard, []*schema.Type{integer}, sq.Select().Column(sq.Expr("CASE WHEN ? THEN "+aborting(reason)+" END AS c0", cond)))
	st.Relationship = rel
}

// aborting is an expression that fails under the name: a text that is no number.
// concat is not evaluated before the statement runs. (A variable that nobody has
// would fail as well, until somebody sets it, for the database or behind a pooler.)
func aborting(reason string) string {
	return "pg_catalog.concat('" + AbortPrefix + reason + "')::int4"
}

// pointless aborts where the row was to refer to another by a column that it did
// not find: that row has gone since it was checked, or the column is NULL there.
func (w *writer) pointless() {
	for _, s := range w.write.Set {
		looked := lookedUp(s.Value)
		if looked == nil {
			continue
		}
		for _, rel := range w.write.Model.Relationships {
			if i := indexOf(rel.From, s.Field); rel.Own && i >= 0 && rel.To[i] == looked.Field {
				w.found(rel, looked)
				break
			}
		}
	}
}

// found aborts where a column that was to be looked up is not there.
func (w *writer) found(rel *schema.Relationship, c *plan.Looked) {
	at := w.next()
	gone := sq.Expr("NOT EXISTS (SELECT FROM "+table(c.Model.Table)+" "+at+" WHERE ?)", w.keyed(at, c.Model, c.Key))
	w.abort(rel, AbortUnseen, sq.Expr(holds+" AND ?", gone))
	if c.Field.Nullable {
		w.abort(rel, AbortDetached, sq.Expr(holds+" AND ? IS NULL", w.cell(c)))
	}
}

// lookedUp is the cell where it takes its value from a row that is named by its
// id, else nil.
func lookedUp(c plan.Cell) *plan.Looked {
	switch c := c.(type) {
	case *plan.Given:
		return nil
	case *plan.Made:
		return nil // part of a key
	case *plan.Looked:
		return c
	default:
		panic("sqlgen: a cell of no known type")
	}
}

// delete lowers a delete: afterwards it is asked whether the row is still there.
func (c *Compiler) delete(a *plan.Delete, in setting) *Pipeline {
	w := newWriter(&plan.Write{Model: a.Model}, in)
	at := w.next()
	deleted := sq.Delete(table(a.Model.Table) + " AS " + at).Where(w.row(at, a.Model, a.Key, a.Match))
	if w.guarded {
		deleted = deleted.Where(w.whereOK())
	}
	w.written(onlyOne, []*schema.Type{boolean, integer}, deleted.Suffix("RETURNING 1 AS r"), nil)
	again := sq.Sqlizer(text("true"))
	if a.Match != nil {
		again = matches(at, a.Match)
	}
	w.returning(Again, []*schema.Type{boolean}, sq.Select().Column(sq.Expr("? AS c0", again)).
		From(table(a.Model.Table)+" "+at).Where(w.keyed(at, a.Model, a.Key)))
	return w.p
}

// batch puts the pipelines of operations together. Each goes on only where all
// before it have held, and at the end the transaction is given up if one has not.
func (c *Compiler) batch(b *plan.Batch) *Pipeline {
	w := newWriter(nil, alone)
	w.returning(Step, []*schema.Type{plainText}, sq.Select(setVariable(okVariable, "'true'")+" AS c0"))
	for _, op := range b.Operations {
		p := c.compile(op.Action, batched)
		w.p.Operations = append(w.p.Operations, p)
		w.p.Statements = append(w.p.Statements, p.Statements...)
	}
	w.abort(nil, AbortFailed, text("NOT "+holds))
	return w.p
}
