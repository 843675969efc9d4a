package plan

import (
	"fmt"

	"github.com/resourcery/resourcery/schema"
)

func (w *printer) create(a *Create) {
	head := "create"
	if a.Upsert != nil {
		head = "upsert"
	}
	w.line("%s %s", head, a.Model.Type)
	w.within(func() {
		if u := a.Upsert; u != nil {
			w.line("match %s", list(u.Match, fieldText))
			w.line("else set %s", list(u.Set, fieldText))
		}
		w.write(&a.Write)
	})
}

func (w *printer) update(a *Update) {
	w.line("update %s %s", a.Model.Type, cellsText(a.Key))
	w.within(func() {
		w.match(a.Match)
		w.write(&a.Write)
	})
}

func (w *printer) delete(a *Delete) {
	w.line("delete %s %s", a.Model.Type, cellsText(a.Key))
	w.within(func() { w.match(a.Match) })
}

func (w *printer) match(m *Match) {
	if m != nil {
		w.line("if the digest of %s is any of %s", list(m.Digest, fieldText), slotText(m.Rows))
	}
}

func (w *printer) write(a *Write) {
	if a.Number > 0 {
		w.line("known as %d", a.Number)
	}
	for _, s := range a.Set {
		w.line("set %s = %s", s.Field.Name, cellText(s.Value))
	}
	for _, t := range a.Targets {
		w.line("seen %s by %s in %s", t.Model.Type, list(t.Fields, fieldText), slotsText(t.Keys))
	}
	for _, m := range a.Members {
		made := ""
		if len(m.Made) > 0 {
			made = fmt.Sprintf(" and made by %v", m.Made)
		}
		w.line("%s %s %s%s", m.Change, m.Relationship, slotsText(m.Keys), made)
		for _, l := range m.Moved {
			w.line("  seen with it %s", linkedText(l))
		}
	}
	for _, l := range a.Linked {
		w.line("seen afterwards %s", linkedText(l))
	}
	if len(a.Kept) > 0 {
		w.line("keep %s", list(a.Kept, fieldText))
	}
	if a.Answer != nil {
		w.read(a.Answer)
	}
}

func linkedText(l Linked) string {
	out := list(l.Reference.From, fieldText) + " in " + l.Reference.Table.String()
	if l.Blind {
		out += ", of which nothing is seen"
	}
	if l.Stays {
		out += ", or as before"
	}
	return out
}

// String names the change as plans print it.
func (c Change) String() string {
	return [...]string{AddMembers: "add to", ReplaceMembers: "replace", RemoveMembers: "remove from"}[c]
}

func fieldText(f *schema.Field) string { return f.Name }

func cellText(c Cell) string {
	switch c := c.(type) {
	case *Given:
		return slotText(c.Slot)
	case *Made:
		return fmt.Sprintf("%s of %d", c.Field.Name, c.Number)
	case *Looked:
		return fmt.Sprintf("%s of %s %s", c.Field.Name, c.Model.Type, cellsText(c.Key))
	default:
		panic("plan: a cell of no known type")
	}
}

func cellsText(cells []Cell) string { return "(" + list(cells, cellText) + ")" }
