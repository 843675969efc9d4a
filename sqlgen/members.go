package sqlgen

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

func number(n int) string { return strconv.Itoa(n) }

// members lowers a change of the members of a relationship that other rows tell:
// those of the target's table, or of a join table. What is to go goes first.
func (w *writer) members(m *plan.Members) {
	rel := m.Relationship
	if !w.fresh {
		w.lock(rel)
	}
	if m.Change != plan.AddMembers {
		switch {
		case rel.Through != nil:
			w.unlinkJoined(m)
		case len(rel.Cleared()) > 0:
			w.unlink(m)
		default:
			w.keep(m)
		}
	}
	if m.Change != plan.RemoveMembers {
		w.detached(m)
		if rel.Through != nil {
			w.linkJoined(m)
		} else {
			w.moved(m)
			w.link(m)
		}
		w.gained(m)
	}
}

// lock has changes of one relationship of one resource wait for each other: two
// replaces at once would leave the union of both. It is a statement of its own,
// as the next one must see what was done meanwhile. Only what the lock is on is
// a matter of chance: others with the same hash wait too.
func (w *writer) lock(rel *schema.Relationship) {
	key := make([]string, len(rel.From))
	for i, f := range rel.From {
		key[i] = w.parent(f, f.Type) + "::text"
	}
	st := w.returning(Step, []*schema.Type{plainText}, sq.Select(
		postgres+".pg_advisory_xact_lock("+postgres+".hashtextextended("+postgres+".concat_ws('/', "+strings.Join(key, ", ")+"), "+lockSeed(rel)+"))::text AS c0"))
	st.Relationship = rel
}

// lockSeed tells the relationships of all models apart.
func lockSeed(rel *schema.Relationship) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(rel.Model.Table.String() + "." + rel.Constraint))
	if rel.Through != nil {
		_, _ = h.Write([]byte(rel.Through.Table.String()))
	}
	return "'" + strconv.FormatInt(int64(h.Sum64()), 10) + "'::int8"
}

// parent is a column of the row whose members change.
func (w *writer) parent(f *schema.Field, t *schema.Type) string {
	return made(w.write.Number, f, t)
}

// ofParent holds for rows that belong to the parent by these columns.
func (w *writer) ofParent(at string, names []string, types []*schema.Type, from []*schema.Field) string {
	conds := make([]string, len(names))
	for i, name := range names {
		conds[i] = equals(column(at, name), types[i], w.parent(from[i], from[i].Type), from[i].Type)
	}
	return strings.Join(conds, " AND ")
}

// belongs holds for rows of the target's table that are members.
func (w *writer) belongs(at string, rel *schema.Relationship) string {
	return w.ofParent(at, columnNames(rel.To), typesOf(rel.To), rel.From)
}

// joins holds for rows of the join table that are links of the parent.
func (w *writer) joins(at string, rel *schema.Relationship) string {
	return w.ofParent(at, joinNames(rel.Through.Near), joinTypes(rel.Through.Near), rel.From)
}

func columnNames(fields []*schema.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Column
	}
	return out
}

func joinNames(columns []schema.JoinColumn) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Name
	}
	return out
}

func joinTypes(columns []schema.JoinColumn) []*schema.Type {
	out := make([]*schema.Type, len(columns))
	for i, c := range columns {
		out[i] = c.Type
	}
	return out
}

// listed selects the keys of the members that the request names, as k0, k1, ...
func listed(m *plan.Members) sq.Sqlizer {
	key := m.Relationship.Target.Key
	names, lists := make([]string, len(key)), make([]any, len(key))
	for i, f := range key {
		names[i] = keyName(i)
		lists[i] = values(m.Keys[i], f.Type)
	}
	all := "SELECT " + strings.Join(names, ", ") + " FROM " + unnested(len(key)) + " AS u(" + strings.Join(names, ", ") + ")"
	for _, op := range m.Made {
		cells := make([]string, len(key))
		for i, f := range key {
			cells[i] = made(op, f, f.Type)
		}
		all += " UNION ALL SELECT " + strings.Join(cells, ", ")
	}
	return sq.Expr("("+all+")", lists...)
}

// named holds for rows of the target's table that the request names.
func named(at string, m *plan.Members) sq.Sqlizer {
	return sq.Expr("EXISTS (SELECT FROM ? AS l WHERE "+keysEqual("l", at, m.Relationship.Target)+")", listed(m))
}

// keysEqual compares k0, k1, ... of one alias with the key of another.
func keysEqual(keys, at string, m *schema.Model) string {
	conds := make([]string, len(m.Key))
	for i, f := range m.Key {
		conds[i] = equals(column(at, f.Column), f.Type, keys+"."+keyName(i), f.Type)
	}
	return strings.Join(conds, " AND ")
}

// leaving is the condition for members that are to go.
func leaving(at string, m *plan.Members) sq.Sqlizer {
	if m.Change == plan.RemoveMembers {
		return named(at, m)
	}
	return sq.Expr("NOT ?", named(at, m))
}

// keyColumns are the columns of the target's key, as k0, k1, ...
func keyColumns(at string, m *schema.Model) []string {
	out := make([]string, len(m.Key))
	for i, f := range m.Key {
		out[i] = column(at, f.Column) + " AS " + keyName(i)
	}
	return out
}

func keyOrder(at string, m *schema.Model) string {
	out := make([]string, len(m.Key))
	for i, f := range m.Key {
		out[i] = column(at, f.Column)
	}
	return strings.Join(out, ", ")
}

// lockRows locks rows in the order of their keys, so that no two writers wait
// for each other. Rows that are referenced by the columns that change need the
// stronger lock. Those of a view may be none of a table's, which Postgres refuses
// to lock.
func lockRows(rel *schema.Relationship) string {
	if rel.Target.Relation == schema.PlainView {
		return ""
	}
	for _, k := range rel.Target.Unique {
		if slices.ContainsFunc(rel.To, func(f *schema.Field) bool { return slices.Contains(k.Fields, f) }) {
			return "FOR UPDATE"
		}
	}
	return "FOR NO KEY UPDATE"
}

// unlink sets the foreign key of members to NULL, and notes which of them a
// policy kept.
func (w *writer) unlink(m *plan.Members) {
	rel := m.Relationship
	at, target := w.next(), rel.Target
	from := table(target.Table) + " " + at
	old := sq.Select(keyColumns(at, target)...).From(from).Where(holds).Where(w.belongs(at, rel)).Where(leaving(at, m))
	locked := sq.Select(keyColumns(at, target)...).From(from).
		Where("EXISTS (SELECT FROM old WHERE " + keysEqual("old", at, target) + ")").
		OrderBy(keyOrder(at, target)).Suffix(lockRows(rel))
	gone := sq.Update(table(target.Table) + " AS " + at).From("locked").
		Where(keysEqual("locked", at, target)).Where(w.belongs(at, rel)).
		Suffix("RETURNING " + strings.Join(keyColumns(at, target), ", "))
	for _, f := range rel.Cleared() {
		gone = gone.Set(ident(f.Column), sq.Expr("NULL"))
	}
	w.left(rel, target, "WITH old AS MATERIALIZED (?), locked AS MATERIALIZED (?), gone AS (?)", old, locked, gone)
	w.kept(rel, typesOf(target.Key), sq.Select("1").From(from).Where(w.belongs(at, rel)), keyRefs(at, target))
}

// mayBeNull are those that may be NULL.
func mayBeNull(fields []*schema.Field) []*schema.Field {
	var out []*schema.Field
	for _, f := range fields {
		if f.Nullable {
			out = append(out, f)
		}
	}
	return out
}

// keep aborts where members that cannot be without a parent are to go. That
// Postgres would refuse the NULL is no help, as it asks the policies first.
func (w *writer) keep(m *plan.Members) {
	rel, at := m.Relationship, w.next()
	going := sq.Select("1").From(table(rel.Target.Table) + " " + at).Where(w.belongs(at, rel)).Where(leaving(at, m))
	w.abort(rel, AbortRequired, sq.Expr(holds+" AND EXISTS (?)", going))
}

// detached aborts where members are to be added and a column by which one side
// refers to the other is NULL.
func (w *writer) detached(m *plan.Members) {
	rel := m.Relationship
	for _, f := range mayBeNull(rel.From) {
		w.abort(rel, AbortDetached, sq.Expr(holds+" AND "+w.parent(f, f.Type)+" IS NULL AND EXISTS (SELECT FROM ? AS l)", listed(m)))
	}
	if rel.Through == nil {
		return
	}
	for _, f := range mayBeNull(rel.To) {
		at := w.next()
		w.abort(rel, AbortDetached, sq.Expr(holds+" AND EXISTS (SELECT FROM "+table(rel.Target.Table)+" "+at+
			" WHERE "+column(at, f.Column)+" IS NULL AND ?)", named(at, m)))
	}
}

func keyRefs(at string, m *schema.Model) []string {
	out := make([]string, len(m.Key))
	for i, f := range m.Key {
		out[i] = column(at, f.Column)
	}
	return out
}

// left adds the statement that takes members away: of `old`, those that are not
// among `gone` have been kept, and their keys are left in variables.
func (w *writer) left(rel *schema.Relationship, target *schema.Model, ctes string, parts ...any) {
	sets := make([]string, len(target.Key))
	same := make([]string, len(target.Key))
	order := make([]string, len(target.Key))
	types := make([]*schema.Type, len(target.Key))
	for i, f := range target.Key {
		same[i] = equals("gone."+keyName(i), f.Type, "old."+keyName(i), f.Type)
		order[i] = "old." + keyName(i)
		types[i] = plainText
	}
	for i := range target.Key {
		sets[i] = setVariable(leftVariable(i), "coalesce((SELECT pg_catalog.array_agg(old."+keyName(i)+" ORDER BY "+strings.Join(order, ", ")+
			")::text FROM old WHERE NOT EXISTS (SELECT FROM gone WHERE "+strings.Join(same, " AND ")+")), '{}')")
	}
	st := w.returning(Step, types, sq.Select(sets...).PrefixExpr(sq.Expr(ctes, parts...)))
	st.Relationship = rel
}

// kept aborts where members that were to go are still there: a policy has
// silently kept them. Others may have moved them meanwhile, which is no fault.
func (w *writer) kept(rel *schema.Relationship, types []*schema.Type, still sq.SelectBuilder, keys []string) {
	on := make([]string, len(keys))
	for i, t := range types {
		on[i] = equals(keys[i], t, "l."+keyName(i), t)
	}
	still = still.Where("EXISTS (SELECT FROM " + noted(leftVariable, types) + " WHERE " + strings.Join(on, " AND ") + ")")
	w.abort(rel, AbortRefused, sq.Expr("EXISTS (?)", still))
}

// noted are keys that a statement before has left in variables, as l.
func noted(variable func(int) string, types []*schema.Type) string {
	names, arrays := make([]string, len(types)), make([]string, len(types))
	for i, t := range types {
		names[i] = keyName(i)
		arrays[i] = "pg_catalog.unnest((SELECT pg_catalog.current_setting('" + variable(i) + "'))::" + typeName(t.Base()) + "[])"
	}
	return "ROWS FROM (" + strings.Join(arrays, ", ") + ") AS l(" + strings.Join(names, ", ") + ")"
}

// coming adds the statement that adds members, and leaves the keys of those that
// were none before in variables. The others may be members no more by the time of
// the next statement, which is no fault: they were when the change was made.
func (w *writer) coming(m *plan.Members, change builder) {
	rel, target := m.Relationship, m.Relationship.Target
	at := w.next()
	keys, sets, types := make([]string, len(target.Key)), make([]string, len(target.Key)), make([]*schema.Type, len(target.Key))
	for i := range target.Key {
		keys[i] = "l." + keyName(i)
	}
	for i := range target.Key {
		sets[i] = setVariable(comingVariable(i), "coalesce((SELECT pg_catalog.array_agg("+keys[i]+" ORDER BY "+strings.Join(keys, ", ")+")::text FROM coming AS l), '{}')")
		types[i] = plainText
	}
	st := w.returning(Step, types, sq.Select(sets...).PrefixExpr(sq.Expr(
		"WITH linked AS (?), coming AS MATERIALIZED (SELECT "+strings.Join(keys, ", ")+" FROM ? AS l WHERE NOT EXISTS (SELECT FROM "+
			table(target.Table)+" "+at+" WHERE "+keysEqual("l", at, target)+" AND "+w.belongsTo(at, rel)+"))", change, listed(m))))
	st.Relationship = rel
}

// link points the foreign key of members at the parent. Those that are members
// already stay as they are, and parts of their ids do in any case.
func (w *writer) link(m *plan.Members) {
	rel := m.Relationship
	at, target := w.next(), rel.Target
	locked := sq.Select(keyColumns(at, target)...).From(table(target.Table) + " " + at).
		Where(holds).Where(named(at, m)).Where("(" + w.belongs(at, rel) + ") IS NOT TRUE").
		OrderBy(keyOrder(at, target)).Suffix(lockRows(rel))
	b := sq.Update(table(target.Table) + " AS " + at).From("locked").Where(keysEqual("locked", at, target)).
		PrefixExpr(sq.Expr("WITH locked AS MATERIALIZED (?)", locked))
	for i, f := range rel.To {
		parent := w.parent(rel.From[i], rel.From[i].Type)
		if slices.Contains(target.Key, f) {
			b = b.Where(equals(column(at, f.Column), f.Type, parent, rel.From[i].Type))
		} else {
			b = b.Set(ident(f.Column), sq.Expr(parent))
		}
	}
	w.coming(m, b)
}

// unlinkJoined deletes links of a join table. Links to targets that the caller
// does not see are no members to it, and stay.
func (w *writer) unlinkJoined(m *plan.Members) {
	rel, j := m.Relationship, m.Relationship.Through
	at, join, target := w.next(), w.next(), rel.Target
	from := table(j.Table) + " " + join + " JOIN " + table(target.Table) + " " + at + " ON " + joinEquals(join, j.Far, at, rel.To)
	far := make([]string, len(j.Far))
	for i, c := range j.Far {
		far[i] = column(join, c.Name) + " AS f" + number(i)
	}
	old := sq.Select(append(keyColumns(at, target), far...)...).From(from).Where(holds).Where(w.joins(join, rel)).Where(leaving(at, m))
	deleted, same := make([]string, len(j.Far)), make([]string, len(j.Far))
	for i, c := range j.Far {
		same[i] = equals(column(join, c.Name), c.Type, "old.f"+number(i), c.Type)
		deleted[i] = column(join, c.Name) + " AS f" + number(i)
	}
	del := sq.Delete(table(j.Table) + " AS " + join).Where(w.joins(join, rel)).
		Where("EXISTS (SELECT FROM old WHERE " + strings.Join(same, " AND ") + ")").
		Suffix("RETURNING " + strings.Join(deleted, ", "))
	matched := make([]string, len(j.Far))
	for i, c := range j.Far {
		matched[i] = equals("d.f"+number(i), c.Type, "old.f"+number(i), c.Type)
	}
	keys := make([]string, len(target.Key))
	for i := range keys {
		keys[i] = "old." + keyName(i)
	}
	gone := sq.Select(keys...).From("old").Where("EXISTS (SELECT FROM d WHERE " + strings.Join(matched, " AND ") + ")")
	w.left(rel, target, "WITH old AS MATERIALIZED (?), d AS (?), gone AS (?)", old, del, gone)
	w.kept(rel, typesOf(target.Key), sq.Select("1").From(from).Where(w.joins(join, rel)), keyRefs(at, target))
}

// linkJoined inserts links in a join table, in the order of their keys, but for
// those that are there: that an INSERT leaves them as they are is not enough, as
// it first asks whether it might have inserted them. Where another transaction
// inserts the same, it does.
func (w *writer) linkJoined(m *plan.Members) {
	rel, j := m.Relationship, m.Relationship.Through
	at, target := w.next(), rel.Target
	b := sq.Insert(table(j.Table))
	row := sq.Select().From(table(target.Table) + " " + at).Where(holds).Where(named(at, m)).
		Where("NOT " + w.belongsTo(at, rel)).OrderBy(keyOrder(at, target))
	for i, c := range j.Near {
		b, row = b.Columns(ident(c.Name)), row.Column(w.parent(rel.From[i], rel.From[i].Type))
	}
	for i, c := range j.Far {
		if !slices.ContainsFunc(j.Near, func(near schema.JoinColumn) bool { return near.Name == c.Name }) {
			b, row = b.Columns(ident(c.Name)), row.Column(column(at, rel.To[i].Column))
		}
	}
	w.coming(m, b.Select(row).Suffix("ON CONFLICT DO NOTHING"))
}

// gained aborts where one of the members that were to be added is none: it has
// gone meanwhile, or a policy has silently left it out.
func (w *writer) gained(m *plan.Members) {
	rel := m.Relationship
	at := w.next()
	added := noted(comingVariable, typesOf(rel.Target.Key))
	seen := "SELECT FROM " + table(rel.Target.Table) + " " + at + " WHERE " + keysEqual("l", at, rel.Target)
	member := seen + " AND " + w.belongsTo(at, rel)
	st := w.returning(Guard, []*schema.Type{integer}, sq.Select(
		"CASE WHEN "+holds+" AND EXISTS (SELECT FROM "+added+" WHERE NOT EXISTS ("+member+"))"+
			" THEN CASE WHEN EXISTS (SELECT FROM "+added+" WHERE NOT EXISTS ("+seen+"))"+
			" THEN "+aborting(AbortUnseen)+" ELSE "+aborting(AbortRefused)+" END END AS c0"))
	st.Relationship = rel
}

// belongsTo holds for rows of the target's table that are members, whichever
// table tells that.
func (w *writer) belongsTo(at string, rel *schema.Relationship) string {
	if rel.Through == nil {
		return w.belongs(at, rel)
	}
	join := w.next()
	return "EXISTS (SELECT FROM " + table(rel.Through.Table) + " " + join + " WHERE " + w.joins(join, rel) +
		" AND " + joinEquals(join, rel.Through.Far, at, rel.To) + ")"
}
