package overlay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// relate finds the relationship that an entry describes and names it.
func (a *applier) relate(where at, t *schema.TableDef, name string, r Relationship) {
	if r.Side != "" && r.Side != "one" && r.Side != "many" {
		a.fail(where, "side is one or many, not %q", r.Side)
		return
	}
	declares := len(r.Columns) > 0 || r.References != ""
	switch {
	case declares && (r.ForeignKey != "" || r.Through != "" || r.Side != "") || r.Through != "" && r.Side != "":
		a.fail(where, "describe the relationship by foreignKey (and side), by through (and foreignKey), or by columns and references")
	case declares:
		a.declare(where, t, name, r)
	case r.Through != "":
		a.nameThrough(where, t, name, r)
	case r.ForeignKey != "":
		a.nameKey(where, t, name, r)
	default:
		a.fail(where, "say which relationship is to have this name: foreignKey, through, or columns and references")
	}
}

// nameKey names one of the two relationships of a foreign key.
func (a *applier) nameKey(where at, t *schema.TableDef, name string, r Relationship) {
	touching := a.keys(func(k *schema.ForeignKey) bool { return k.Table == t.Table || k.References == t.Table })
	k := a.choose(where, t, r.ForeignKey, touching)
	if k == nil {
		return
	}
	own, referenced := k.Table == t.Table, k.References == t.Table
	side := r.Side
	switch {
	case own && referenced && side == "":
		a.fail(where, "foreign key %s is a self-relation of %s; add side: one (the row that has the key) or side: many (the row that it references)", k.Name, t.Table)
		return
	case own && !referenced && side == "many":
		a.fail(where, "foreign key %s is in %s itself: its side here is one", k.Name, t.Table)
		return
	case referenced && !own && side == "one":
		a.fail(where, "foreign key %s is in %s: its side here is many", k.Name, k.Table)
		return
	case side == "" && own:
		side = "one"
	case side == "":
		side = "many"
	}
	if !a.once(where, name, k.Table.String()+"/"+k.Name+"/"+side) {
		return
	}
	if side == "one" {
		k.Override.One = name
	} else {
		k.Override.Many = name
	}
}

// nameThrough names the relationship over a join table.
func (a *applier) nameThrough(where at, t *schema.TableDef, name string, r Relationship) {
	join := a.table(r.Through)
	if join == nil {
		a.dangling(where, "no such table", r.Through, a.tableNames())
		return
	}
	near := a.keys(func(k *schema.ForeignKey) bool { return k.Table == join.Table && k.References == t.Table })
	key := join.Table.String()
	switch {
	case len(near) == 0:
		a.fail(where, "table %s has no foreign key to %s", join.Table, t.Table)
		return
	case r.ForeignKey != "":
		k := a.choose(where, t, r.ForeignKey, near)
		if k == nil {
			return
		}
		key = schema.ThroughKey(join.Table, k.Name)
	case len(near) > 1:
		a.fail(where, "table %s has %d foreign keys to %s; add foreignKey, the one that leads here: %s",
			join.Table, len(near), t.Table, strings.Join(keyNames(near), " or "))
		return
	}
	if !a.once(where, name, t.String()+"/"+key) {
		return
	}
	if t.Override.Through == nil {
		t.Override.Through = map[string]string{}
	}
	t.Override.Through[key] = name
}

// declare adds a foreign key that the database has not.
func (a *applier) declare(where at, t *schema.TableDef, name string, r Relationship) {
	if len(r.Columns) == 0 || r.References == "" {
		a.fail(where, "columns and references belong together")
		return
	}
	target := a.table(r.References)
	if target == nil {
		a.dangling(where, "no such table", r.References, a.tableNames())
		return
	}
	if !a.hasColumns(where, t, r.Columns) {
		return
	}
	id := idOf(target)
	switch {
	case len(id) == 0:
		a.fail(where, "table %s has no id that columns could hold; give it one: models: {%s: {id: [COLUMN]}}", target.Table, a.nameOf(target.Table))
		return
	case len(id) != len(r.Columns):
		a.fail(where, "the id of %s is made of %s; columns names %d", target.Table, strings.Join(id, ", "), len(r.Columns))
		return
	}
	same := func(k *schema.ForeignKey) bool {
		return k.Table == t.Table && k.References == target.Table && slices.Equal(k.Columns, r.Columns) && slices.Equal(k.RefColumns, id)
	}
	if known := a.keys(same); len(known) > 0 {
		if !known[0].Override.Declared {
			a.fail(where, "the database has this foreign key; describe it by its name: {foreignKey: %s}", known[0].Name)
			return
		}
		if a.once(where, name, known[0].Table.String()+"/"+known[0].Name+"/one") {
			known[0].Override.One = name
		}
		return
	}
	k := schema.ForeignKey{
		Name:  t.Name + "_" + strings.Join(r.Columns, "_") + "_declared",
		Table: t.Table, Columns: r.Columns, References: target.Table, RefColumns: id,
		Override: schema.ForeignKeyOverride{One: name, Declared: true},
	}
	if a.once(where, name, k.Table.String()+"/"+k.Name+"/one") {
		a.catalog.ForeignKeys = append(a.catalog.ForeignKeys, k)
	}
}

// once refuses a second name for what has one.
func (a *applier) once(where at, name, what string) bool {
	if other, ok := a.named[what]; ok {
		a.fail(where, "this relationship is called %q already", other)
		return false
	}
	a.named[what] = name
	return true
}

func idOf(t *schema.TableDef) []string {
	if len(t.Override.ID) > 0 {
		return t.Override.ID
	}
	for _, k := range t.Keys {
		if k.Primary {
			return k.Columns
		}
	}
	return nil
}

func (a *applier) keys(want func(*schema.ForeignKey) bool) []*schema.ForeignKey {
	var found []*schema.ForeignKey
	for i := range a.catalog.ForeignKeys {
		if want(&a.catalog.ForeignKeys[i]) {
			found = append(found, &a.catalog.ForeignKeys[i])
		}
	}
	slices.SortFunc(found, func(x, y *schema.ForeignKey) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(x.Table.String(), y.Table.String()))
	})
	return found
}

// choose finds a foreign key by its name, or by table and name.
func (a *applier) choose(where at, t *schema.TableDef, name string, among []*schema.ForeignKey) *schema.ForeignKey {
	var found []*schema.ForeignKey
	for _, k := range among {
		if k.Name == name || a.nameOf(k.Table)+"."+k.Name == name {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		a.dangling(where, "no such foreign key from or to table "+t.Table.String(), name, keyNames(among))
		return nil
	case 1:
		return found[0]
	}
	var qualified []string
	for _, k := range found {
		qualified = append(qualified, a.nameOf(k.Table)+"."+k.Name)
	}
	a.fail(where, "several foreign keys are called %q; write %s", name, strings.Join(qualified, " or "))
	return nil
}

func keyNames(keys []*schema.ForeignKey) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}
