package sqlgen

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A shape spells a plan's tree as a short binary string: ordinals of the
// schema, numbers and tags. Two trees of one schema have the same spelling
// exactly where they give the same SQL, parameters and columns.
type shape struct{ b []byte }

var shapes = sync.Pool{New: func() any { return new(shape) }}

func (s *shape) reset()         { s.b = s.b[:0] }
func (s *shape) String() string { return string(s.b) }

// lookup returns the spelling without copying it: for looking up only, before
// the next change.
func (s *shape) lookup() string { return unsafe.String(unsafe.SliceData(s.b), len(s.b)) }

func (s *shape) tag(b byte) { s.b = append(s.b, b) }
func (s *shape) number(n int) {
	s.b = binary.AppendVarint(s.b, int64(n))
}

func (s *shape) flag(b bool) {
	if b {
		s.tag(1)
	} else {
		s.tag(0)
	}
}

func (s *shape) action(a plan.Action) {
	switch a := a.(type) {
	case *plan.Read:
		s.tag('r')
		s.read(a)
	case *plan.Create:
		s.tag('c')
		s.write(&a.Write)
		s.upsert(a.Upsert)
	case *plan.Update:
		s.tag('u')
		s.write(&a.Write)
		s.cells(a.Key)
		s.match(a.Match)
	case *plan.Delete:
		s.tag('d')
		s.schemaOf(a.Model)
		s.number(a.Model.Ordinal)
		s.cells(a.Key)
		s.match(a.Match)
	default:
		panic("sqlgen: an action that is compiled whole")
	}
}

func (s *shape) read(r *plan.Read) {
	s.schemaOf(r.Query.Model)
	s.flag(r.Parent != nil)
	if r.Parent != nil {
		s.relationship(r.Parent.Relationship)
		s.slots(r.Parent.Key)
	}
	s.query(r.Query)
}

func (s *shape) schemaOf(m *schema.Model) { s.number(int(m.Schema().Generation())) }

func (s *shape) relationship(r *schema.Relationship) {
	s.number(r.Model.Ordinal)
	s.number(r.Ordinal)
}

func (s *shape) slots(slots []plan.Slot) {
	for _, slot := range slots {
		s.number(int(slot))
	}
}

func (s *shape) query(q *plan.Query) {
	s.rows(q)
	s.number(len(q.Where))
	for _, c := range q.Where {
		s.cond(c)
	}
	s.number(len(q.Order))
	for _, o := range q.Order {
		s.order(o)
	}
	s.window(q.Window)
	s.number(int(q.Total.Kind))
	s.number(q.Total.Limit)
	s.number(len(q.Digest))
	for _, f := range q.Digest {
		s.number(f.Ordinal)
	}
	s.number(len(q.Edges))
	for _, e := range q.Edges {
		s.relationship(e.Relationship)
		s.flag(e.Silent)
		s.number(e.Rank)
		s.query(e.Query)
	}
}

func (s *shape) window(w plan.Window) {
	s.number(w.Cap)
	s.number(w.Limit)
	s.number(int(w.Offset))
	s.flag(w.More)
	s.flag(w.Keyset != nil)
	if w.Keyset != nil {
		s.flag(w.Keyset.Backward())
		s.cursor(w.Keyset.After)
		s.cursor(w.Keyset.Before)
	}
}

func (s *shape) cursor(c *plan.Cursor) {
	if c == nil {
		s.number(0)
		return
	}
	s.number(len(c.Parts))
	for _, p := range c.Parts {
		s.flag(p.Null)
		s.number(int(p.Slot))
	}
}

// rows spells what a query's rows show.
func (s *shape) rows(q *plan.Query) {
	s.number(q.Model.Ordinal)
	s.number(len(q.Fields))
	for _, f := range q.Fields {
		s.number(f.Ordinal)
	}
	s.number(len(q.Relationships))
	for _, r := range q.Relationships {
		s.number(r.Ordinal)
	}
}

func (s *shape) order(o plan.Order) {
	s.term(o.Term)
	s.flag(o.Desc)
}

func (s *shape) path(path []*schema.Relationship) {
	s.number(len(path))
	for _, r := range path {
		s.number(r.Ordinal)
	}
}

func (s *shape) term(t plan.Term) {
	switch t := t.(type) {
	case plan.FieldTerm:
		s.tag('f')
		s.path(t.Path)
		s.number(t.Field.Ordinal)
	case plan.JSONTerm:
		s.tag('j')
		s.number(t.Field.Ordinal)
		s.number(int(t.Keys))
		s.flag(t.Number)
	case plan.CountTerm:
		s.tag('n')
		s.path(t.Path)
		s.number(t.Relationship.Ordinal)
	default:
		panic("sqlgen: a term of no known type")
	}
}

// name spells a text so that no other follows from what comes after it.
func (s *shape) name(text string) {
	s.number(len(text))
	s.b = append(s.b, text...)
}

func (s *shape) cond(c plan.Cond) {
	switch c := c.(type) {
	case *plan.And:
		s.conds('&', c.Conds)
	case *plan.Or:
		s.conds('|', c.Conds)
	case *plan.Not:
		s.tag('!')
		s.cond(c.Cond)
	case *plan.Compare:
		s.tag('c')
		s.term(c.Left)
		s.name(c.Operator.Name)
		s.name(c.Config)
		s.operand(c.Operand)
	case *plan.Keys:
		s.tag('k')
		s.number(len(c.Fields))
		for _, f := range c.Fields {
			s.number(f.Ordinal)
		}
		for _, t := range c.Types {
			s.typ(t)
		}
		s.slots(c.Slots)
	case *plan.Some:
		s.quantified('s', c.Relationship, c.Cond)
	case *plan.None:
		s.quantified('0', c.Relationship, c.Cond)
	case *plan.Every:
		s.quantified('e', c.Relationship, c.Cond)
	case *plan.WrittenRow:
		s.tag('w')
		s.number(c.Number)
	default:
		panic("sqlgen: a condition of no known type")
	}
}

func (s *shape) quantified(tag byte, rel *schema.Relationship, c plan.Cond) {
	s.tag(tag)
	s.number(rel.Ordinal)
	s.flag(c != nil)
	if c != nil {
		s.cond(c)
	}
}

func (s *shape) conds(tag byte, conds []plan.Cond) {
	s.tag(tag)
	s.number(len(conds))
	for _, c := range conds {
		s.cond(c)
	}
}

func (s *shape) operand(o plan.Operand) {
	switch o := o.(type) {
	case plan.Nothing:
		s.tag('-')
	case plan.One:
		s.tag('1')
		s.number(int(o.Slot))
		s.typ(o.Type)
	case plan.Any:
		s.tag('*')
		s.number(int(o.Slot))
		s.typ(o.Type)
	case plan.Two:
		s.tag('2')
		s.number(int(o.Low))
		s.number(int(o.High))
		s.typ(o.Type)
	case plan.Truth:
		s.tag('t')
		s.flag(bool(o))
	case plan.Other:
		s.tag('o')
		s.term(o.Term)
	default:
		panic("sqlgen: an operand of no known type")
	}
}

// typ spells the type of a value: a foreign key may be compared as itself, or
// with an id of another type.
func (s *shape) typ(t *schema.Type) {
	t = t.Base()
	s.name(t.Schema)
	s.name(t.Name)
}

// loneEdge spells an edge apart from its page: the keys that it starts from, the
// numbers that it may give, what its rows show and where its own edges start.
func (s *shape) loneEdge(e *plan.Edge, keys []int, next int) {
	s.schemaOf(e.Relationship.Model)
	s.relationship(e.Relationship)
	s.flag(e.Silent)
	s.number(next)
	for _, k := range keys {
		s.number(k)
	}
	s.rows(e.Query)
	s.window(e.Query.Window)
	s.number(len(e.Query.Order))
	for _, o := range e.Query.Order {
		s.order(o)
	}
	s.number(len(e.Query.Edges))
	for _, child := range e.Query.Edges {
		s.relationship(child.Relationship)
	}
}
