package parse

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Query returns the request's parameters as a query in the order of links:
// filter, sort, page, include, fields, others, each group in order of
// appearance (contract 3.4). Parsing it gives the same request, but for the
// order of Params.
func (r *Request) Query() string {
	params := slices.Clone(r.Params)
	slices.SortStableFunc(params, func(a, b Param) int { return cmp.Compare(a.Group, b.Group) })
	return Encode(params)
}

// String prints the syntax tree, one node to a line, children indented under
// it. Equal requests print alike, and different ones differently. Values are
// quoted; names are where they are not plain.
func (r *Request) String() string {
	var p printer
	p.target(r.Target)
	for _, f := range r.Filters {
		p.filter(f)
	}
	if r.Where != nil {
		p.line(0, "expression")
		p.expr(1, r.Where)
	}
	if len(r.Sort) > 0 {
		p.line(0, "sort")
		p.sortKeys(r.Sort)
	}
	for _, sort := range r.SortOf {
		p.line(0, "sort", dotted(sort.Path))
		p.sortKeys(sort.Keys)
	}
	if r.Include != nil {
		p.line(0, "include")
		for _, path := range r.Include.Paths {
			p.line(1, dotted(path))
		}
	}
	for _, set := range r.Fields {
		p.line(0, "fields", plain(set.Type))
		for _, name := range set.Names {
			p.line(1, plain(name))
		}
	}
	for _, param := range r.Page {
		p.page(param)
	}
	for _, param := range r.Params {
		if param.Group == OtherGroup {
			p.line(0, "other", plain(param.Name), strconv.Quote(param.Value))
		}
	}
	p.write(r)
	return p.text.String()
}

type printer struct{ text strings.Builder }

func (p *printer) line(depth int, words ...string) {
	p.text.WriteString(strings.Repeat("  ", depth) + strings.Join(words, " ") + "\n")
}

func (p *printer) target(t Target) {
	p.line(0, t.Shape.String())
	if t.Shape == Atomic {
		return
	}
	p.line(1, "type", plain(t.Type))
	switch {
	case t.Shape == Collection:
	case t.LID != "":
		p.line(1, "lid", strconv.Quote(t.LID))
	default:
		p.line(1, "id", strconv.Quote(t.ID))
	}
	if t.Shape == Related || t.Shape == Relationship {
		p.line(1, "relationship", plain(t.Relationship))
	}
}

func (p *printer) filter(f Filter) {
	p.line(0, "filter")
	for _, s := range f.Path {
		p.line(1, plain(s.Name)+suffix(s.Operators))
	}
	if f.List == nil {
		p.line(1, "value", strconv.Quote(f.Value))
		return
	}
	p.line(1, "list")
	for _, v := range f.List {
		p.line(2, strconv.Quote(v))
	}
}

func (p *printer) expr(depth int, e Expr) {
	switch e := e.(type) {
	case *Call:
		p.line(depth, "call", plain(e.Name))
		for _, arg := range e.Args {
			p.expr(depth+1, arg)
		}
	case *Ref:
		p.line(depth, "path", dotted(e.Path))
	case *Lit:
		p.literal(depth, e)
	default:
		panic("parse: unknown kind of expression")
	}
}

func (p *printer) literal(depth int, l *Lit) {
	switch l.Kind {
	case StringLit:
		p.line(depth, "string", strconv.Quote(l.Text))
	case NumberLit:
		p.line(depth, "number", l.Text)
	case BoolLit:
		p.line(depth, "boolean", l.Text)
	case NullLit:
		p.line(depth, "null")
	default:
		panic("parse: unknown kind of literal")
	}
}

func (p *printer) sortKeys(keys []SortKey) {
	for _, key := range keys {
		p.line(1, direction(key), dotted(key.Path)+suffix(key.Operators))
	}
}

func (p *printer) page(param PageParam) {
	words := []string{"page"}
	if param.Path != nil {
		words = append(words, dotted(param.Path))
	}
	p.line(0, append(words, plain(param.Name), strconv.Quote(param.Value))...)
}

func direction(k SortKey) string {
	if k.Desc {
		return "descending"
	}
	return "ascending"
}

func dotted(path []string) string {
	quoted := make([]string, len(path))
	for i, name := range path {
		quoted[i] = plain(name)
	}
	return strings.Join(quoted, ".")
}

func suffix(operators []string) string {
	var b strings.Builder
	for _, op := range operators {
		b.WriteString(" $" + plain(op))
	}
	return b.String()
}

// plain returns a name as it is if it reads as one word, else quoted.
func plain(name string) string {
	for _, c := range name {
		if c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// String returns the word for the shape: collection, resource, related,
// relationship, operations.
func (s Shape) String() string {
	switch s {
	case Collection:
		return "collection"
	case Resource:
		return "resource"
	case Related:
		return "related"
	case Relationship:
		return "relationship"
	case Atomic:
		return "operations"
	default:
		return fmt.Sprintf("shape %d", uint8(s))
	}
}
