package plan

import (
	"fmt"
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// String prints the plan, one node to a line: first the shape, in which values
// are slots, then the values with their sources. The form is for people and
// for goldens.
func (p *Plan) String() string {
	w := &printer{}
	w.action(p.Action)
	for i, v := range p.Values {
		at := ""
		if source := p.Sources[i].String(); source != "" {
			at = "  from " + source
		}
		w.line("$%d = %s%s", i, valueText(v), at)
	}
	return w.b.String()
}

func (w *printer) action(a Action) {
	switch a := a.(type) {
	case *Read:
		w.read(a)
	case *Create:
		w.create(a)
	case *Update:
		w.update(a)
	case *Delete:
		w.delete(a)
	case *Batch:
		for i, op := range a.Operations {
			w.line("operation %d", i+1)
			w.within(func() { w.lines(op.String()) })
		}
	default:
		panic("plan: an action of no known type")
	}
}

// lines prints a text of several lines where the printer is.
func (w *printer) lines(text string) {
	for line := range strings.Lines(text) {
		w.line("%s", strings.TrimSuffix(line, "\n"))
	}
}

// valueText prints one value: strings and bytes quoted, lists in brackets.
func valueText(v any) string {
	switch v.(type) {
	case nil:
		return "NULL"
	case string, []byte, []string, [][]byte:
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}

type printer struct {
	b     strings.Builder
	depth int
}

func (w *printer) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// within prints what stands under the last line.
func (w *printer) within(print func()) {
	w.depth++
	print()
	w.depth--
}

func (w *printer) read(r *Read) {
	w.line("read %s", r.Form)
	w.within(func() {
		if r.Parent != nil {
			w.line("under %s %s", r.Parent.Relationship, slotsText(r.Parent.Key))
		}
		if r.Members {
			w.line("members are included")
		}
		w.query(r.Query)
		if r.Included {
			w.line("included at most %d", r.MaxIncluded)
		}
	})
}

// String names the form as plans print it.
func (f Form) String() string {
	return [...]string{
		Collection: "collection", Resource: "resource", RelatedResource: "related resource",
		Linkage: "linkage", ToOneLinkage: "to-one linkage",
	}[f]
}

func (w *printer) query(q *Query) {
	w.line("query %s", q.Model.Type)
	w.within(func() {
		w.line("attributes %s", list(q.Fields, func(f *schema.Field) string { return f.Name }))
		w.line("relationships %s", list(q.Relationships, func(r *schema.Relationship) string { return r.Name }))
		for _, c := range q.Where {
			w.cond("where ", c)
		}
		w.line("order %s", list(q.Order, orderText))
		w.window(q.Window)
		w.total(q.Total)
		if len(q.Digest) > 0 {
			w.line("digest %s", list(q.Digest, func(f *schema.Field) string { return f.Name }))
		}
		for _, e := range q.Edges {
			w.edge(e)
		}
	})
}

func (w *printer) window(p Window) {
	if p.Keyset != nil {
		w.line("pages follow cursors")
		w.cursor("after", p.Keyset.After, "the start")
		w.cursor("before", p.Keyset.Before, "the end")
	}
	if p.Number {
		w.line("pages are numbered")
	}
	if p.Limit > 0 {
		w.line("limit %d", p.Limit)
	}
	if p.Offset != NoSlot {
		w.line("offset %s", slotText(p.Offset))
	}
	if p.More {
		w.line("ask for more")
	}
}

func (w *printer) cursor(lead string, c *Cursor, bound string) {
	switch {
	case c == nil:
	case len(c.Parts) == 0:
		w.line("%s %s", lead, bound)
	default:
		w.line("%s (%s)", lead, list(c.Parts, partText))
	}
}

func partText(p CursorPart) string {
	if p.Null {
		return "null"
	}
	return slotText(p.Slot)
}

func (w *printer) total(t Total) {
	switch t.Kind {
	case NoTotal:
	case ExactTotal:
		w.line("total exact")
	case BoundedTotal:
		w.line("total up to %d", t.Limit)
	case EstimateTotal:
		w.line("total estimated")
	default:
		panic("plan: a total of no known kind")
	}
}

func (w *printer) edge(e *Edge) {
	if e.Silent {
		w.line("edge %s for linkage", e.Relationship)
	} else {
		w.line("edge %s", e.Relationship)
	}
	w.within(func() { w.query(e.Query) })
}

func orderText(o Order) string {
	if o.Desc {
		return "-" + termText(o.Term)
	}
	return termText(o.Term)
}

func termText(t Term) string {
	switch t := t.(type) {
	case FieldTerm:
		return pathText(t.Path) + t.Field.Name
	case JSONTerm:
		text := t.Field.Name + "#" + slotText(t.Keys)
		if t.Number {
			return "number(" + text + ")"
		}
		return text
	case CountTerm:
		return "count(" + pathText(t.Path) + t.Relationship.Name + ")"
	default:
		panic("plan: a term of no known type")
	}
}

func pathText(path []*schema.Relationship) string {
	var b strings.Builder
	for _, r := range path {
		b.WriteString(r.Name + ".")
	}
	return b.String()
}

func (w *printer) cond(lead string, c Cond) {
	switch c := c.(type) {
	case *And:
		w.conds(lead+"and", c.Conds)
	case *Or:
		w.conds(lead+"or", c.Conds)
	case *Not:
		w.conds(lead+"not", []Cond{c.Cond})
	case *Compare:
		w.line("%s%s(%s%s)", lead, c.Operator.Name, termText(c.Left), operandText(c.Operand))
	case *Keys:
		w.line("%skeys(%s) in %s", lead, list(c.Fields, func(f *schema.Field) string { return f.Name }), slotsText(c.Slots))
	case *Some:
		w.quantified(lead+"some", c.Relationship, c.Cond)
	case *None:
		w.quantified(lead+"none", c.Relationship, c.Cond)
	case *Every:
		w.quantified(lead+"every", c.Relationship, c.Cond)
	case *WrittenRow:
		w.line("%sthe written row", lead)
	default:
		panic("plan: a condition of no known type")
	}
}

func (w *printer) quantified(head string, rel *schema.Relationship, c Cond) {
	w.line("%s %s", head, rel)
	if c != nil {
		w.within(func() { w.cond("", c) })
	}
}

func (w *printer) conds(head string, conds []Cond) {
	w.line("%s", head)
	w.within(func() {
		for _, c := range conds {
			w.cond("", c)
		}
	})
}

// operandText prints an operand as the further arguments of a call.
func operandText(o Operand) string {
	switch o := o.(type) {
	case Nothing:
		return ""
	case One:
		return ", " + slotText(o.Slot)
	case Any:
		return ", any of " + slotText(o.Slot)
	case Two:
		return ", " + slotText(o.Low) + ", " + slotText(o.High)
	case Truth:
		return fmt.Sprintf(", %t", bool(o))
	case Other:
		return ", " + termText(o.Term)
	default:
		panic("plan: an operand of no known type")
	}
}

func slotText(s Slot) string { return fmt.Sprintf("$%d", s) }

func slotsText(slots []Slot) string { return "(" + list(slots, slotText) + ")" }

func list[T any](items []T, text func(T) string) string {
	if len(items) == 0 {
		return "none"
	}
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = text(item)
	}
	return strings.Join(out, ", ")
}
