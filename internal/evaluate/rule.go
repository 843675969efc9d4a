package evaluate

import (
	"reflect"
	"slices"

	"github.com/resourcery/resourcery/schema"
)

// A Store is a database with the rules that its rows keep.
type Store struct {
	Rows  Database
	Rules map[schema.Table]*Rules
}

// Rules are what the rows of a table have to be like.
type Rules struct {
	Columns []Column
	Keys    [][]string // unique ones, of columns
	Foreign []ForeignKey
	Checks  []Check
}

// A Column is one of a table, with what it holds where an insert leaves it out.
type Column struct {
	Name      string
	Type      *schema.Type
	NotNull   bool
	Default   any
	Generated bool // the default is made by the database, see Write
}

// A ForeignKey has the columns of another table, or of the same, in its own.
type ForeignKey struct {
	Columns    []string
	References schema.Table
	To         []string
	OnDelete   Follow
	OnUpdate   Follow
}

// A Follow is what becomes of rows whose target goes or changes its key.
type Follow uint8

// What becomes of them.
const (
	Refuse  Follow = iota // they stay, and so does what they refer to
	Cascade               // they go or change too
	SetNull               // they refer to nothing
)

// A Check is a condition that rows must not fail; one over a NULL does not.
type Check struct {
	Columns []string
	Holds   func(Row) bool
}

// A Guard is which rows of a table a caller may see, add, change, change them
// to, and delete.
type Guard struct{ Select, Insert, Update, Changed, Delete Policy }

// Guards are those that bind a caller, for every table.
type Guards map[schema.Table]Guard

func (g Guards) policies() Policies {
	out := make(Policies, len(g))
	for table, guard := range g {
		out[table] = guard.Select
	}
	return out
}

func (r *Rules) column(name string) *Column {
	i := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == name })
	return &r.Columns[i]
}

func (r *Rules) cells(names []string) []cell {
	out := make([]cell, len(names))
	for i, name := range names {
		out[i] = cell{name, r.column(name).Type}
	}
	return out
}

// same reports whether two rows are one, not only alike.
func same(a, b Row) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }

// A breach is a rule that a row does not keep.
type breach struct {
	kind    breachKind
	columns []string
}

type breachKind uint8

const (
	missing  breachKind = iota // NULL where there must be a value
	checked                    // a check fails
	taken                      // another row has the key
	dangling                   // nothing is there that it refers to
	referred                   // other rows refer to what it was
	followed                   // a row that follows it breaks a rule
)

// faults are the rules that a row breaks by itself.
func (s *Store) faults(table schema.Table, row Row) []breach {
	var out []breach
	rules := s.Rules[table]
	for _, c := range rules.Columns {
		if c.NotNull && row[c.Name] == nil {
			out = append(out, breach{missing, []string{c.Name}})
		}
	}
	for _, c := range rules.Checks {
		if !c.Holds(row) {
			out = append(out, breach{checked, c.Columns})
		}
	}
	return out
}

// clashes are the rules that a row, which is in the table, breaks with others.
func (s *Store) clashes(table schema.Table, row Row) []breach {
	var out []breach
	rules := s.Rules[table]
	for _, key := range rules.Keys {
		if s.other(table, row, key) != nil {
			out = append(out, breach{taken, key})
		}
	}
	for _, fk := range rules.Foreign {
		if s.target(table, row, fk) == nil && complete(row, fk.Columns) {
			out = append(out, breach{dangling, fk.Columns})
		}
	}
	return out
}

// other finds another row with the same key, which has no NULL.
func (s *Store) other(table schema.Table, row Row, key []string) Row {
	cells := s.Rules[table].cells(key)
	for _, other := range s.Rows[table] {
		if !same(other, row) && pairs(row, cells, other, cells) {
			return other
		}
	}
	return nil
}

func complete(row Row, columns []string) bool {
	return !slices.ContainsFunc(columns, func(name string) bool { return row[name] == nil })
}

// target finds what a row refers to.
func (s *Store) target(table schema.Table, row Row, fk ForeignKey) Row {
	from, to := s.Rules[table].cells(fk.Columns), s.Rules[fk.References].cells(fk.To)
	for _, target := range s.Rows[fk.References] {
		if pairs(row, from, target, to) {
			return target
		}
	}
	return nil
}

// put adds a row, or puts it in the place of another.
func (s *Store) put(table schema.Table, old, row Row) {
	rows := slices.Clone(s.Rows[table])
	if old == nil {
		s.Rows[table] = append(rows, row)
		return
	}
	rows[slices.IndexFunc(rows, func(r Row) bool { return same(r, old) })] = row
	s.Rows[table] = rows
}

// referring calls f for the rows that refer to a row of the table by columns in
// which it differs from what it becomes; it goes where that is nil.
func (s *Store) referring(table schema.Table, row, becomes Row, f func(from schema.Table, fk ForeignKey, r Row)) {
	for from, rules := range s.Rules {
		for _, fk := range rules.Foreign {
			to := s.Rules[table]
			if fk.References != table || becomes != nil && pairs(row, to.cells(fk.To), becomes, to.cells(fk.To)) {
				continue
			}
			for _, r := range slices.Clone(s.Rows[from]) {
				if pairs(r, rules.cells(fk.Columns), row, to.cells(fk.To)) {
					f(from, fk, r)
				}
			}
		}
	}
}

// drop deletes a row and what goes with it, and reports whether others hold it.
func (s *Store) drop(table schema.Table, row Row) (held bool) {
	s.Rows[table] = slices.DeleteFunc(slices.Clone(s.Rows[table]), func(r Row) bool { return same(r, row) })
	s.referring(table, row, nil, func(from schema.Table, fk ForeignKey, r Row) {
		if !slices.ContainsFunc(s.Rows[from], func(now Row) bool { return same(now, r) }) {
			return // it has gone on another way
		}
		switch fk.OnDelete {
		case Refuse:
			held = true
		case Cascade:
			held = s.drop(from, r) || held
		case SetNull:
			s.put(from, r, with(r, fk.Columns, func(int) any { return nil }))
		}
	})
	return held
}

// moved has rows follow one whose key has changed. It returns what that breaks:
// others hold the row, or cannot follow it.
func (s *Store) moved(table schema.Table, old, row Row) []breach {
	var out []breach
	s.referring(table, old, row, func(from schema.Table, fk ForeignKey, r Row) {
		if fk.OnUpdate != Cascade {
			out = append(out, breach{kind: referred})
			return
		}
		follower := with(r, fk.Columns, func(i int) any { return row[fk.To[i]] })
		if len(s.faults(from, follower)) > 0 {
			out = append(out, breach{kind: followed})
		}
		s.put(from, r, follower)
	})
	return out
}

// with is a row with other values in some columns.
func with(row Row, columns []string, value func(i int) any) Row {
	out := make(Row, len(row))
	for name, v := range row {
		out[name] = v
	}
	for i, name := range columns {
		out[name] = value(i)
	}
	return out
}
