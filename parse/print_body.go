package parse

import (
	"fmt"
	"slices"
	"strconv"
)

// String prints the body, one node to a line, children indented under it, each
// with its pointer. Values are JSON without blanks. Equal bodies print alike, and
// different ones differently, but for what is passed over.
func (b *Body) String() string {
	var p printer
	p.body(b)
	return p.text.String()
}

// write prints what a request that writes has besides its target.
func (p *printer) write(r *Request) {
	if r.Verb != Fetch {
		p.line(0, "verb", r.Verb.String())
	}
	if r.Pointer != "" {
		p.line(0, "at", r.Pointer)
	}
	if m := r.Match; m != nil {
		words := []string{"match"}
		if m.Any {
			words = append(words, "any")
		}
		for _, row := range m.Rows {
			words = append(words, strconv.Quote(row))
		}
		p.line(0, words...)
	}
	if r.Body != nil {
		p.body(r.Body)
	}
}

func (p *printer) body(b *Body) {
	if b.Resource != nil {
		p.resource(b.Resource)
	}
	if b.Linkage != nil {
		p.linkage(0, b.Linkage)
	}
	if b.Upsert != nil {
		p.line(0, "upsert", strconv.Quote(b.Upsert.Pointer))
		for _, name := range b.Upsert.Fields {
			p.line(1, plain(name))
		}
	}
}

func (p *printer) resource(o *ResourceObject) {
	p.line(0, "resource", strconv.Quote(o.Pointer))
	p.line(1, "type", plain(o.Type))
	if o.ID != nil {
		p.line(1, "id", strconv.Quote(*o.ID))
	}
	if o.LID != "" {
		p.line(1, "lid", strconv.Quote(o.LID))
	}
	if o.HasAttributes {
		p.line(1, "attributes")
	}
	for _, a := range o.Attributes {
		p.attribute(a)
	}
	for _, r := range o.Relationships {
		p.line(1, "relationship", plain(r.Name), strconv.Quote(r.Pointer))
		p.linkage(2, &r.Linkage)
	}
}

func (p *printer) attribute(a Attribute) {
	value := slices.Clone(a.Value)
	must(value.Compact())
	p.line(2, plain(a.Name), strconv.Quote(a.Pointer), string(value))
	for _, n := range a.Notes {
		words := []string{"note", plain(n.Name)}
		if len(n.Path) > 0 {
			words = append(words, "at", dotted(n.Path))
		}
		p.line(3, words...)
	}
}

func (p *printer) linkage(depth int, l *Linkage) {
	form := "one"
	switch {
	case l.Many:
		form = "many"
	case len(l.Identifiers) == 0:
		form = "none"
	}
	p.line(depth, form, strconv.Quote(l.Pointer))
	for _, i := range l.Identifiers {
		words := []string{plain(i.Type), "id", strconv.Quote(i.ID)}
		if i.LID != "" {
			words = []string{plain(i.Type), "lid", strconv.Quote(i.LID)}
		}
		p.line(depth+1, append(words, strconv.Quote(i.Pointer))...)
	}
}

// String returns the word for the verb: fetch, create, update, delete, add,
// replace, remove.
func (v Verb) String() string {
	switch v {
	case Fetch:
		return "fetch"
	case Create:
		return "create"
	case Update:
		return "update"
	case Delete:
		return "delete"
	case Add:
		return "add"
	case Replace:
		return "replace"
	case Remove:
		return "remove"
	default:
		return fmt.Sprintf("verb %d", uint8(v))
	}
}
