package overlay

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// Apply returns a copy of the catalogue with the overlay written into it. An
// entry that describes nothing in the catalogue is an error, which names the
// nearest candidates; all errors are reported at once.
func Apply(c *schema.Catalog, models Models) (*schema.Catalog, error) {
	a := &applier{catalog: clone(c), named: map[string]string{}}
	names := slices.Sorted(maps.Keys(models))
	for _, name := range names {
		if t := a.table(name); t != nil {
			a.describe(at{"models", name}, t, models[name])
		} else {
			a.dangling(at{"models", name}, "no such table", name, a.tableNames())
		}
	}
	// Relationships may refer to ids that other entries choose.
	for _, name := range names {
		if t := a.table(name); t != nil {
			for _, rel := range slices.Sorted(maps.Keys(models[name].Relationships)) {
				a.relate(at{"models", name, "relationships", rel}, t, rel, models[name].Relationships[rel])
			}
		}
	}
	if err := errors.Join(a.errs...); err != nil {
		return nil, fmt.Errorf("the overlay does not fit the database:\n%w", err)
	}
	return a.catalog, nil
}

// clone copies what Apply changes.
func clone(c *schema.Catalog) *schema.Catalog {
	copied := *c
	copied.Relations = slices.Clone(c.Relations)
	for i := range copied.Relations {
		t := &copied.Relations[i]
		t.Columns = slices.Clone(t.Columns)
		t.Override.Through = maps.Clone(t.Override.Through)
	}
	copied.ForeignKeys = slices.Clone(c.ForeignKeys)
	return &copied
}

// An at is the place of an entry in the file.
type at []string

func (a at) String() string { return strings.Join(a, ": ") }

type applier struct {
	catalog *schema.Catalog
	named   map[string]string // what was named, to the name that it got
	errs    []error
}

func (a *applier) fail(where at, format string, args ...any) {
	a.errs = append(a.errs, fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...)))
}

// dangling reports an entry that describes nothing.
func (a *applier) dangling(where at, what, wanted string, candidates []string) {
	near := nearest(wanted, candidates)
	if len(near) == 0 {
		a.fail(where, "%s: %q", what, wanted)
		return
	}
	a.fail(where, "%s: %q; did you mean %s?", what, wanted, strings.Join(near, " or "))
}

// table finds a table by its name in the first schema, or by its qualified one.
func (a *applier) table(name string) *schema.TableDef {
	var qualified *schema.TableDef
	for i := range a.catalog.Relations {
		t := &a.catalog.Relations[i]
		if t.Name == name && len(a.catalog.Schemas) > 0 && t.Schema == a.catalog.Schemas[0] {
			return t
		}
		if t.String() == name {
			qualified = t
		}
	}
	return qualified
}

// tableNames returns the tables as an overlay writes them.
func (a *applier) tableNames() []string {
	names := make([]string, len(a.catalog.Relations))
	for i := range a.catalog.Relations {
		names[i] = a.nameOf(a.catalog.Relations[i].Table)
	}
	return names
}

func (a *applier) nameOf(t schema.Table) string {
	if len(a.catalog.Schemas) > 0 && t.Schema == a.catalog.Schemas[0] {
		return t.Name
	}
	return t.String()
}

// describe writes what is said of the table and its columns.
func (a *applier) describe(where at, t *schema.TableDef, m Model) {
	if m.Type != "" {
		t.Override.Type = m.Type
	}
	if m.Hidden {
		t.Override.Hidden = true
	}
	if a.hasColumns(append(slices.Clone(where), "id"), t, m.ID) && len(m.ID) > 0 {
		t.Override.ID = m.ID
	}
	for _, name := range slices.Sorted(maps.Keys(m.Fields)) {
		here := append(slices.Clone(where), "fields", name)
		if !a.hasColumns(here, t, []string{name}) {
			continue
		}
		f := m.Fields[name]
		if f.Search != "" && !a.hasColumns(append(slices.Clone(here), "search"), t, []string{f.Search}) {
			continue
		}
		o := &t.Columns[columnIndex(t, name)].Override
		if f.Name != "" {
			o.Name = f.Name
		}
		if f.Search != "" {
			o.Search = f.Search
		}
		o.Hidden = o.Hidden || f.Hidden
		o.ReadOnly = o.ReadOnly || f.ReadOnly
	}
}

func (a *applier) hasColumns(where at, t *schema.TableDef, names []string) bool {
	ok := true
	for _, name := range names {
		if columnIndex(t, name) < 0 {
			a.dangling(where, fmt.Sprintf("table %s has no such column", t.Table), name, columnNames(t))
			ok = false
		}
	}
	return ok
}

func columnIndex(t *schema.TableDef, name string) int {
	return slices.IndexFunc(t.Columns, func(c schema.ColumnDef) bool { return c.Name == name })
}

func columnNames(t *schema.TableDef) []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}
