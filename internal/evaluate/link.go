package evaluate

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// An Address is what a document's links are made of.
type Address struct {
	Endpoint string
	Path     string      // of the request, escaped, with the type as it is served
	Params   []Parameter // of the request, in its order
	PageSize int         // the default limit
	Divider  string      // of compound ids
	// StringIDs has all ids as strings.
	StringIDs bool
}

// A Parameter is a query parameter, decoded.
type Parameter struct{ Name, Value string }

// idValue is an id as JSON carries it: a number for a key of one int2 or int4,
// else a string (contract 6.3, 10.6).
func (at Address) idValue(key []*schema.Field, values []any) any {
	text := identifier(key, values, at.Divider)
	if !at.StringIDs && len(key) == 1 && (key[0].Type.Base().Kind == schema.Int4 || key[0].Type.Base().Kind == schema.Int2) {
		return json.Number(text)
	}
	return text
}

// identifier joins the parts of an id, with the divider and `%` encoded in each
// part of a compound one (contract 1.5).
func identifier(key []*schema.Field, values []any, divider string) string {
	if len(key) == 1 {
		return plain(key[0].Type, values[0])
	}
	parts := make([]string, len(key))
	for i, f := range key {
		for _, b := range []byte(plain(f.Type, values[i])) {
			if b == '%' || strings.IndexByte(divider, b) >= 0 {
				parts[i] += fmt.Sprintf("%%%02X", b)
			} else {
				parts[i] += string([]byte{b})
			}
		}
	}
	return strings.Join(parts, divider)
}

func (w *writer) href(m *schema.Model, row Row) string {
	id := identifier(m.Key, keyOf(m.Key, row), w.at.Divider)
	return w.at.Endpoint + "/" + url.PathEscape(m.Type) + "/" + url.PathEscape(id)
}

// links returns the document's links. more says whether there are rows behind
// the page.
func (w *writer) links(t total, more bool) map[string]any {
	links := map[string]any{"self": w.address(w.at.Params)}
	switch w.read.Form {
	case plan.Linkage, plan.ToOneLinkage:
		links["related"] = w.at.Endpoint + strings.Replace(w.at.Path, "/relationships/", "/", 1)
	case plan.Collection, plan.Resource, plan.RelatedResource:
	}
	switch window := w.read.Query.Window; {
	case w.read.Form != plan.Collection && w.read.Form != plan.Linkage:
	case window.Keyset != nil:
		w.cursorLinks(links, more)
	case window.Limit > 0:
		w.pageLinks(links, t, more)
	}
	return links
}

func (w *writer) address(params []Parameter) string {
	text := make([]string, len(params))
	for i, p := range params {
		text[i] = url.QueryEscape(p.Name) + "=" + url.QueryEscape(p.Value)
	}
	link := w.at.Endpoint + w.at.Path
	if len(text) > 0 {
		link += "?" + strings.Join(text, "&")
	}
	return link
}

// paged is the request with another page. Links have their parameters in the
// order of contract 3.4, the page's own before what is said of other things.
func (w *writer) paged(page ...Parameter) string {
	var params []Parameter
	for _, group := range []string{"filter", "sort", "page", "include", "fields"} {
		if group == "page" {
			params = append(params, page...)
		}
		for _, p := range w.at.Params {
			name, rest, _ := strings.Cut(p.Name, "[")
			own := name == "page" && !strings.Contains(rest, "][") && rest != "total]"
			if name == group && !own {
				params = append(params, p)
			}
		}
	}
	return w.address(params)
}
