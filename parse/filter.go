package parse

import (
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
)

// filter reads `filter[author][name$contains]=Ann`, or an expression where it
// has no brackets. Every parameter is a filter of its own, but those of the list form `filter[x][]=` with one name
// are one filter, where the first of them stands (contract 4.2).
func (r *reader) filter(p Param, parts []string) {
	if len(parts) == 0 {
		r.where(p)
		return
	}
	listed := parts[len(parts)-1] == ""
	if at, ok := r.lists[p.Name]; ok && listed {
		f := &r.request.Filters[at]
		f.List = append(f.List, p.Value)
		return
	}
	if listed {
		parts = parts[:len(parts)-1]
	}
	path, ok := r.selectors(p.Name, parts)
	if !ok {
		return
	}
	f := Filter{Parameter: p.Name, Path: path, Value: p.Value}
	if listed {
		if r.lists == nil {
			r.lists = make(map[string]int)
		}
		r.lists[p.Name] = len(r.request.Filters)
		f.Value, f.List = "", []string{p.Value}
	}
	r.request.Filters = append(r.request.Filters, f)
}

// where reads `filter=or(eq(status,'open'),gt(viewCount,10))`, which may come
// once (contract 4.7).
func (r *reader) where(p Param) {
	if !r.first(jsonapi.InvalidFilter, p.Name, p.Name, "join its expressions with and(...)") {
		return
	}
	e, fault := expression(p.Value)
	if fault != nil {
		r.refuse(jsonapi.InvalidFilter, p.Name, "%s", fault)
		return
	}
	r.request.Where = e
}

func (r *reader) selectors(parameter string, parts []string) ([]Selector, bool) {
	if len(parts) == 0 {
		r.refuse(jsonapi.InvalidFilter, parameter, "The brackets are empty; write filter[field]=value.")
		return nil, false
	}
	path := make([]Selector, len(parts))
	for i, part := range parts {
		name, ops := operators(part)
		switch {
		case part == "":
			r.refuse(jsonapi.InvalidFilter, parameter, "Selector %d is empty; empty brackets stand only at the end, for a list.", i+1)
			return nil, false
		case name == "" && i > 0:
			r.refuse(jsonapi.InvalidFilter, parameter, "The operator %s has brackets of its own; it follows the name within one pair: [%s%s].", part, parts[i-1], part)
			return nil, false
		case name == "":
			r.refuse(jsonapi.InvalidFilter, parameter, "The operator %s follows no name; write filter[field%s]=value.", part, part)
			return nil, false
		case emptyOperator(ops):
			r.refuse(jsonapi.InvalidFilter, parameter, "The selector %q has a $ without an operator's name.", part)
			return nil, false
		}
		path[i] = Selector{Name: name, Operators: ops}
	}
	return path, true
}

// operators splits `comments$count$gt` into its name and what follows each `$`.
func operators(s string) (name string, ops []string) {
	name, rest, found := strings.Cut(s, "$")
	if !found {
		return name, nil
	}
	return name, strings.Split(rest, "$")
}

func emptyOperator(ops []string) bool {
	for _, op := range ops {
		if op == "" {
			return true
		}
	}
	return false
}
