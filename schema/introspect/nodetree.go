package introspect

import (
	"fmt"
	"strings"
)

// A node is one node of a stored expression, as Postgres prints its trees:
// {KIND :field value ...}. Values are nodes, lists or atoms.
type node struct {
	kind   string
	fields []field
}

// A field is one member of a node. Of values that have several words, as those
// of constants have, atom is the first.
type field struct {
	name string
	atom string
	sub  *node
	list []*node // the nodes of a list; what else a list holds is of no use here
}

// parseTree reads the text of a pg_node_tree: a node, or a list of them.
func parseTree(text string) ([]*node, error) {
	p := &treeParser{text: text}
	var nodes []*node
	for p.next(); p.token != ""; p.next() {
		switch p.token {
		case "{":
			nodes = append(nodes, p.node())
		case "(", ")", "<>":
		default:
			return nil, fmt.Errorf("read an expression of the catalogue: %q where a node should be", p.token)
		}
		if p.broken {
			return nil, fmt.Errorf("read an expression of the catalogue: it ends too early")
		}
	}
	return nodes, nil
}

type treeParser struct {
	text   string
	token  string // "" at the end
	broken bool
}

// next reads a token: a bracket, or what stands between blanks and brackets,
// where a backslash keeps its next character from being either.
func (p *treeParser) next() {
	p.text = strings.TrimLeft(p.text, " \n\t")
	if p.text == "" {
		p.token = ""
		return
	}
	end := 0
	for end < len(p.text) && !strings.ContainsRune(" \n\t(){}", rune(p.text[end])) {
		if p.text[end] == '\\' {
			end++
		}
		end++
	}
	end = min(max(end, 1), len(p.text))
	p.token, p.text = p.text[:end], p.text[end:]
}

// node reads the rest of a node whose bracket is the current token, up to its
// closing one.
func (p *treeParser) node() *node {
	p.next()
	n := &node{kind: p.token}
	for p.next(); p.token != "}"; p.next() {
		switch {
		case p.token == "":
			p.broken = true
			return n
		case p.token[0] == ':':
			n.fields = append(n.fields, field{name: p.token[1:]})
		case len(n.fields) > 0:
			p.value(&n.fields[len(n.fields)-1])
		}
	}
	return n
}

// value reads the value, or one more word of it, that the current token begins.
func (p *treeParser) value(f *field) {
	switch p.token {
	case "{":
		f.sub = p.node()
	case "(":
		f.list = append(f.list, p.list()...)
	default:
		if f.atom == "" {
			f.atom = p.token
		}
	}
}

func (p *treeParser) list() []*node {
	var nodes []*node
	for p.next(); p.token != ")"; p.next() {
		switch p.token {
		case "":
			p.broken = true
			return nodes
		case "{":
			nodes = append(nodes, p.node())
		case "(":
			nodes = append(nodes, p.list()...)
		}
	}
	return nodes
}

// number returns the value of a field that is a number, 0 where there is none.
func (n *node) number(name string) uint32 {
	var v uint32
	for _, f := range n.fields {
		if f.name == name {
			_, _ = fmt.Sscan(f.atom, &v) // no number is 0
		}
	}
	return v
}

func (n *node) atom(name string) string {
	for _, f := range n.fields {
		if f.name == name {
			return f.atom
		}
	}
	return ""
}

func (n *node) child(name string) *node {
	for _, f := range n.fields {
		if f.name == name {
			return f.sub
		}
	}
	return nil
}

func (n *node) items(name string) []*node {
	for _, f := range n.fields {
		if f.name == name {
			return f.list
		}
	}
	return nil
}

// children returns the nodes right below, in the order of the text.
func (n *node) children() []*node {
	var out []*node
	for _, f := range n.fields {
		if f.sub != nil {
			out = append(out, f.sub)
		}
		out = append(out, f.list...)
	}
	return out
}

// visit calls f for the node and all below it, for as long as f asks to go on
// below.
func (n *node) visit(f func(*node) bool) {
	if !f(n) {
		return
	}
	for _, c := range n.children() {
		c.visit(f)
	}
}
