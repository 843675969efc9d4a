package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A Written is what a write leaves.
type Written struct {
	Rows     Database
	Document map[string]any // nil: none is sent
	Created  bool
}

// A Generate makes the value that the database gives a column of a new row.
type Generate func(t schema.Table, column string) any

// Write does what a plan says, as one who is bound by the guards. Either all of
// it is done, or it returns a Refused and nothing is; s is not changed.
//
// The digests that a plan's If-Match names are those of Digest. What follows of
// a rule it takes from the rule and not from how Postgres goes about it: where
// the order of its checks is Postgres's own, the Refused has a choice.
func Write(s Store, by Guards, p *plan.Plan, at Address, generate Generate) (Written, error) {
	a := &attempt{Store: Store{Rows: maps.Clone(s.Rows), Rules: s.Rules}, by: by, generate: generate, made: map[int]Row{}}
	if batch, ok := p.Action.(*plan.Batch); ok {
		doc, err := a.batch(batch, at)
		return Written{Rows: a.Rows, Document: doc}, err
	}
	o := &operation{attempt: a, plan: p}
	if err := o.run(); err != nil {
		return Written{}, err
	}
	doc, err := o.document(at)
	if err != nil {
		return Written{}, err
	}
	return Written{Rows: a.Rows, Document: doc, Created: o.created}, nil
}

// Digest is the digest of a row: the same text for the same values.
func Digest(row Row, fields []*schema.Field) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%q=%v;", f.Column, row[f.Column])
	}
	return b.String()
}

// An attempt is a write in the doing.
type attempt struct {
	Store    // the rows as they become
	by       Guards
	generate Generate
	made     map[int]Row // by the number of the operation that wrote them
}

// An operation is one write, alone or of a batch.
type operation struct {
	*attempt
	plan    *plan.Plan
	write   *plan.Write // nil for Delete
	row     Row         // as it was written or found
	created bool
	// doomed is why nothing will be kept in the end, whatever is found before.
	doomed []Problem
}

func (o *operation) run() error {
	switch a := o.plan.Action.(type) {
	case *plan.Create:
		o.write = &a.Write
		return o.finish(o.create(a))
	case *plan.Update:
		o.write = &a.Write
		return o.finish(o.update(a))
	case *plan.Delete:
		return o.remove(a)
	default:
		panic("evaluate: an action that writes nothing")
	}
}

// finish does what comes after the row.
func (o *operation) finish(err error) error {
	if err != nil {
		return also(err, o.doomed...)
	}
	o.made[0] = o.row
	if o.write.Number > 0 {
		o.made[o.write.Number] = o.row
	}
	for _, m := range o.write.Members {
		if err := o.members(m); err != nil {
			return also(err, o.doomed...)
		}
	}
	problems := append(o.doomed, o.unlinked()...)
	if o.reader().find(o.write.Model, keyOf(o.write.Model.Key, o.row)) == nil {
		problems = append(problems, o.problem("forbidden"))
	}
	return oneOf(problems)
}

// reader reads what the caller sees now.
func (o *operation) reader() *reader {
	r := newReader(o.Rows, o.by.policies(), o.plan)
	r.written = o.made
	return r
}

// find returns the row with the key among those that are seen, nil for none.
func (r *reader) find(m *schema.Model, key []any) Row {
	for _, row := range r.seen[m.Table] {
		if !slices.ContainsFunc(m.Key, func(f *schema.Field) bool {
			v := key[slices.Index(m.Key, f)]
			return v == nil || compare(f.Type, row[f.Column], f.Type, v) != 0
		}) {
			return row
		}
	}
	return nil
}

// unseen are the targets that the caller does not see (contract 5.6).
func (o *operation) unseen() []Problem {
	var out []Problem
	r := o.reader()
	for _, t := range o.write.Targets {
		keys := &plan.Keys{Fields: t.Fields, Types: t.Types}
		lists := make([][]any, len(t.Keys))
		for i, slot := range t.Keys {
			lists[i] = literals(t.Fields[i].Type, o.plan.Values[slot])
		}
		for n := range lists[0] {
			one := &reader{values: make([]any, len(lists))}
			keys.Slots = nil
			for i := range lists {
				one.values[i] = []any{lists[i][n]}
				keys.Slots = append(keys.Slots, plan.Slot(i))
			}
			if !slices.ContainsFunc(r.seen[t.Model.Table], func(row Row) bool { return one.keys(row, keys) }) {
				out = append(out, Problem{"related-not-found", o.stand(t.Keys[0], n, len(lists[0]))})
			}
		}
	}
	return out
}

// stand are the places of the n-th of several elements; one that is alone may
// stand at several.
func (o *operation) stand(list plan.Slot, n, of int) []string {
	if of > 1 {
		return []string{o.plan.Elements[list][n].Pointer}
	}
	var out []string
	for _, at := range o.plan.Elements[list] {
		out = append(out, at.Pointer)
	}
	return out
}

// cell is the value of a cell, nil for NULL.
func (o *operation) cell(c plan.Cell) any {
	switch c := c.(type) {
	case *plan.Given:
		return literal(c.Type, o.plan.Values[c.Slot])
	case *plan.Made:
		v := o.made[c.Number][c.Field.Column]
		if v == nil {
			o.doomed = append(o.doomed, Problem{"conflict", nil})
		}
		return v
	case *plan.Looked:
		row := o.reader().find(c.Model, o.cells(c.Key))
		if row == nil {
			return nil
		}
		if row[c.Field.Column] == nil { // there is nothing to refer by
			o.doomed = append(o.doomed, Problem{"conflict", o.placesOf(c)})
		}
		return row[c.Field.Column]
	default:
		panic("evaluate: a cell of no known type")
	}
}

func (o *operation) cells(cells []plan.Cell) []any {
	out := make([]any, len(cells))
	for i, c := range cells {
		out[i] = o.cell(c)
	}
	return out
}

// create inserts the row, or updates the one that has its key already.
func (o *operation) create(a *plan.Create) error {
	if problems := o.unseen(); len(problems) > 0 {
		return &Refused{[][]Problem{problems}}
	}
	table, guard := a.Model.Table, o.by[a.Model.Table]
	row := o.blank(table)
	for _, s := range a.Set {
		row[s.Field.Column] = o.cell(s.Value)
	}
	for _, c := range o.Rules[table].Columns {
		if c.Generated && !slices.ContainsFunc(a.Set, func(s plan.Assignment) bool { return s.Field.Column == c.Name }) {
			row[c.Name] = o.generate(table, c.Name)
		}
	}
	problems := o.brokenRow(o.faults(table, row))
	if !guard.Insert(row) {
		problems = append(problems, o.problem("forbidden"))
	}
	if a.Upsert != nil {
		if !guard.Select(row) { // Postgres wants to see what it may have to update
			problems = append(problems, o.problem("forbidden"))
		}
		if old := o.other(table, row, names(a.Upsert.Match)); old != nil {
			return o.updateInstead(a, old, row, problems)
		}
	}
	o.put(table, nil, row)
	o.row, o.created = row, true
	o.mustSee(row)
	return oneOf(append(problems, o.brokenRow(o.clashes(table, row))...))
}

// blank is a row of defaults.
func (a *attempt) blank(table schema.Table) Row {
	row := Row{}
	for _, c := range a.Rules[table].Columns {
		row[c.Name] = c.Default
	}
	return row
}

func names(fields []*schema.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Column
	}
	return out
}

// mustSee notes that the caller does not see what it wrote (contract 5.7).
func (o *operation) mustSee(row Row) {
	if !o.by[o.write.Model.Table].Select(row) {
		o.doomed = append(o.doomed, o.problem("forbidden"))
	}
}

// updateInstead is the update of an upsert.
func (o *operation) updateInstead(a *plan.Create, old, proposed Row, problems []Problem) error {
	guard := o.by[a.Model.Table]
	if !guard.Select(old) || !guard.Update(old) {
		problems = append(problems, o.problem("forbidden"))
	}
	claimed := names(a.Claimed())
	if cells := o.Rules[a.Model.Table].cells(claimed); !pairs(old, cells, proposed, cells) {
		problems = append(problems, Problem{"id-mismatch", o.places(claimed)})
	}
	set := names(a.Upsert.Set)
	row := with(old, set, func(i int) any { return proposed[set[i]] })
	return o.replace(old, row, problems)
}

// replace puts a row in the place of what it was.
func (o *operation) replace(old, row Row, problems []Problem) error {
	table := o.write.Model.Table
	o.put(table, old, row)
	o.row = row
	o.mustSee(row)
	if !o.by[table].Changed(row) {
		problems = append(problems, o.problem("forbidden"))
	}
	breaches := append(o.faults(table, row), o.clashes(table, row)...)
	breaches = append(breaches, o.moved(table, old, row)...)
	return oneOf(append(problems, o.brokenRow(breaches)...))
}

// update changes the row that the request names.
func (o *operation) update(a *plan.Update) error {
	unseen := o.unseen()
	row := o.reader().find(a.Model, o.cells(a.Key))
	guard := o.by[a.Model.Table]
	mayNot := row != nil && len(a.Set) > 0 && !guard.Update(row)
	var problems []Problem
	switch {
	case row == nil:
		problems = []Problem{o.problem("not-found")}
	case a.Match != nil && !o.matches(row, a.Match):
		problems = []Problem{{"precondition-failed", nil}}
	}
	if mayNot {
		problems = append(problems, o.problem("forbidden"))
	}
	if len(unseen) > 0 { // which of the two is told, the contract does not say
		return also(&Refused{[][]Problem{unseen}}, problems...)
	}
	if len(problems) > 0 {
		return oneOf(problems)
	}
	o.row = row
	if len(a.Set) == 0 {
		return nil
	}
	columns, values := make([]string, len(a.Set)), make([]any, len(a.Set))
	for i, s := range a.Set {
		columns[i], values[i] = s.Field.Column, o.cell(s.Value)
	}
	return o.replace(row, with(row, columns, func(i int) any { return values[i] }), nil)
}

func (o *operation) matches(row Row, m *plan.Match) bool {
	return slices.Contains(o.plan.Values[m.Rows].([]string), Digest(row, m.Digest))
}

// unlinked are the foreign keys that the request gives, wholly or in part, and
// that lead to what the caller does not see.
func (o *operation) unlinked() []Problem {
	var out []Problem
	r := o.reader()
	row := o.row
	if now := r.find(o.write.Model, keyOf(o.write.Model.Key, row)); now != nil {
		row = now
	}
	for _, rel := range o.write.Model.Relationships {
		given := slices.ContainsFunc(o.write.Set, func(s plan.Assignment) bool { return slices.Contains(rel.From, s.Field) })
		if rel.Own && given && complete(row, names(rel.From)) && len(r.reach(row, rel)) == 0 {
			out = append(out, Problem{"related-not-found", o.places(names(rel.From))})
		}
	}
	return out
}

// remove deletes the row that the request names, and what goes with it.
func (o *operation) remove(a *plan.Delete) error {
	row := o.reader().find(a.Model, o.cells(a.Key))
	var problems []Problem
	switch {
	case row == nil:
		return oneOf([]Problem{o.problem("not-found")})
	case a.Match != nil && !o.matches(row, a.Match):
		problems = append(problems, Problem{"precondition-failed", nil})
	}
	if !o.by[a.Model.Table].Delete(row) {
		problems = append(problems, o.problem("forbidden"))
	}
	if len(problems) > 0 {
		return oneOf(problems)
	}
	if o.drop(a.Model.Table, row) {
		return oneOf([]Problem{o.problem("conflict")})
	}
	return nil
}
