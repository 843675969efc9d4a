package parse

import (
	"slices"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
)

// Query parses the query of a request to the target. Unknown, malformed and
// repeated parameters are refused, all in one answer (jsonapi.Errors) that
// holds the first 32.
//
// Parameters are separated by `&` alone, and empty ones between two `&` are
// passed over. Escapes, UTF-8 and brackets must be right (contract 4.1). Which
// parameters make sense on which target is not asked here.
func Query(t Target, raw string, o Options) (*Request, error) {
	r := reader{request: &Request{Target: t}, allow: o.Allow}
	if raw != "" {
		r.request.Params = make([]Param, 0, min(strings.Count(raw, "&")+1, roomAhead))
	}
	for part := range strings.SplitSeq(raw, "&") {
		if part != "" {
			r.parameter(part)
		}
	}
	if err := r.refused.Err(); err != nil {
		return nil, err
	}
	return r.request, nil
}

// roomAhead is the most elements that a list is given room for before they are
// read: a client may send nothing but separators.
const roomAhead = 16

// A reader gathers the request from its parameters, one after the other.
type reader struct {
	request *Request
	allow   []string
	once    tally          // of the parameters that may come once
	lists   map[string]int // the filter, by parameter, that `filter[x][]` adds to; nil: none
	refused jsonapi.Errors
}

func (r *reader) parameter(part string) {
	rawName, rawValue, _ := strings.Cut(part, "=")
	name, fault := queryUnescape(rawName)
	if fault != "" {
		r.refuse(jsonapi.InvalidParameter, printable(rawName), "The name of the parameter %s.", fault)
		return
	}
	value, fault := queryUnescape(rawValue)
	if fault != "" {
		r.refuse(jsonapi.InvalidParameter, name, "The value of the parameter %s.", fault)
		return
	}
	p := Param{Name: name, Value: value}
	var room [4]string // few names have more brackets
	head, parts, fault := brackets(name, room[:0])
	group, ours := groupOf(head)
	switch {
	case !ours && slices.Contains(r.allow, name):
		p.Group = OtherGroup
	case !ours:
		r.unknown(name, head)
		return
	case fault != "":
		r.refuse(jsonapi.InvalidParameter, name, "The name of the parameter %s.", fault)
		return
	default:
		p.Group = group
		r.read(p, parts)
	}
	r.request.Params = append(r.request.Params, p)
}

// groupOf returns the group of the parameters whose names begin with the word.
func groupOf(head string) (g Group, ours bool) {
	switch head {
	case "filter":
		return FilterGroup, true
	case "sort":
		return SortGroup, true
	case "page":
		return PageGroup, true
	case "include":
		return IncludeGroup, true
	case "fields":
		return FieldsGroup, true
	default:
		return OtherGroup, false
	}
}

func (r *reader) read(p Param, parts []string) {
	switch p.Group {
	case FilterGroup:
		r.filter(p, parts)
	case SortGroup:
		r.sort(p, parts)
	case PageGroup:
		r.page(p, parts)
	case IncludeGroup:
		r.include(p, parts)
	case FieldsGroup:
		r.fields(p, parts)
	default:
		panic("parse: a parameter of no group")
	}
}

// first reports whether a parameter that may come once comes for the first
// time under this key; it refuses it, once, when it comes again.
func (r *reader) first(code jsonapi.Code, parameter, key, advice string) bool {
	count := r.once.add(key)
	if count == 2 {
		r.refuse(code, parameter, "The parameter %s is given more than once; %s.", parameter, advice)
	}
	return count == 1
}

// page reads `page[limit]=10`, and, for an included relationship,
// `page[comments.replies][limit]=5` (contract 4.12). It keeps names and values
// as they came: what they ask is for the plan to say.
func (r *reader) page(p Param, parts []string) {
	if len(parts) == 0 {
		r.refuse(jsonapi.InvalidPage, p.Name, "The parameter page is written with a name in brackets: page[limit]=10.")
		return
	}
	if len(parts) > 2 {
		r.refuse(jsonapi.InvalidPage, p.Name, "The parameter page has two pairs of brackets at most, with a path and a name: page[comments.replies][limit].")
		return
	}
	param := PageParam{Parameter: p.Name, Name: parts[len(parts)-1], Value: p.Value}
	if len(parts) == 2 {
		path, ok := r.includePath(jsonapi.InvalidPage, p.Name, parts[0])
		if !ok {
			return
		}
		param.Path = path
	}
	switch {
	case param.Name == "":
		r.refuse(jsonapi.InvalidPage, p.Name, "The brackets are empty; write a name such as limit.")
	case r.first(jsonapi.InvalidPage, p.Name, p.Name, "give it once"):
		r.request.Page = append(r.request.Page, param)
	}
}

// unknown refuses a parameter that is neither ours nor the host's, with the
// name that was meant where that can be told.
func (r *reader) unknown(name, head string) {
	if len(r.refused) == jsonapi.MaxErrors {
		return
	}
	if name == "" {
		r.refuse(jsonapi.InvalidParameter, name, "A parameter has a value but no name.")
		return
	}
	if slices.Contains([]string{"limit", "offset", "size", "number"}, strings.ToLower(head)) {
		r.refuse(jsonapi.InvalidParameter, name, "There is no parameter %q; did you mean page[%s]?", name, strings.ToLower(head))
		return
	}
	if near, ok := jsonapi.Nearest(name, r.allow); ok {
		r.refuse(jsonapi.InvalidParameter, name, "There is no parameter %q; did you mean %s?", name, near)
		return
	}
	if near, ok := jsonapi.Nearest(head, []string{"filter", "sort", "page", "include", "fields"}); ok {
		r.refuse(jsonapi.InvalidParameter, name, "There is no parameter %q; did you mean %s?", name, near+strings.TrimPrefix(name, head))
		return
	}
	r.refuse(jsonapi.InvalidParameter, name, "There is no parameter %q; there are filter, sort, page, include and fields.", name)
}

// refuse notes a mistake. Past the bound nothing more is said: a query of nothing
// but commas would else be answered with a hundred times its length.
func (r *reader) refuse(code jsonapi.Code, parameter, format string, args ...any) {
	if len(r.refused) == jsonapi.MaxErrors {
		return
	}
	r.refused = append(r.refused, jsonapi.Errorf(code, jsonapi.Parameter(parameter), format, args...))
}
