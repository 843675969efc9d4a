package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A link is a relationship while it looks for its name.
type link struct {
	rel     *Relationship
	key     *ForeignKey // the foreign key; of a join table, the one to the model's own table
	far     *ForeignKey // of a join table, the other one
	options []string    // names in order of preference; the first that is free is taken
	derived string      // "": none was free
	given   string      // the overlay's
}

// A linker makes the relationships of all models and names them in the order
// of contract 1.10.
type linker struct {
	*builder
	links   map[*Model][]*link // in naming order
	taken   map[*Model]map[string]string
	between map[[2]Table]int                // pure join tables, by what they join
	given   map[*tableState]map[string]bool // the entries of Through that found their relationship
}

func newLinker(b *builder) *linker {
	l := &linker{builder: b, links: map[*Model][]*link{}, taken: map[*Model]map[string]string{}, between: map[[2]Table]int{}, given: map[*tableState]map[string]bool{}}
	for _, m := range b.models {
		names := map[string]string{"id": "the id's name", "type": "the type's name"}
		for _, f := range m.Fields {
			if !f.Hidden {
				names[f.Name] = fmt.Sprintf("the name of column %q", f.Column)
			}
		}
		l.taken[m] = names
	}
	return l
}

func (l *linker) relate() {
	var one, many []*link
	for _, k := range l.keys {
		own, other := l.direct(k)
		if own != nil {
			one, many = append(one, own), append(many, other)
		}
	}
	l.countJoins()
	l.nameInTurn(one)
	l.nameTogether(many)
	l.nameInTurn(l.throughAll(true))
	l.nameInTurn(l.throughAll(false))
	for _, m := range l.models {
		l.finish(m)
	}
	l.checkThrough()
}

// checkThrough refuses names for relationships over tables that join nothing.
func (l *linker) checkThrough() {
	for i := range l.catalog.Relations {
		t := l.tables[l.catalog.Relations[i].Table]
		for _, table := range slices.Sorted(maps.Keys(t.def.Override.Through)) {
			if t.model != nil && !l.given[t][table] {
				l.refuse.joinsNothing(t.def.Table, table, t.def.Override.Through[table])
			}
		}
	}
}

// direct makes the two relationships of a foreign key, nil where it is not served.
func (l *linker) direct(k *ForeignKey) (own, other *link) {
	from, to := l.tables[k.Table], l.tables[k.References]
	if from.model == nil || to.model == nil || !from.usable(k) {
		return nil, nil
	}
	unique := from.unique(k.Columns)
	own = &link{key: k, given: k.Override.One, rel: &Relationship{Model: from.model, Target: to.model, Own: true}}
	other = &link{key: k, given: k.Override.Many, rel: &Relationship{Model: to.model, Target: from.model, Many: !unique}}
	near, far := fieldsOf(from, k.Columns), fieldsOf(to, k.RefColumns)
	own.rel.From, own.rel.To = near, far
	other.rel.From, other.rel.To = slices.Clone(far), slices.Clone(near)
	own.rel.Inverse, other.rel.Inverse = other.rel, own.rel
	own.rel.Constraint, other.rel.Constraint = k.constraint(), k.constraint()
	byTargetKey(own.rel)
	byTargetKey(other.rel)

	column := distinctive(from, k)
	if name := role(column); name != "" && len(k.Columns) == 1 {
		own.options = append(own.options, name)
	}
	own.options = append(own.options, singular(to.model.Type), refer(column))

	base := plural(from.model.Type)
	if unique {
		base = singular(from.model.Type)
	}
	other.options = []string{base, by(base, column)}
	return own, other
}

// throughAll makes the many-to-many relationships over pure join tables, or
// over those that are models as well.
func (l *linker) throughAll(pure bool) []*link {
	var links []*link
	for _, j := range l.joins {
		if j.pure != pure || !j.table.usable(j.first) || !j.table.usable(j.second) {
			continue
		}
		a, b := l.through(j, j.first, j.second), l.through(j, j.second, j.first)
		if a == nil || b == nil {
			continue
		}
		a.rel.Inverse, b.rel.Inverse = b.rel, a.rel
		links = append(links, a, b)
	}
	slices.SortStableFunc(links, func(a, b *link) int {
		return cmp.Or(compareForeignKeys(*a.key, *b.key), compareForeignKeys(*a.far, *b.far))
	})
	return links
}

func (l *linker) through(j *joinPair, near, far *ForeignKey) *link {
	from, to := l.tables[near.References], l.tables[far.References]
	if from.model == nil || to.model == nil {
		return nil
	}
	rel := &Relationship{Model: from.model, Target: to.model, Many: true,
		From: fieldsOf(from, near.RefColumns), To: fieldsOf(to, far.RefColumns),
		Through: &Join{
			Table: j.table.def.Table, Model: j.table.model, Near: joinColumns(j.table, near), Far: joinColumns(j.table, far),
			NearConstraint: near.constraint(), FarConstraint: far.constraint(),
		}}
	byTargetKey(rel)
	link := &link{rel: rel, key: near, far: far, given: l.throughName(from, j.table.def.Table, near)}

	base, table := plural(to.model.Type), j.table.def.Name
	via := qualify(base, "via", memberName(table), table)
	if from == to {
		// The two sides of a self-relation differ by their column alone.
		column := distinctive(j.table, near)
		base, via = by(base, column), by(via, column)
	}
	if !j.pure || l.between[j.ends()] == 1 {
		link.options = append(link.options, base)
	}
	link.options = append(link.options, via, by(via, distinctive(j.table, far)))
	return link
}

// countJoins counts the pure join tables between any two tables.
func (l *linker) countJoins() {
	for _, j := range l.joins {
		if j.pure && j.table.usable(j.first) && j.table.usable(j.second) {
			l.between[j.ends()]++
		}
	}
}

// throughName returns the overlay's name for a many-to-many relationship,
// which may be for one foreign key of the join table alone.
func (l *linker) throughName(from *tableState, join Table, near *ForeignKey) string {
	for _, key := range []string{ThroughKey(join, near.Name), join.String()} {
		if name, ok := from.def.Override.Through[key]; ok {
			if l.given[from] == nil {
				l.given[from] = map[string]bool{}
			}
			l.given[from][key] = true
			return name
		}
	}
	return ""
}

// ThroughKey returns the key of TableOverride.Through for one side of a
// self-relation: the join table and its foreign key that leads to the model.
func ThroughKey(join Table, foreignKey string) string { return join.String() + "/" + foreignKey }

// nameInTurn gives each link the first of its options that is free.
func (l *linker) nameInTurn(links []*link) {
	for _, k := range links {
		m := k.rel.Model
		l.links[m] = append(l.links[m], k)
		for _, name := range k.options {
			if l.taken[m][name] == "" {
				l.take(k, name)
				break
			}
		}
	}
}

// nameTogether gives each link its first option where that is free and nobody
// else on the model asks for it, and their second option to those that clash.
func (l *linker) nameTogether(links []*link) {
	asked := map[*Model]map[string]int{}
	for _, k := range links {
		m := k.rel.Model
		if asked[m] == nil {
			asked[m] = map[string]int{}
		}
		asked[m][k.options[0]]++
		l.links[m] = append(l.links[m], k)
	}
	var clashing []*link
	for _, k := range links {
		m := k.rel.Model
		if asked[m][k.options[0]] == 1 && l.taken[m][k.options[0]] == "" {
			l.take(k, k.options[0])
		} else {
			clashing = append(clashing, k)
		}
	}
	for _, k := range clashing {
		if name := k.options[1]; l.taken[k.rel.Model][name] == "" {
			l.take(k, name)
		}
	}
}

func (l *linker) take(k *link, name string) {
	k.derived = name
	l.taken[k.rel.Model][name] = "the name of the relationship over " + k.what()
}

// finish gives a model its relationships under their final names: an overlay
// renames what it describes and leaves the derived names of others alone.
func (l *linker) finish(m *Model) {
	m.relationship = make(map[string]*Relationship, len(l.links[m]))
	owner := map[string]string{"id": "the id's name", "type": "the type's name"}
	for _, f := range m.Attributes {
		owner[f.Name] = fmt.Sprintf("the name of column %q", f.Column)
	}
	for _, k := range l.links[m] {
		name, other := cmp.Or(k.given, k.derived), ""
		if name == "" {
			name = k.options[len(k.options)-1]
			other = l.taken[m][name]
		} else if memberName(name) != name {
			l.refuse.relationshipName(m.Table, k.entry(l), name, k.what())
			continue
		}
		if other = cmp.Or(owner[name], other); other != "" {
			l.refuse.relationshipClash(m.Table, k.entry(l), name, k.what(), other)
			continue
		}
		owner[name] = "the name of the relationship over " + k.what()
		k.rel.Name, k.rel.Ordinal = name, len(m.Relationships)
		m.Relationships = append(m.Relationships, k.rel)
		m.relationship[name] = k.rel
	}
}

// what describes the link in a message.
func (k *link) what() string {
	if k.far != nil {
		return fmt.Sprintf("join table %s by its foreign key %s", k.key.Table, k.key.Name)
	}
	return fmt.Sprintf("foreign key %s (%s) of %s", k.key.Name, strings.Join(k.key.Columns, ", "), k.key.Table)
}

// entry prints the overlay's entry that names the link.
func (k *link) entry(l *linker) string {
	self := k.rel.Model == k.rel.Target
	switch {
	case k.far != nil && self:
		return fmt.Sprintf("through: %s, foreignKey: %s", yamlKey(overlayKey(l.refuse.schemas, k.key.Table)), yamlKey(k.key.Name))
	case k.far != nil:
		return "through: " + yamlKey(overlayKey(l.refuse.schemas, k.key.Table))
	case self && k.rel.Own:
		return fmt.Sprintf("foreignKey: %s, side: one", yamlKey(k.key.Name))
	case self:
		return fmt.Sprintf("foreignKey: %s, side: many", yamlKey(k.key.Name))
	default:
		return "foreignKey: " + yamlKey(k.key.Name)
	}
}

// by returns base with By and the foreign key's column.
func by(base, column string) string {
	return qualify(base, "by", cmp.Or(role(column), memberName(column)), column)
}

// distinctive returns the column after which a foreign key is named: its only
// one, or the first that no other foreign key of the table shares (a tenant's
// column is in all of them), else the last.
func distinctive(t *tableState, k *ForeignKey) string {
	for _, c := range k.Columns {
		shared := slices.ContainsFunc(t.keys, func(other *ForeignKey) bool { return other != k && slices.Contains(other.Columns, c) })
		if !shared {
			return c
		}
	}
	return k.Columns[len(k.Columns)-1]
}

// byTargetKey puts the column pairs in the order of the target's key where
// they are that key, so that From or Through.Far spells the target's id.
func byTargetKey(r *Relationship) {
	key := r.Target.Key
	if len(r.To) != len(key) {
		return
	}
	order := make([]int, len(key))
	for i, f := range key {
		if order[i] = slices.Index(r.To, f); order[i] < 0 {
			return
		}
	}
	r.ByID = true
	r.To = slices.Clone(key)
	if r.Through != nil {
		r.Through.Far = permute(r.Through.Far, order)
	} else {
		r.From = permute(r.From, order)
	}
}

func permute[T any](list []T, order []int) []T {
	out := make([]T, len(order))
	for i, from := range order {
		out[i] = list[from]
	}
	return out
}

func fieldsOf(t *tableState, columns []string) []*Field {
	fields := make([]*Field, len(columns))
	for i, c := range columns {
		fields[i] = t.field[c]
	}
	return fields
}

func joinColumns(t *tableState, k *ForeignKey) []JoinColumn {
	columns := make([]JoinColumn, len(k.Columns))
	for i, c := range k.Columns {
		columns[i] = JoinColumn{Name: c, Type: t.types[c]}
	}
	return columns
}
