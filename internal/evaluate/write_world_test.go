package evaluate_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/schema"
)

// writing is what a table has in a world that takes writes.
type writing struct {
	initial   []evaluate.Row
	generated *column // filled in by the database
	always    bool    // and by nobody else
	defaults  map[*column]any
	checks    []check
	guards    map[string]guard // by role
}

// A check forbids one value of a column.
type check struct {
	column *column
	value  any
}

// A guard is the policies of one role.
type guard struct{ sees, inserts, updates, changes, deletes policy }

// writeKeyKinds are those of keys in worlds that take writes, of which new
// values can be made.
var writeKeyKinds = []*kind{int4Kind, int4Kind, int8Kind, int8Kind, textKind, textKind, uuidKind, int2Kind, dateKind, numKind, charKind, tstzKind}

var holderKind = &kind{name: "text", sql: `text COLLATE "C"`, values: []any{"a", "a", "b", "b", "c"}, others: []any{"zz"}, family: textual}

// newWriteWorld makes a world that takes writes.
func newWriteWorld(seed int64, namespace string) *world {
	w := &world{Rand: rand.New(rand.NewSource(seed)), namespace: namespace, owners: map[string]string{readerRole: "a", guestRole: "b"}}
	w.settings = w.newSettings()
	w.maxIncluded = 0
	names := w.shuffled("Post", "user", "comment", "Tag", "order", "Mixed Name", "category", "news", "blog_post")
	for i := range 2 + w.Intn(3) {
		t := w.newWritable(names[i])
		w.tables = append(w.tables, t)
		w.relate(t)
		for range 2 { // more to link
			if w.Intn(2) == 0 {
				w.relate(t)
			}
		}
		w.relateOnce(t)
	}
	for n := range w.Intn(3) {
		w.tables = append(w.tables, w.newJoin(names[8-n]))
	}
	for _, t := range w.tables {
		w.fill(t)
		if len(t.rows) > 8 { // nothing refers to these yet
			t.rows = t.rows[:8]
			w.mend(t)
		}
	}
	for _, t := range w.tables {
		t.initial = t.rows
		w.rule(t)
		w.protect(t)
	}
	return w
}

// newWritable is newTable with keys of which there are more values, and a column
// whose rows are.
func (w *world) newWritable(name string) *table {
	t := w.newTable(name)
	if len(t.key) == 1 && w.Intn(5) == 0 { // more keys of two columns
		t = w.newTable(name)
	}
	for _, c := range t.key {
		if !slices.Contains(writeKeyKinds, c.kind) {
			c.kind = writeKeyKinds[w.Intn(len(writeKeyKinds))]
		}
	}
	if t.column("owner") == nil && w.Intn(3) > 0 {
		t.columns = append(t.columns, &column{"owner", holderKind, w.Intn(4) == 0})
	}
	return t
}

// relateOnce makes a foreign key unique now and then, so that its other side is
// to-one.
func (w *world) relateOnce(t *table) {
	if len(t.foreign) > 0 && w.Intn(3) == 0 {
		fk := t.foreign[w.Intn(len(t.foreign))]
		if !slices.ContainsFunc(t.uniques, func(u []*column) bool { return slices.Equal(u, fk.columns) }) {
			t.uniques = append(t.uniques, fk.columns)
		}
	}
}

// rule chooses what holds of a table's rows.
func (w *world) rule(t *table) {
	t.defaults = map[*column]any{}
	foreign := w.follow(t)
	if key := t.key[0]; len(t.key) == 1 && slices.Contains([]*kind{int2Kind, int4Kind, int8Kind}, key.kind) && !foreign[key] && w.Intn(3) > 0 {
		t.generated, t.always = key, w.Intn(4) == 0
	}
	for _, c := range t.columns {
		own := c == t.generated || foreign[c] || slices.Contains(t.key, c)
		if !own && !t.unique(c) && w.Intn(5) == 0 {
			t.defaults[c] = c.kind.values[w.Intn(len(c.kind.values))]
		}
		if !own && w.Intn(5) == 0 {
			w.forbid(t, c)
		}
	}
}

// follow chooses what becomes of rows whose target goes, and returns the columns
// of foreign keys. Where one table both holds rows and goes with them, or two of
// its keys are set to NULL, the outcome hangs on which trigger Postgres fires
// first; there is none such.
func (w *world) follow(t *table) (foreign map[*column]bool) {
	foreign = map[*column]bool{}
	onDelete := []evaluate.Follow{evaluate.Refuse, evaluate.Refuse, evaluate.Cascade}[w.Intn(3)]
	nulls := onDelete == evaluate.Refuse
	for i := range t.foreign {
		fk := &t.foreign[i]
		fk.onDelete = onDelete
		nullable, alone := true, true
		for _, c := range fk.columns {
			nullable = nullable && !c.notNull
			alone = alone && !foreign[c] && !slices.Contains(t.key, c) && !t.unique(c)
			foreign[c] = true
		}
		if nulls && nullable && w.Intn(2) == 0 {
			nulls, fk.onDelete = false, evaluate.SetNull
		}
		if alone && fk.references != t && w.Intn(4) == 0 {
			fk.onUpdate = evaluate.Cascade
		}
	}
	return foreign
}

// unique reports whether a column is of a unique key, beside the id.
func (t *table) unique(c *column) bool {
	return slices.ContainsFunc(t.uniques, func(u []*column) bool { return slices.Contains(u, c) })
}

// forbid makes a check that the rows so far keep.
func (w *world) forbid(t *table, c *column) {
	if !slices.Contains([]*kind{int2Kind, int4Kind, int8Kind, textKind, charKind, enumKind, dateKind, boolKind}, c.kind) {
		return
	}
	for _, v := range c.kind.values {
		if !slices.ContainsFunc(t.rows, func(r evaluate.Row) bool { return r[c.name] == v }) {
			t.checks = append(t.checks, check{c, v})
			return
		}
	}
}

// protect chooses what each role may do with a table's rows.
func (w *world) protect(t *table) {
	t.guards = map[string]guard{}
	for _, role := range roles {
		choose := func(often int) policy {
			if w.Intn(often) > 0 {
				return everyRow
			}
			return w.rowsOf(t, role)
		}
		g := guard{choose(3), choose(8), choose(6), choose(8), choose(6)}
		t.guards[role] = g
		t.policies[role] = g.sees
	}
}

// rowsOf is a policy, by whose a row is where the table tells that.
func (w *world) rowsOf(t *table, role string) policy {
	if c := t.column("owner"); c != nil && c.kind == holderKind && w.Intn(3) > 0 {
		mine := w.owners[role]
		return policy{quoteName("owner") + " = current_setting('" + ownerVar + "', true)", func(r evaluate.Row) bool { return r["owner"] == mine }, "owner"}
	}
	c := t.columns[w.Intn(len(t.columns))]
	if w.Intn(4) == 0 && c.kind != pairKind {
		return policy{quoteName(c.name) + " IS NULL", func(r evaluate.Row) bool { return r[c.name] == nil }, c.name}
	}
	if slices.Contains([]*kind{textKind, charKind, labelKind}, c.kind) {
		return policy{quoteName(c.name) + " > 'A'", func(r evaluate.Row) bool { s, ok := r[c.name].(string); return ok && s > "A" }, c.name}
	}
	return w.policy(t, role)
}

// fresh is a value for a key: one that there may be already, or not.
func (w *world) fresh(k *kind) any {
	n := w.Intn(60)
	if w.Intn(6) == 0 {
		return k.values[w.Intn(len(k.values))]
	}
	switch k {
	case int2Kind, int4Kind, int8Kind:
		return int64(n)
	case textKind, charKind:
		return []string{"k", "K é", "a.b", "x/y"}[w.Intn(4)] + strconv.Itoa(n)
	case uuidKind:
		return fmt.Sprintf("0b0e7c1e-0000-4000-8000-1000000000%02d", n)
	case dateKind:
		return instant("2020-01-01T00:00:00Z").AddDate(0, 0, n)
	case tstzKind:
		return instant("2020-01-01T00:00:00.25Z").Add(time.Duration(n) * time.Hour)
	case numKind:
		return strconv.Itoa(n) + []string{"", ".0", ".5"}[w.Intn(3)]
	default:
		return k.values[w.Intn(len(k.values))]
	}
}

// rules are what the evaluator is told of them.
func (s *site) rules() map[schema.Table]*evaluate.Rules {
	out := map[schema.Table]*evaluate.Rules{}
	for _, t := range s.tables {
		name := schema.Table{Schema: s.namespace, Name: t.name}
		r := &evaluate.Rules{Keys: append([][]string{columnNames(t.key)}, uniqueNames(t)...)}
		for _, c := range t.columns {
			r.Columns = append(r.Columns, evaluate.Column{
				Name: c.name, Type: s.typeOf(name, c.name), NotNull: c.notNull, Default: t.defaults[c], Generated: c == t.generated,
			})
		}
		for _, fk := range t.foreign {
			r.Foreign = append(r.Foreign, evaluate.ForeignKey{
				Columns: columnNames(fk.columns), References: schema.Table{Schema: s.namespace, Name: fk.references.name}, To: columnNames(fk.to),
				OnDelete: fk.onDelete, OnUpdate: fk.onUpdate,
			})
		}
		for _, c := range t.checks {
			r.Checks = append(r.Checks, evaluate.Check{Columns: []string{c.column.name}, Holds: func(row evaluate.Row) bool { return row[c.column.name] != c.value }})
		}
		out[name] = r
	}
	return out
}

func uniqueNames(t *table) [][]string {
	var out [][]string
	for _, u := range t.uniques {
		out = append(out, columnNames(u))
	}
	return out
}

func columnNames(columns []*column) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.name
	}
	return out
}

// typeOf finds a column's type: a model's, or that of one who joins by it.
func (s *site) typeOf(table schema.Table, name string) *schema.Type {
	for _, m := range s.schema.Models() {
		for _, f := range m.Fields {
			if m.Table == table && f.Column == name {
				return f.Type
			}
		}
		for _, rel := range m.Relationships {
			if rel.Through == nil || rel.Through.Table != table {
				continue
			}
			for _, j := range slices.Concat(rel.Through.Near, rel.Through.Far) {
				if j.Name == name {
					return j.Type
				}
			}
		}
	}
	for _, fk := range s.table(table).foreign { // of a join table that is not served
		for i, c := range fk.columns {
			if c.name == name {
				return s.typeOf(schema.Table{Schema: s.namespace, Name: fk.references.name}, fk.to[i].name)
			}
		}
	}
	panic("no type of " + table.String() + "." + name)
}

func (w *world) guards(role string) evaluate.Guards {
	out := evaluate.Guards{}
	for _, t := range w.tables {
		g := t.guards[role]
		out[schema.Table{Schema: w.namespace, Name: t.name}] = evaluate.Guard{
			Select: g.sees.shows, Insert: g.inserts.shows, Update: g.updates.shows, Changed: g.changes.shows, Delete: g.deletes.shows,
		}
	}
	return out
}

// writableSQL is what makes the world, without its rows.
func (w *world) writableSQL() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+";\n", args...) }
	w.types(line)
	for _, t := range w.tables {
		line("CREATE TABLE %s (%s)", w.tableName(t), w.definitions(t))
		for c, v := range t.defaults {
			line("ALTER TABLE %s ALTER %s SET DEFAULT %s", w.tableName(t), quoteName(c.name), c.kind.literal(v))
		}
		if t.generated != nil {
			how := "BY DEFAULT"
			if t.always {
				how = "ALWAYS"
			}
			line("ALTER TABLE %s ALTER %s ADD GENERATED %s AS IDENTITY (START 1000)", w.tableName(t), quoteName(t.generated.name), how)
		}
		for _, c := range t.checks {
			line("ALTER TABLE %s ADD CHECK (%s <> %s)", w.tableName(t), quoteName(c.column.name), c.column.kind.literal(c.value))
		}
	}
	actions := [...]string{evaluate.Refuse: "NO ACTION", evaluate.Cascade: "CASCADE", evaluate.SetNull: "SET NULL"}
	for i, t := range w.tables {
		for _, fk := range t.foreign {
			onDelete := actions[fk.onDelete]
			if fk.onDelete == evaluate.Refuse && i%2 == 0 {
				onDelete = "RESTRICT"
			}
			line("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s) ON DELETE %s ON UPDATE %s", w.tableName(t), quoteNames(fk.columns),
				w.tableName(fk.references), quoteNames(fk.to), onDelete, actions[fk.onUpdate])
		}
		w.grants(t, line)
	}
	return b.String() + w.resetSQL()
}

func (w *world) grants(t *table, line func(string, ...any)) {
	line("ALTER TABLE %s ENABLE ROW LEVEL SECURITY", w.tableName(t))
	for _, role := range roles {
		g, of := t.guards[role], w.tableName(t)
		line("GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s", of, role)
		line("CREATE POLICY s_%s ON %s FOR SELECT TO %s USING (%s)", role, of, role, g.sees.sql)
		line("CREATE POLICY i_%s ON %s FOR INSERT TO %s WITH CHECK (%s)", role, of, role, g.inserts.sql)
		line("CREATE POLICY u_%s ON %s FOR UPDATE TO %s USING (%s) WITH CHECK (%s)", role, of, role, g.updates.sql, g.changes.sql)
		line("CREATE POLICY d_%s ON %s FOR DELETE TO %s USING (%s)", role, of, role, g.deletes.sql)
	}
}

// resetSQL puts the rows back with which the world began.
func (w *world) resetSQL() string {
	var b strings.Builder
	b.WriteString("SET session_replication_role TO replica;\n")
	for _, t := range w.tables {
		fmt.Fprintf(&b, "DELETE FROM %s;\n", w.tableName(t))
		rows := make([]string, len(t.initial))
		for i, row := range t.initial {
			rows[i] = w.values(t, row)
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "INSERT INTO %s OVERRIDING SYSTEM VALUE VALUES %s;\n", w.tableName(t), strings.Join(rows, ", "))
		}
		if t.generated != nil {
			fmt.Fprintf(&b, "ALTER TABLE %s ALTER %s RESTART;\n", w.tableName(t), quoteName(t.generated.name))
		}
	}
	b.WriteString("SET session_replication_role TO origin;\n")
	return b.String()
}

func (w *world) values(t *table, row evaluate.Row) string {
	values := make([]string, len(t.columns))
	for i, c := range t.columns {
		values[i] = c.kind.literal(row[c.name])
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// differencesSQL finds the rows that a table has in Postgres alone, or in memory
// alone. They are compared as texts.
func (w *world) differencesSQL() string {
	var parts []string
	for _, t := range w.tables {
		texts, typed := make([]string, len(t.columns)), make([]string, len(t.columns))
		for i, c := range t.columns {
			typ := strings.ReplaceAll(c.kind.sql, "%s", w.namespace)
			typ, _, _ = strings.Cut(typ, " COLLATE")
			if c.kind == jsonKind {
				typ = "jsonb"
			}
			texts[i] = quoteName(c.name) + "::" + typ + "::text"
			typed[i] = "%s::" + typ + "::text"
		}
		there := "SELECT ROW(" + strings.Join(texts, ", ") + ")::text FROM " + w.tableName(t)
		here := "SELECT NULL::text WHERE false"
		for n, row := range t.rows {
			values := make([]string, len(t.columns))
			for i, c := range t.columns {
				values[i] = strings.Replace(typed[i], "%s", c.kind.literal(row[c.name]), 1)
			}
			if n == 0 {
				here = "VALUES"
			} else {
				here += ","
			}
			here += " (ROW(" + strings.Join(values, ", ") + ")::text)"
		}
		for _, side := range [][3]string{{"the database", there, here}, {"the evaluator", here, there}} {
			parts = append(parts, fmt.Sprintf("SELECT '%s has in %s: ' || r FROM (((%s)) EXCEPT ALL ((%s))) x(r)", side[0], t.name, side[1], side[2]))
		}
	}
	return strings.Join(parts, " UNION ALL ")
}
