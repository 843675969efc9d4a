package evaluate

import (
	"slices"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A membership is a change of the members of one relationship of one row.
type membership struct {
	*operation
	change *plan.Members
	rel    *schema.Relationship
	at     []string // the linkage
	named  [][]any  // the keys of the members that the request names
}

// members changes what a relationship leads to that other rows tell. A caller
// changes only members that it sees; one that a policy keeps as it is refuses
// the whole (contract 5.8).
func (o *operation) members(m *plan.Members) error {
	c := &membership{operation: o, change: m, rel: m.Relationship, at: []string{o.plan.Sources[m.Keys[0]].Pointer}}
	target := c.rel.Target
	if target == o.write.Model {
		c.at = nil // whether the row or a member of its own type is at fault is not told apart
	}
	for n := range literals(target.Key[0].Type, o.plan.Values[m.Keys[0]]) {
		var key []any
		for i, slot := range m.Keys {
			key = append(key, literals(target.Key[i].Type, o.plan.Values[slot])[n])
		}
		c.named = append(c.named, key)
	}
	for _, number := range m.Made {
		c.named = append(c.named, keyOf(target.Key, o.made[number]))
	}
	if m.Change != plan.AddMembers {
		if err := oneOf(c.lose()); err != nil {
			return err
		}
	}
	if m.Change == plan.RemoveMembers {
		return nil
	}
	return oneOf(c.gain())
}

func (c *membership) forbidden() Problem { return Problem{"forbidden", c.at} }

// parent is the row whose members change, as it is now.
func (c *membership) parent() Row {
	table := c.rel.Model.Table
	key := c.Rules[table].cells(names(c.rel.Model.Key))
	for _, row := range c.Rows[table] {
		if pairs(row, key, c.row, key) {
			return row
		}
	}
	return c.row
}

func (c *membership) names(row Row) bool {
	return slices.ContainsFunc(c.named, func(key []any) bool {
		for i, f := range c.rel.Target.Key {
			if key[i] == nil || compare(f.Type, row[f.Column], f.Type, key[i]) != 0 {
				return false
			}
		}
		return true
	})
}

// lose takes members away: those that are named, or, of a replacement, those
// that are not.
func (c *membership) lose() []Problem {
	var out []Problem
	r := c.reader()
	parent := c.parent()
	for _, member := range r.reach(parent, c.rel) {
		if c.names(member) != (c.change.Change == plan.RemoveMembers) {
			continue
		}
		if c.rel.Through != nil {
			out = append(out, c.disjoin(r, parent, member)...)
			continue
		}
		cleared := slices.DeleteFunc(names(c.rel.To), func(name string) bool { return c.Rules[c.rel.Target.Table].column(name).NotNull })
		if len(cleared) == 0 {
			out = append(out, Problem{"required-relationship", c.at})
			if !c.by[c.rel.Target.Table].Update(member) {
				out = append(out, c.forbidden())
			}
			continue
		}
		out = append(out, c.point(member, cleared, func(int) any { return nil })...)
	}
	return out
}

// point changes the foreign key of a member.
func (c *membership) point(member Row, columns []string, value func(i int) any) []Problem {
	table := c.rel.Target.Table
	guard := c.by[table]
	if !guard.Update(member) {
		return []Problem{c.forbidden()}
	}
	row := with(member, columns, value)
	var out []Problem
	if !guard.Changed(row) || !guard.Select(row) {
		out = append(out, c.forbidden())
	}
	c.put(table, member, row)
	breaches := append(c.faults(table, row), c.clashes(table, row)...)
	breaches = append(breaches, c.moved(table, member, row)...)
	return append(out, brokenMember(c.at, breaches)...)
}

// disjoin deletes the links that the caller sees between two rows.
func (c *membership) disjoin(r *reader, parent, member Row) []Problem {
	var out []Problem
	table := c.rel.Through.Table
	for _, join := range r.seen[table] {
		if !c.joins(join, parent, member) {
			continue
		}
		if !c.by[table].Delete(join) {
			out = append(out, c.forbidden())
		} else if c.drop(table, join) {
			// A link that others refer to; which of 23503's two codes that has, the
			// contract does not say.
			out = append(out, Problem{"conflict|related-not-found", nil})
		}
	}
	return out
}

func (c *membership) joins(join, parent, member Row) bool {
	t := c.rel.Through
	return pairs(parent, columns(c.rel.From), join, joinColumns(t.Near)) && pairs(join, joinColumns(t.Far), member, columns(c.rel.To))
}

// gain makes members of those that are named and are none yet.
func (c *membership) gain() []Problem {
	var out []Problem
	for _, key := range c.named {
		r, parent := c.reader(), c.parent()
		target := r.find(c.rel.Target, key)
		switch {
		case target == nil:
			out = append(out, Problem{"related-not-found", c.at})
		case r.related(parent, c.rel, target):
		case !complete(parent, names(c.rel.From)), c.rel.Through != nil && !complete(target, names(c.rel.To)):
			out = append(out, Problem{"conflict", c.at}) // there is nothing to refer by
		case c.rel.Through != nil:
			out = append(out, c.join(parent, target)...)
		default:
			out = append(out, c.point(target, names(c.rel.To), func(i int) any { return parent[c.rel.From[i].Column] })...)
		}
	}
	return out
}

// join inserts a link. One that is there and that the caller does not see cannot
// be made.
func (c *membership) join(parent, target Row) []Problem {
	t := c.rel.Through
	row := c.blank(t.Table)
	for i, j := range t.Near {
		row[j.Name] = parent[c.rel.From[i].Column]
	}
	for i, j := range t.Far {
		row[j.Name] = target[c.rel.To[i].Column]
	}
	guard := c.by[t.Table]
	if !guard.Insert(row) || !guard.Select(row) || slices.ContainsFunc(c.Rows[t.Table], func(j Row) bool { return c.joins(j, parent, target) }) {
		return append([]Problem{c.forbidden()}, brokenMember(c.at, c.faults(t.Table, row))...)
	}
	c.put(t.Table, nil, row)
	return brokenMember(c.at, append(c.faults(t.Table, row), c.clashes(t.Table, row)...))
}
