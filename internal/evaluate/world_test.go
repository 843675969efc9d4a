package evaluate_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/schema"
)

// The callers of a world: two roles, which a setting tells whose rows are theirs.
const (
	readerRole = "evaluate_test_reader"
	guestRole  = "evaluate_test_guest"
	ownerVar   = "app.owner"
	owner      = "a"
)

var roles = []string{readerRole, guestRole}

// A world is a database at random: tables, their rows, and who sees which.
type world struct {
	*rand.Rand
	settings
	namespace string
	tables    []*table
	owners    map[string]string // what the setting says, by role
}

type table struct {
	name     string
	columns  []*column
	key      []*column
	uniques  [][]*column
	foreign  []foreignKey
	join     bool // nothing but two foreign keys, or little more
	rows     []evaluate.Row
	policies map[string]policy          // by role
	hidden   map[string]map[string]bool // columns that a role may not read, by role
	writing                             // of worlds that take writes
}

type column struct {
	name    string
	kind    *kind
	notNull bool
}

type foreignKey struct {
	columns    []*column
	references *table
	to         []*column
	onDelete   evaluate.Follow
	onUpdate   evaluate.Follow
}

// A policy is a condition in both languages.
type policy struct {
	sql   string
	shows evaluate.Policy
	uses  string // a column
}

var everyRow = policy{sql: "true", shows: func(evaluate.Row) bool { return true }}

// newWorld makes the world of a seed.
func newWorld(seed int64, namespace string) *world {
	w := &world{Rand: rand.New(rand.NewSource(seed)), namespace: namespace, owners: map[string]string{readerRole: owner, guestRole: owner}}
	w.settings = w.newSettings()
	names := w.shuffled("Post", "user", "comment", "Tag", "order", "Mixed Name", "category", "news", "blog_post")
	for i := range 2 + w.Intn(3) {
		t := w.newTable(names[i])
		w.tables = append(w.tables, t)
		w.relate(t)
	}
	if w.Intn(2) == 0 {
		w.tables = append(w.tables, w.newJoin(names[8]))
	}
	for _, t := range w.tables {
		w.fill(t)
	}
	for _, t := range w.tables {
		w.guard(t)
	}
	return w
}

func (w *world) shuffled(names ...string) []string {
	w.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}

func (w *world) newTable(name string) *table {
	t := &table{name: name, policies: map[string]policy{}, hidden: map[string]map[string]bool{}}
	if w.Intn(5) == 0 { // compound
		t.key = []*column{{"tenant", w.keyKind(), true}, {"no", w.keyKind(), true}}
	} else {
		t.key = []*column{{[]string{"id", "id", "code"}[w.Intn(3)], w.keyKind(), true}}
	}
	t.columns = append(t.columns, t.key...)
	names := w.shuffled("name", "title", "n", "flag", "owner", "createdAt", "data", "tags", "order", "Mixed Case", `qu"ote`, "what?", "status", "naïve", "per cent%", "doc", "size_", "a.b")
	for i := range 2 + w.Intn(5) {
		t.columns = append(t.columns, &column{names[i], kinds[w.Intn(len(kinds))], w.Intn(4) == 0})
	}
	if w.Intn(3) == 0 { // another unique key, for others to reference
		c := &column{"slug", []*kind{textKind, int4Kind, numKind}[w.Intn(3)], w.Intn(2) == 0}
		t.columns = append(t.columns, c)
		t.uniques = append(t.uniques, []*column{c})
	}
	return t
}

func (w *world) keyKind() *kind { return keyKinds[w.Intn(len(keyKinds))] }

// relate gives a table foreign keys to those before it, and to itself.
func (w *world) relate(t *table) {
	for n := w.Intn(3); n >= 0; n-- {
		target := w.tables[w.Intn(len(w.tables))]
		if target == t && w.Intn(2) == 0 {
			continue
		}
		base := strings.ReplaceAll(strings.ToLower(target.name), " ", "_")
		base = []string{base + "Id", base + "_id", "parentId", "ref", "main_" + base + "_id", "owner" + base}[w.Intn(6)]
		if fk := w.reference(t, target, base, w.Intn(3) == 0); fk != nil && w.Intn(6) == 0 {
			t.uniques = append(t.uniques, fk.columns)
		}
	}
}

// reference adds a foreign key with columns of its own, nil where a name is taken.
func (w *world) reference(t, target *table, name string, notNull bool) *foreignKey {
	to := target.key
	if len(target.uniques) > 0 && len(target.uniques[0]) == 1 && target.uniques[0][0].name == "slug" && w.Intn(3) == 0 {
		to = target.uniques[0]
	}
	fk := foreignKey{references: target, to: to}
	var added []*column
	for i, c := range to {
		columnName := name
		if len(to) > 1 {
			columnName = fmt.Sprint(name, "_", i)
		}
		if t.column(columnName) != nil {
			return nil
		}
		if shared := t.column(c.name); shared != nil && shared.kind == c.kind && c.name == "tenant" && target != t && len(to) > 1 && w.Intn(2) == 0 {
			fk.columns = append(fk.columns, shared) // all rows of a tenant belong together
			continue
		}
		k := c.kind
		if others := wider[k]; len(others) > 0 && w.Intn(4) == 0 {
			k = others[w.Intn(len(others))]
		}
		made := &column{columnName, k, notNull && target != t}
		fk.columns, added = append(fk.columns, made), append(added, made)
	}
	t.columns = append(t.columns, added...)
	t.foreign = append(t.foreign, fk)
	return &fk
}

// newJoin makes a join table, with a further column now and then.
func (w *world) newJoin(name string) *table {
	t := &table{name: name, join: true, policies: map[string]policy{}, hidden: map[string]map[string]bool{}}
	a, b := w.tables[w.Intn(len(w.tables))], w.tables[w.Intn(len(w.tables))]
	first, second := w.reference(t, a, "A", true), w.reference(t, b, "B", true)
	for _, c := range append(slices.Clone(first.columns), second.columns...) {
		c.notNull = true
		t.key = append(t.key, c)
	}
	if w.Intn(2) == 0 {
		t.columns = append(t.columns, &column{"weight", int4Kind, false})
	}
	return t
}

func (t *table) column(name string) *column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// fill makes the table's rows: few distinct values, many NULLs.
func (w *world) fill(t *table) {
	for range 4 + w.Intn(14) {
		row := evaluate.Row{}
		for _, c := range t.columns {
			row[c.name] = w.cell(c)
		}
		t.rows = append(t.rows, row)
	}
	for _, fk := range t.foreign {
		for _, row := range t.rows {
			w.point(t, fk, row)
		}
	}
	unique := append([][]*column{t.key}, t.uniques...)
	var kept []evaluate.Row
	for _, row := range t.rows {
		if t.complete(row) && !clashes(unique, kept, row) && w.pointsSomewhere(t, row, append(slices.Clone(kept), row)) {
			kept = append(kept, row)
		}
	}
	t.rows = kept
	w.mend(t)
}

func (w *world) cell(c *column) any {
	if !c.notNull && w.Intn(3) == 0 {
		return nil
	}
	return c.kind.values[w.Intn(len(c.kind.values))]
}

// point lets a row's foreign key point at a row, or nowhere.
func (w *world) point(t *table, fk foreignKey, row evaluate.Row) {
	rows := fk.references.rows
	target := evaluate.Row(nil)
	if len(rows) > 0 && (fk.columns[0].notNull || w.Intn(4) > 0) {
		target = rows[w.Intn(1+w.Intn(len(rows)))] // the first ones are pointed at more often
	}
	for i, c := range fk.columns {
		if !slices.Contains(t.key, c) {
			row[c.name] = nil
		}
		if target != nil {
			row[c.name] = w.respelt(target[fk.to[i].name])
		}
		if len(fk.columns) > 1 && !c.notNull && w.Intn(10) == 0 {
			row[c.name] = nil // the rest of the key leads nowhere then
		}
	}
}

// respelt writes a numeric otherwise now and then: 1 and 1.0 are equal.
func (w *world) respelt(v any) any {
	switch {
	case v == "1" && w.Intn(2) == 0:
		return "1.0"
	case v == "1.0" && w.Intn(2) == 0:
		return "1"
	default:
		return v
	}
}

func (t *table) complete(row evaluate.Row) bool {
	return !slices.ContainsFunc(t.columns, func(c *column) bool { return c.notNull && row[c.name] == nil })
}

// clashes reports whether a row has the key of another. Numbers of one value
// clash however they are written.
func clashes(keys [][]*column, rows []evaluate.Row, row evaluate.Row) bool {
	for _, key := range keys {
		for _, other := range rows {
			if !slices.ContainsFunc(key, func(c *column) bool { return !same(c, row[c.name], other[c.name]) }) {
				return true
			}
		}
	}
	return false
}

func same(c *column, a, b any) bool {
	if a == nil || b == nil {
		return false
	}
	if c.kind == numKind {
		return strings.TrimSuffix(a.(string), ".0") == strings.TrimSuffix(b.(string), ".0")
	}
	return c.kind.literal(a) == c.kind.literal(b)
}

// pointsSomewhere reports whether what the row references is there: foreign
// keys of several columns may have lost a part.
func (w *world) pointsSomewhere(t *table, row evaluate.Row, own []evaluate.Row) bool {
	for _, fk := range t.foreign {
		rows := fk.references.rows
		if fk.references == t {
			continue // mended afterwards
		}
		if w.dangling(fk, row, rows) {
			return false
		}
	}
	return true
}

func (w *world) dangling(fk foreignKey, row evaluate.Row, rows []evaluate.Row) bool {
	for _, c := range fk.columns {
		if row[c.name] == nil {
			return false
		}
	}
	for _, target := range rows {
		all := true
		for i, c := range fk.columns {
			all = all && same(c, row[c.name], target[fk.to[i].name])
		}
		if all {
			return false
		}
	}
	return true
}

// mend clears the foreign keys of a table to rows of its own that were dropped.
func (w *world) mend(t *table) {
	for _, fk := range t.foreign {
		for _, row := range t.rows {
			if fk.references == t && w.dangling(fk, row, t.rows) {
				for _, c := range fk.columns {
					row[c.name] = nil
				}
			}
		}
	}
}

// guard chooses who sees what of a table.
func (w *world) guard(t *table) {
	for _, role := range roles {
		t.policies[role] = everyRow
		if w.Intn(5) < 2 {
			t.policies[role] = w.policy(t, role)
		}
		if uses := t.policies[role].uses; w.Intn(6) == 0 {
			c := t.columns[w.Intn(len(t.columns))]
			if c.name != uses && len(t.columns) > 1 {
				t.hidden[role] = map[string]bool{c.name: true}
			}
		}
	}
}

func (w *world) policy(t *table, role string) policy {
	mine := w.owners[role]
	c := t.columns[w.Intn(len(t.columns))]
	name := quoteName(c.name)
	switch c.kind {
	case boolKind:
		return policy{name, func(r evaluate.Row) bool { return r[c.name] == true }, c.name}
	case textKind, charKind, labelKind:
		return policy{name + " = current_setting('" + ownerVar + "', true)", func(r evaluate.Row) bool { return r[c.name] == mine }, c.name}
	case int4Kind, int8Kind, int2Kind:
		return policy{name + " > 0", func(r evaluate.Row) bool { n, ok := r[c.name].(int64); return ok && n > 0 }, c.name}
	case pairKind: // IS NOT NULL asks for all its members
		return everyRow
	default:
		return policy{name + " IS NOT NULL", func(r evaluate.Row) bool { return r[c.name] != nil }, c.name}
	}
}

// database is the world in memory.
func (w *world) database() evaluate.Database {
	db := evaluate.Database{}
	for _, t := range w.tables {
		db[schema.Table{Schema: w.namespace, Name: t.name}] = t.rows
	}
	return db
}

func (w *world) policies(role string) evaluate.Policies {
	out := evaluate.Policies{}
	for _, t := range w.tables {
		out[schema.Table{Schema: w.namespace, Name: t.name}] = t.policies[role].shows
	}
	return out
}

func (w *world) table(name schema.Table) *table {
	i := slices.IndexFunc(w.tables, func(t *table) bool { return t.name == name.Name })
	return w.tables[i]
}
