package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/resourcery/resourcery/schema"
)

// object is a JSON object.
type object map[string]any

func (o object) String() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// identifier is a resource identifier with one of the ids.
func (a *asker) identifier(m *schema.Model) object {
	typ := m.Type
	if a.one(40) {
		typ = a.model().Type
	}
	return object{"type": typ, "id": a.id(m)}
}

func (a *asker) linkage(rel *schema.Relationship) any {
	if a.one(40) {
		return either[any](a, nil, []any{}, "x", object{})
	}
	if !rel.Many {
		if a.one(6) {
			return nil
		}
		return a.identifier(rel.Target)
	}
	list := []any{}
	for range a.IntN(4) {
		list = append(list, a.identifier(rel.Target))
	}
	return list
}

// attribute is a value for the attribute, mostly one that fits.
func (a *asker) attribute(m *schema.Model, f *schema.Field) any {
	switch {
	case f.Name == "tenant_id" || f.Name == "team_tenant":
		return either(a, "acme", "acme", "acme", "acme", "acme", "acme", "blue", "grey")
	case a.one(25):
		return either[any](a, nil, "abc", 5, -5, true, []any{}, object{"a": 1}, "")
	case a.one(6) && f.Type.Base().Kind == schema.Text:
		a.fresh++
		return fmt.Sprintf("text %d", a.fresh)
	}
	if v, found := a.stored(m, f.Name); found {
		return v
	}
	return nil
}

// attributes are some of the model's, all that a new row needs among them.
func (a *asker) attributes(m *schema.Model, created bool) object {
	out := object{}
	for _, f := range m.Attributes {
		switch {
		case f.Name == "tenant_id" && a.one(8), f.Name == "team_tenant" && created:
			out[f.Name] = a.attribute(m, f)
		case f.Name == "tenant_id", f.ReadOnly && !a.one(60):
		case created && !f.Nullable && !f.Default && !a.one(15), a.one(4):
			out[f.Name] = a.attribute(m, f)
		}
	}
	for _, f := range m.Attributes { // most texts that must be unique are new ones
		if _, set := out[f.Name]; set && (f.Name == "email" || f.Name == "slug" || m.Type == "label" && f.Name == "name") && !a.one(5) {
			a.fresh++
			out[f.Name] = fmt.Sprintf("new-%d", a.fresh)
		}
	}
	return out
}

// resource is a resource object for the model, without its id.
func (a *asker) resource(m *schema.Model, created bool) object {
	out := object{"type": m.Type}
	attributes := a.attributes(m, created)
	if relationships := (object{}); a.one(3) {
		for range 1 + a.IntN(2) {
			rel := either(a, m.Relationships...)
			relationships[rel.Name] = object{"data": a.linkage(rel)}
			if rel.Own && !a.one(10) {
				for _, f := range rel.From {
					delete(attributes, f.Name)
				}
			}
		}
		out["relationships"] = relationships
	}
	if len(attributes) > 0 {
		out["attributes"] = attributes
	}
	return out
}

// newcomer is a resource object for a create. Its id, where it has one, is not
// one of the other tenant's: whether that is taken is told.
func (a *asker) newcomer(m *schema.Model) object {
	out := a.resource(m, true)
	switch {
	case len(m.Key) > 1 && a.one(3):
		out["id"] = a.id(m)
	case len(m.Key) == 1 && a.one(6):
		out["id"] = either(a, a.made(m), either(a, a.known[m.Type].own...), "abc")
	}
	return out
}

// create makes a POST of a resource, some with meta for an upsert.
func (a *asker) create() wish {
	m := a.model()
	data := a.newcomer(m)
	body := object{"data": data}
	if a.one(4) {
		match := a.match(m)
		body["meta"] = object{"operation": "upsert", "matchFields": match}
		a.complete(m, data, match)
	}
	return a.written("POST", "/"+m.Type+a.answered(m), body)
}

// match are the fields of a unique key, or others.
func (a *asker) match(m *schema.Model) []string {
	if a.one(10) || len(m.Unique) == 0 {
		return []string{either(a, m.Attributes...).Name}
	}
	var names []string
	for _, f := range either(a, m.Unique...).Fields {
		if len(m.Key) == 1 && f == m.Key[0] {
			return []string{"id"}
		}
		names = append(names, f.Name)
	}
	return names
}

// complete adds what an upsert looks for to its data, most of the time: values
// of the tenant's own rows, or new ones.
func (a *asker) complete(m *schema.Model, data object, match []string) {
	attributes, ok := data["attributes"].(object)
	if !ok || a.one(10) {
		return
	}
	for _, name := range match {
		switch values := a.known[m.Type].ownValues[name]; {
		case name == "id":
			data["id"] = either(a, a.made(m), either(a, a.known[m.Type].own...))
		case name == "tenant_id":
			attributes[name] = either(a, "acme", "acme", "acme", "acme", "blue")
		case attributes[name] == nil && len(values) > 0:
			attributes[name] = either(a, values...)
		}
	}
}

// answered are parameters about the answer of a write.
func (a *asker) answered(m *schema.Model) string {
	if !a.one(5) {
		return ""
	}
	return "?include=" + either(a, m.Relationships...).Name + either(a, "", "&fields["+m.Type+"]="+a.names(m))
}

func (a *asker) written(method, path string, body any) wish {
	w := wish{method: method, path: path, header: http.Header{}}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		w.body = string(text)
		w.header.Set("Content-Type", either(a, "application/vnd.api+json", "application/json"))
	}
	if a.one(20) && len(a.tagged) > 0 && method != "POST" {
		w.header.Set("If-Match", either(a, either(a, a.tagged...).tag, "*"))
	}
	return w
}

func (a *asker) update() wish {
	m := a.model()
	id := a.id(m)
	data := a.resource(m, false)
	if !a.one(5) {
		data["id"] = id
	}
	return a.written(either(a, "PATCH", "PATCH", "PUT"), "/"+m.Type+"/"+url.PathEscape(id)+a.answered(m), object{"data": data})
}

func (a *asker) remove() wish {
	m := a.model()
	return a.written("DELETE", "/"+m.Type+"/"+url.PathEscape(a.id(m)), nil)
}

func (a *asker) relate() wish {
	m := a.model()
	rel := either(a, m.Relationships...)
	path := "/" + m.Type + "/" + url.PathEscape(a.id(m)) + "/relationships/" + rel.Name
	methods := []string{"PATCH", "PUT"}
	if rel.Many || a.one(20) {
		methods = []string{"POST", "PATCH", "DELETE"}
	}
	return a.written(either(a, methods...), path, object{"data": a.linkage(rel)})
}

// operations makes a request of up to four operations, later ones of which may
// name what earlier ones made.
func (a *asker) operations() wish {
	var list []any
	var made []object
	for n := range 1 + a.IntN(4) {
		m := a.model()
		rel := either(a, m.Relationships...)
		switch a.IntN(5) {
		case 0, 1:
			data := a.newcomer(m)
			if _, set := data["id"]; !set && a.one(2) {
				data["lid"] = fmt.Sprint("l", n)
				made = append(made, object{"type": m.Type, "lid": data["lid"]})
			}
			list = append(list, object{"op": "add", "data": data})
		case 2:
			data := a.resource(m, false)
			data["id"] = a.id(m)
			list = append(list, object{"op": "update", "data": data})
		case 3:
			list = append(list, object{"op": "remove", "ref": a.identifier(m)})
		default:
			ref := a.identifier(m)
			ref["relationship"] = rel.Name
			data := a.linkage(rel)
			if members, ok := data.([]any); ok {
				for _, x := range made {
					if x["type"] == rel.Target.Type {
						data = append(members, x)
					}
				}
			}
			ops := []string{"update"}
			if rel.Many || a.one(20) {
				ops = []string{"add", "update", "remove"}
			}
			list = append(list, object{"op": either(a, ops...), "ref": ref, "data": data})
		}
	}
	w := a.written("POST", "/operations", object{"atomic:operations": list})
	w.header.Set("Content-Type", atomicType)
	w.header.Set("Accept", either(a, atomicType, "*/*"))
	return w
}

// spoiled makes a request that is wrong in one of many ways.
func (a *asker) spoiled() wish {
	m := a.model()
	w := either(a, a.read, a.create, a.update, a.relate, a.operations)()
	switch a.IntN(7) {
	case 0:
		w.body = w.body[:a.IntN(len(w.body)+1)]
	case 1:
		w.path = strings.Replace(w.path, m.Type, either(a, "nothing", "operations", strings.ToUpper(m.Type)), 1)
	case 2:
		w.path += either(a, "?", "&") + either(a, "fliter[x]=1", "sort=nothing", "page[limit]=0", "include=a.b", "fields[x]=y", "filter[=1", "filter=eq(", "page[after]=abc")
	case 3:
		w.method = either(a, "GET", "POST", "DELETE", "OPTIONS", "TRACE", "PATCH")
	case 4:
		w.header = http.Header{"Content-Type": {either(a, "text/plain", "application/vnd.api+json; charset=utf-8")}}
	case 5:
		w.path += "/" + either(a, either(a, m.Relationships...).Name, "relationships", "x/y")
	default:
		w.body = strings.Replace(w.body, `"data"`, either(a, `"dada"`, `"data":1,"data"`), 1)
	}
	return w
}
