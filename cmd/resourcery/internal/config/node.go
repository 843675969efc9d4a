package config

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// An entry is one key of a mapping and what stands under it.
type entry struct {
	key  string
	at   string // where the key stands
	node ast.Node
}

// entries returns the entries of a mapping in the order of the file; nothing,
// or a null, has none.
func (f *File) entries(node ast.Node) ([]entry, error) {
	var values []*ast.MappingValueNode
	switch n := node.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
		return nil, nil
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return nil, fmt.Errorf("%s: write `key: value` lines here", f.at(node.GetToken()))
	}
	var out []entry
	for _, v := range values {
		e := entry{at: f.at(v.Key.GetToken()), node: v.Value}
		key, ok := scalar(v.Key)
		if !ok {
			return nil, fmt.Errorf("%s: a key must be a plain name", e.at)
		}
		e.key = key
		if slices.ContainsFunc(out, func(other entry) bool { return other.key == key }) {
			return nil, fmt.Errorf("%s: %s is there twice", e.at, key)
		}
		out = append(out, e)
	}
	return out, nil
}

// items returns the value of a flag. Scalars keep their text, so that 010 or
// 1e3 mean the same here as on the command line.
func (f *File) items(e entry) ([]string, error) {
	if text, ok := scalar(e.node); ok {
		return []string{text}, nil
	}
	switch n := e.node.(type) {
	case *ast.SequenceNode:
		out := make([]string, len(n.Values))
		for i, v := range n.Values {
			text, ok := scalar(v)
			if !ok {
				return nil, fmt.Errorf("%s: the elements of %s must be single values", f.at(v.GetToken()), e.key)
			}
			out[i] = text
		}
		return out, nil
	case *ast.MappingNode, *ast.MappingValueNode:
		members, err := f.mapping(e)
		if err != nil {
			return nil, err
		}
		out := make([]string, 0, len(members))
		for name, text := range members {
			out = append(out, name+"="+text)
		}
		slices.Sort(out)
		return out, nil
	}
	return nil, fmt.Errorf("%s: %s needs a value; remove the key to leave it at its default", e.at, e.key)
}

// mapping returns a mapping of names to single values.
func (f *File) mapping(e entry) (map[string]string, error) {
	entries, err := f.entries(e.node)
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(entries))
	for _, m := range entries {
		text, ok := scalar(m.node)
		if !ok {
			return nil, fmt.Errorf("%s: %s.%s must be a single value", m.at, e.key, m.key)
		}
		out[m.key] = text
	}
	return out, nil
}

// scalar returns the text of a single value as it was written, unquoted. Nulls,
// anchors and aliases are none.
func scalar(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true
	}
	return "", false
}
