package sqlgen

import (
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// write spells what creates and updates have in common.
func (s *shape) write(w *plan.Write) {
	s.schemaOf(w.Model)
	s.number(w.Model.Ordinal)
	s.number(len(w.Set))
	for _, a := range w.Set {
		s.number(a.Field.Ordinal)
		s.cell(a.Value)
	}
	s.number(len(w.Targets))
	for _, t := range w.Targets {
		s.number(t.Model.Ordinal)
		s.fields(t.Fields)
		for _, typ := range t.Types {
			s.typ(typ)
		}
		s.slots(t.Keys)
	}
	s.number(len(w.Members))
	for _, m := range w.Members {
		s.relationship(m.Relationship)
		s.number(int(m.Change))
		s.slots(m.Keys)
		s.number(len(m.Made))
		for _, op := range m.Made {
			s.number(op)
		}
		s.linked(m.Moved)
	}
	s.fields(w.Kept)
	s.linked(w.Linked)
	s.number(w.Number)
	s.flag(w.Answer != nil)
	if w.Answer != nil {
		s.read(w.Answer)
	}
}

func (s *shape) linked(all []plan.Linked) {
	s.number(len(all))
	for _, l := range all {
		s.number(l.Reference.Ordinal)
		s.flag(l.Stays)
		s.flag(l.Blind)
	}
}

func (s *shape) fields(fields []*schema.Field) {
	s.number(len(fields))
	for _, f := range fields {
		s.number(f.Ordinal)
	}
}

func (s *shape) upsert(u *plan.Upsert) {
	s.flag(u != nil)
	if u != nil {
		s.fields(u.Match)
		s.fields(u.Set)
	}
}

func (s *shape) match(m *plan.Match) {
	s.flag(m != nil)
	if m != nil {
		s.fields(m.Digest)
		s.number(int(m.Rows))
	}
}

func (s *shape) cells(cells []plan.Cell) {
	s.number(len(cells))
	for _, c := range cells {
		s.cell(c)
	}
}

func (s *shape) cell(c plan.Cell) {
	switch c := c.(type) {
	case *plan.Given:
		s.tag('g')
		s.number(int(c.Slot))
		s.typ(c.Type)
	case *plan.Made:
		s.tag('m')
		s.number(c.Number)
		s.number(c.Field.Ordinal)
		s.typ(c.Field.Type)
	case *plan.Looked:
		s.tag('l')
		s.number(c.Model.Ordinal)
		s.number(c.Field.Ordinal)
		s.cells(c.Key)
	default:
		panic("sqlgen: a cell of no known type")
	}
}
