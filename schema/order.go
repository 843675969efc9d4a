package schema

import (
	"cmp"
	"slices"
	"strings"
)

// sorted returns a copy of the catalogue whose lists have the one order that
// names are given in; column order and the order of Schemas have a meaning and stay.
func (c *Catalog) sorted() *Catalog {
	s := &Catalog{
		Schemas:     slices.Clone(c.Schemas),
		Relations:   slices.Clone(c.Relations),
		ForeignKeys: slices.Clone(c.ForeignKeys),
		Types:       slices.Clone(c.Types),
	}
	slices.SortFunc(s.Relations, func(a, b TableDef) int { return compareTables(a.Table, b.Table) })
	for i := range s.Relations {
		t := &s.Relations[i]
		t.Columns = slices.Clone(t.Columns)
		t.Keys = slices.Clone(t.Keys)
		slices.SortFunc(t.Keys, func(a, b KeyDef) int { return strings.Compare(a.Name, b.Name) })
		t.PartialKeys = slices.Clone(t.PartialKeys)
		slices.SortFunc(t.PartialKeys, func(a, b PartialKeyDef) int { return strings.Compare(a.Name, b.Name) })
		t.Checks = slices.Clone(t.Checks)
		slices.SortFunc(t.Checks, func(a, b CheckDef) int { return strings.Compare(a.Name, b.Name) })
		t.Exclusions = slices.Clone(t.Exclusions)
		slices.SortFunc(t.Exclusions, func(a, b ExclusionDef) int { return strings.Compare(a.Name, b.Name) })
		t.Partitions = slices.Clone(t.Partitions)
		slices.SortFunc(t.Partitions, compareTables)
		t.Clones = slices.Clone(t.Clones)
		slices.SortFunc(t.Clones, func(a, b CloneDef) int {
			return cmp.Or(compareTables(a.Table, b.Table), strings.Compare(a.Name, b.Name))
		})
	}
	slices.SortFunc(s.ForeignKeys, compareForeignKeys)
	slices.SortFunc(s.Types, func(a, b TypeDef) int {
		return cmp.Or(strings.Compare(a.Schema, b.Schema), strings.Compare(a.Name, b.Name))
	})
	return s
}

func compareTables(a, b Table) int {
	return cmp.Or(strings.Compare(a.Schema, b.Schema), strings.Compare(a.Name, b.Name))
}

// compareForeignKeys orders by name first: this is the order of contract 1.10.
// Names are unique per table only.
func compareForeignKeys(a, b ForeignKey) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), compareTables(a.Table, b.Table))
}
