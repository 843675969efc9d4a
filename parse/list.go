package parse

import (
	"fmt"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
)

const joined = "join its values with commas"

// sort reads `sort=-createdAt,author.name`, and, for the members of an included
// relationship, `sort[comments.replies]=-createdAt` (contract 4.9, 4.12).
func (r *reader) sort(p Param, parts []string) {
	switch {
	case len(parts) > 1:
		r.refuse(jsonapi.InvalidSort, p.Name, "The parameter sort has one pair of brackets at most, with a path: sort[comments.replies].")
		return
	case !r.first(jsonapi.InvalidSort, p.Name, p.Name, joined):
		return
	case len(parts) == 0:
		r.request.Sort = r.sortKeys(p)
		return
	}
	path, ok := r.includePath(jsonapi.InvalidSort, p.Name, parts[0])
	if keys := r.sortKeys(p); ok {
		r.request.SortOf = append(r.request.SortOf, RelatedSort{Parameter: p.Name, Path: path, Keys: keys})
	}
}

// sortKeys reads the list of keys, without those that it refuses.
func (r *reader) sortKeys(p Param) (keys []SortKey) {
	if p.Value == "" {
		r.refuse(jsonapi.InvalidSort, p.Name, "The parameter is empty; name a field, or leave it out.")
		return nil
	}
	for element := range strings.SplitSeq(p.Value, ",") {
		key, fault := sortKey(element)
		if fault != "" {
			r.refuse(jsonapi.InvalidSort, p.Name, "The sort key %q %s.", element, fault)
			continue
		}
		keys = append(keys, key)
	}
	return keys
}

// includePath reads the brackets that say of which included relationship a
// parameter is: `comments.replies`.
func (r *reader) includePath(code jsonapi.Code, parameter, text string) ([]string, bool) {
	if text == "" {
		r.refuse(code, parameter, "The brackets are empty; they hold the path of an included relationship.")
		return nil, false
	}
	path := strings.Split(text, ".")
	for _, name := range path {
		switch {
		case name == "":
			r.refuse(code, parameter, "The path %q has an empty name beside a dot.", text)
			return nil, false
		case strings.TrimSpace(name) != name:
			r.refuse(code, parameter, "The path %q has a blank around a name.", text)
			return nil, false
		}
	}
	return path, true
}

func sortKey(element string) (key SortKey, fault string) {
	rest, desc := strings.CutPrefix(element, "-")
	if element != "" && rest == "" {
		return key, "has no name after the minus"
	}
	if strings.HasPrefix(rest, " ") {
		return key, "starts with a blank, which a + in a URL is too; ascending order has no sign"
	}
	path, fault := appendNames(nil, rest)
	if fault != "" {
		return key, fault
	}
	last := len(path) - 1
	for _, step := range path[:last] {
		if strings.Contains(step, "$") {
			return key, fmt.Sprintf("has an operator on %q; operators follow the last name", step)
		}
	}
	name, ops := operators(path[last])
	switch {
	case name == "":
		return key, "has an operator without a name before it"
	case emptyOperator(ops):
		return key, "has a $ without an operator's name"
	}
	path[last] = name
	return SortKey{Path: path, Operators: ops, Desc: desc}, ""
}

// include reads `include=author,comments.author`; an empty one asks for the
// member without members.
func (r *reader) include(p Param, parts []string) {
	switch {
	case len(parts) > 0:
		r.refuse(jsonapi.InvalidInclude, p.Name, "The parameter include has no brackets; write include=author,comments.")
		return
	case !r.first(jsonapi.InvalidInclude, p.Name, p.Name, joined):
		return
	}
	r.request.Include = &Include{}
	if p.Value == "" {
		return
	}
	r.request.Include.Paths = r.includePaths(p)
}

// includePaths reads the list of paths, without those that it refuses. Their
// names stand in one array.
func (r *reader) includePaths(p Param) [][]string {
	elements := min(strings.Count(p.Value, ",")+1, roomAhead)
	paths := make([][]string, 0, elements)
	room := make([]string, 0, elements+min(strings.Count(p.Value, "."), roomAhead))
	for element := range strings.SplitSeq(p.Value, ",") {
		all, fault := appendNames(room, element)
		if fault != "" {
			r.refuse(jsonapi.InvalidInclude, p.Name, "The include path %q %s.", element, fault)
			continue
		}
		paths = append(paths, all[len(room):len(all):len(all)])
		room = all
	}
	return paths
}

// fields reads `fields[post]=title,author`; an empty one asks for no field.
func (r *reader) fields(p Param, parts []string) {
	switch {
	case len(parts) == 0:
		r.refuse(jsonapi.InvalidFields, p.Name, "The parameter fields is written with a type in brackets: fields[type]=%s.", p.Value)
		return
	case len(parts) > 1:
		r.refuse(jsonapi.InvalidFields, p.Name, "The parameter fields has one pair of brackets, with a type: fields[%s].", parts[0])
		return
	case parts[0] == "":
		r.refuse(jsonapi.InvalidFields, p.Name, "The brackets are empty; write fields[type]=field.")
		return
	}
	// Types match in any case (contract 1.3), so `fields[Post]` repeats `fields[post]`.
	if !r.first(jsonapi.InvalidFields, p.Name, strings.ToLower(p.Name), joined) {
		return
	}
	set := Fieldset{Parameter: p.Name, Type: parts[0]}
	if p.Value != "" {
		for name := range strings.SplitSeq(p.Value, ",") {
			if fault := nameFault(name); fault != "" {
				r.refuse(jsonapi.InvalidFields, p.Name, "The field %q %s.", name, fault)
				continue
			}
			set.Names = append(set.Names, name)
		}
	}
	r.request.Fields = append(r.request.Fields, set)
}

// appendNames splits a dotted path and appends its names to dst.
func appendNames(dst []string, path string) (names []string, fault string) {
	if path == "" {
		return nil, nameFault("")
	}
	for name := range strings.SplitSeq(path, ".") {
		if name == "" {
			return nil, "has an empty name beside a dot"
		}
		if fault := nameFault(name); fault != "" {
			return nil, fault
		}
		dst = append(dst, name)
	}
	return dst, ""
}

// nameFault says what keeps an element of a list from being a name. Blanks
// around it are a slip that a lookup would only call unknown.
func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty; there is one comma too many"
	case strings.TrimSpace(name) != name:
		return "has a blank around a name; elements are joined by commas alone"
	}
	return ""
}
