package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/parse"
)

// A method is a request method that a path has, and what it does there.
type method struct {
	name string
	verb parse.Verb
}

// methodsOf are the methods of each form of a path, but for OPTIONS, which all
// have, in the order in which Allow lists them (contract 2.1, 2.2). The verb of
// the operations' path is not used: each operation has its own.
var methodsOf = map[parse.Shape][]method{
	parse.Collection: {
		{http.MethodGet, parse.Fetch}, {http.MethodHead, parse.Fetch}, {http.MethodPost, parse.Create},
	},
	parse.Resource: {
		{http.MethodGet, parse.Fetch}, {http.MethodHead, parse.Fetch},
		{http.MethodPatch, parse.Update}, {http.MethodPut, parse.Update}, {http.MethodDelete, parse.Delete},
	},
	parse.Related: {
		{http.MethodGet, parse.Fetch}, {http.MethodHead, parse.Fetch},
		{http.MethodPatch, parse.Replace}, {http.MethodPut, parse.Replace},
	},
	parse.Relationship: {
		{http.MethodGet, parse.Fetch}, {http.MethodHead, parse.Fetch}, {http.MethodPost, parse.Add},
		{http.MethodPatch, parse.Replace}, {http.MethodPut, parse.Replace}, {http.MethodDelete, parse.Remove},
	},
	parse.Atomic: {
		{http.MethodPost, parse.Create},
	},
}

// methods returns the methods that a path of the shape has. JSON:API knows no
// PUT (contract 10.6).
func (s *rest) methods(shape parse.Shape) []method {
	all := methodsOf[shape]
	if !s.strict {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(m method) bool { return m.name == http.MethodPut })
}

// findMethod returns the method of that name.
func findMethod(methods []method, name string) (method, bool) {
	i := slices.IndexFunc(methods, func(m method) bool { return m.name == name })
	if i < 0 {
		return method{}, false
	}
	return methods[i], true
}

// withVerbs returns those methods that do one of these things.
func withVerbs(methods []method, verbs []parse.Verb) []method {
	var out []method
	for _, m := range methods {
		if slices.Contains(verbs, m.verb) {
			out = append(out, m)
		}
	}
	return out
}

// allow lists methods, and OPTIONS, for the Allow header.
func allow(methods []method) string {
	names := make([]string, 0, len(methods)+1)
	for _, m := range methods {
		names = append(names, m.name)
	}
	return strings.Join(append(names, http.MethodOptions), ", ")
}
