package sqlgen

import (
	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// keyset keeps the rows after one cursor and before the other (contract 4.11). The
// result are conditions of which each row fulfils one at most; nil: no cursor
// bounds the rows.
func (s *selection) keyset(q *plan.Query) []sq.And {
	var either []sq.And
	k := q.Window.Keyset
	if k != nil && k.After != nil && len(k.After.Parts) > 0 {
		either = both(either, s.beyond(q.Order, k.After.Parts, forward))
	}
	if k != nil && k.Before != nil && len(k.Before.Parts) > 0 {
		either = both(either, s.beyond(q.Order, k.Before.Parts, backward))
	}
	return either
}

// both keeps the rows that fulfil one condition of each list; nil holds for all.
func both(a []sq.And, b []sq.Sqlizer) []sq.And {
	if a == nil {
		a = []sq.And{{}}
	}
	var out []sq.And
	for _, x := range a {
		for _, y := range b {
			out = append(out, append(x[:len(x):len(x)], y))
		}
	}
	return out
}

// beyond are the rows past a cursor. Where the first key is a column that comes to
// an end in NULLs, these are a condition of their own: no index is entered at a
// value for both.
func (s *selection) beyond(order []plan.Order, parts []plan.CursorPart, d direction) []sq.Sqlizer {
	first := s.place(order[0], parts[0], d)
	field, own := order[0].Term.(plan.FieldTerm)
	own = own && len(field.Path) == 0
	if first.value == nil || first.desc || !first.nullable || !own {
		return []sq.Sqlizer{s.pastFrom(first, order, parts, d)}
	}
	null := sq.Expr(first.null, first.key)
	first.nullable = false
	return []sq.Sqlizer{s.pastFrom(first, order, parts, d), null}
}

// A direction is that in which rows are read. Backward turns every sort key
// around, its NULLs with it.
type direction bool

const (
	forward  direction = false
	backward direction = true
)

// past holds for the rows that come after a cursor. Each sort key but the last
// bounds its rows by itself, so that an index is entered at the cursor, and ties
// are left to the keys after it:
//
//	a >= $1 AND (a > $1 OR b > $2)
func (s *selection) past(order []plan.Order, parts []plan.CursorPart, d direction) sq.Sqlizer {
	return s.pastFrom(s.place(order[0], parts[0], d), order, parts, d)
}

func (s *selection) pastFrom(place place, order []plan.Order, parts []plan.CursorPart, d direction) sq.Sqlizer {
	if len(order) == 1 {
		return orNone(place.after())
	}
	rest := s.past(order[1:], parts[1:], d)
	beyond := rest
	if after := place.after(); after != nil {
		beyond = sq.Or{after, rest}
	}
	if from := place.from(); from != nil {
		return sq.And{from, beyond}
	}
	return beyond
}

// orNone is a condition, or one that never holds where there is none.
func orNone(c sq.Sqlizer) sq.Sqlizer {
	if c == nil {
		return text("false")
	}
	return c
}

// A place is the value of one sort key at which rows are cut. Ascending, NULLs
// come last; descending, first.
type place struct {
	key      sq.Sqlizer
	typ      *schema.Type
	value    sq.Sqlizer // nil: NULL
	desc     bool
	nullable bool
	// null and present are the tests for NULL. Of composites IS NULL asks for
	// NULL members as well.
	null, present string
}

func (s *selection) place(o plan.Order, part plan.CursorPart, d direction) place {
	t := comparedType(o.Term.Type())
	p := place{
		key: text(s.comparedTerm(o.Term)), typ: t, desc: o.Desc != bool(d), nullable: nullable(o.Term),
		null: "? IS NULL", present: "? IS NOT NULL",
	}
	if t.Kind == schema.Composite {
		p.null, p.present = "? IS NOT DISTINCT FROM NULL", "? IS DISTINCT FROM NULL"
	}
	if !part.Null {
		p.value = value(part.Slot, t)
	}
	return p
}

// after holds for the rows whose key comes after the place; nil: for none.
func (p place) after() sq.Sqlizer {
	switch {
	case p.value == nil && p.desc:
		return sq.Expr(p.present, p.key)
	case p.value == nil:
		return nil
	case p.desc:
		return p.compared("<")
	default:
		return p.orNull(p.compared(">"))
	}
}

// from holds for the rows whose key is at the place or after it; nil: for all.
func (p place) from() sq.Sqlizer {
	switch {
	case p.value == nil && p.desc:
		return nil
	case p.value == nil:
		return sq.Expr(p.null, p.key)
	case p.desc:
		return p.compared("<=")
	default:
		return p.orNull(p.compared(">="))
	}
}

// compared compares the key with the value.
func (p place) compared(op string) sq.Sqlizer {
	return sq.Expr("? "+operator(op, p.typ)+" ?", p.key, p.value)
}

// orNull adds the rows without a value, which come last.
func (p place) orNull(c sq.Sqlizer) sq.Sqlizer {
	if !p.nullable {
		return c
	}
	return sq.Or{c, sq.Expr(p.null, p.key)}
}

// nullable reports whether a sort key may have no value.
func nullable(t plan.Term) bool {
	switch t := t.(type) {
	case plan.FieldTerm:
		return len(t.Path) > 0 || t.Field.Nullable
	case plan.CountTerm:
		return len(t.Path) > 0
	default:
		panic("sqlgen: rows are sorted by fields and counts")
	}
}

// comparedTerm is a sort key as it is compared with values.
func (s *selection) comparedTerm(t plan.Term) string {
	return comparable(s.sortTerm(t), t.Type())
}

// comparedType is the type of comparedTerm.
func comparedType(t *schema.Type) *schema.Type {
	b := t.Base()
	if b.Kind == schema.Array && b.Elem.Kind == schema.Domain {
		return &schema.Type{Kind: schema.Array, Schema: b.Schema, Name: b.Name, Elem: b.Elem.Base()}
	}
	return b
}

// cursorColumns adds the columns whose values make the cursor of a row. Arrays
// and composites come in the text form that Postgres reads again.
func (s *selection) cursorColumns(order []plan.Order) []int {
	out := make([]int, len(order))
	for i, o := range order {
		expr, t := s.sortTerm(o.Term), o.Term.Type()
		switch t.Base().Kind {
		case schema.Array, schema.Composite:
			expr, t = expr+"::text", plainText
		}
		out[i] = s.columns.add(expr, t)
	}
	return out
}
