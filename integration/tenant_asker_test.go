package integration

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/schema"
)

// An asker writes random requests of all kinds about the tables of two tenants,
// with names of the schema, values that rows of either tenant have, and the
// addresses and entity tags of earlier answers. What it never does is listed
// with TestTenantsMeet.
type asker struct {
	*rand.Rand
	schema *schema.Schema
	known  map[string]*rows // by type
	pages  []string         // links of earlier answers
	tagged []tagged
	fresh  int
}

// tagged is an earlier answer that had an entity tag.
type tagged struct{ path, tag string }

// rows are what an asker knows of a type.
type rows struct {
	own, foreign             []string                     // ids
	ownValues, foreignValues map[string][]json.RawMessage // by attribute
}

// A wish is a request of the asker's.
type wish struct {
	method, path string
	body         string
	header       http.Header
}

func (w wish) String() string {
	return fmt.Sprintf("%s %s\n%v\n%s", w.method, w.path, w.header, w.body)
}

func newAsker(t *testing.T, seed uint64, alone, shared *site) *asker {
	t.Helper()
	a := &asker{Rand: rand.New(rand.NewPCG(seed, 7)), schema: alone.schema, known: make(map[string]*rows)}
	for _, m := range a.schema.Models() {
		r := &rows{ownValues: make(map[string][]json.RawMessage), foreignValues: make(map[string][]json.RawMessage)}
		r.own = seenBy(t, alone, acme, m, r.ownValues)
		r.foreign = slices.DeleteFunc(seenBy(t, shared, blue, m, r.foreignValues), func(id string) bool { return slices.Contains(r.own, id) })
		a.known[m.Type] = r
	}
	return a
}

var (
	acme = caller{role: "reader", claims: map[string]any{"tenant_id": "acme"}}
	blue = caller{role: "reader", claims: map[string]any{"tenant_id": "blue"}}
)

// seenBy returns the ids that a tenant sees of a type, and adds the values.
func seenBy(t *testing.T, s *site, who caller, m *schema.Model, values map[string][]json.RawMessage) []string {
	t.Helper()
	_, body := s.request(t, who, "/"+m.Type+"?page[limit]=1000")
	var d struct {
		Data []struct {
			ID         any
			Attributes map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &d); err != nil || len(d.Data) == 0 {
		t.Fatalf("%s: %v\n%.500s", m.Type, err, body)
	}
	var ids []string
	for _, x := range d.Data {
		ids = append(ids, fmt.Sprint(x.ID))
		for name, v := range x.Attributes {
			if !strings.Contains(string(v), marker) {
				values[name] = append(values[name], v)
			}
		}
	}
	return ids
}

func (a *asker) one(n int) bool { return a.IntN(n) == 0 }

func either[T any](a *asker, list ...T) T { return list[a.IntN(len(list))] }

// wish makes a request of any kind.
func (a *asker) wish() wish {
	switch n := a.IntN(21); {
	case n < 9:
		return a.read()
	case n > 19 && len(a.tagged) > 0:
		return a.again()
	case n < 10 && len(a.pages) > 0:
		return wish{method: "GET", path: either(a, a.pages...), header: http.Header{}}
	case n < 12:
		return a.create()
	case n < 14:
		return a.update()
	case n < 15:
		return a.remove()
	case n < 18:
		return a.relate()
	case n < 19:
		return a.operations()
	default:
		return a.spoiled()
	}
}

func (a *asker) model() *schema.Model { return either(a, a.schema.Models()...) }

// id is one of the tenant's own, of the other's, of a row made meanwhile, of
// none, or nonsense.
func (a *asker) id(m *schema.Model) string {
	r := a.known[m.Type]
	switch n := a.IntN(20); {
	case n < 13:
		return either(a, r.own...)
	case n < 17 && len(r.foreign) > 0:
		return either(a, r.foreign...)
	case n < 18:
		return a.made(m)
	case n < 19:
		return either(a, "7", "77777777", "00000000-0000-4000-8000-00000000fffe", "acme_77", "acme_1_77777", "12_acme_5")
	default:
		return either(a, "abc", "-1", "a_b_c_d", "%00", "1e3", "99999999999999999999", "acme")
	}
}

// made is the id of a row that a sequence may have numbered.
func (a *asker) made(m *schema.Model) string {
	n := 1000000 + a.IntN(12)
	if len(m.Key) == 1 && m.Key[0].Type.Base().Kind == schema.UUID {
		return fmt.Sprintf("00000000-0000-4000-8000-%012x", n)
	}
	return fmt.Sprint(n)
}

// stored is a value that a row has for the attribute, of the tenant's own or
// now and then of the other's; false: there is none.
func (a *asker) stored(m *schema.Model, name string) (json.RawMessage, bool) {
	values := a.known[m.Type].ownValues[name]
	if foreign := a.known[m.Type].foreignValues[name]; len(foreign) > 0 && a.one(6) {
		values = foreign
	}
	if len(values) == 0 {
		return nil, false
	}
	return either(a, values...), true
}

// value is one for the attribute, as filters spell it.
func (a *asker) value(m *schema.Model, name string) string {
	v, found := a.stored(m, name)
	if !found || a.one(12) {
		return either(a, "", "a", "%", "0", "-3", "1e400", "null", "{", "bread", "true", "2024-01-05T00:00:00Z", "acme", "blue", "x\\", "'")
	}
	var text string
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(v, &list) == nil && len(list) > 0 {
		v = either(a, list...)
		if json.Unmarshal(v, &text) == nil {
			return text
		}
	}
	return string(v)
}

// read makes a GET or HEAD of any path.
func (a *asker) read() wish {
	m := a.model()
	w := wish{method: either(a, "GET", "GET", "GET", "GET", "GET", "HEAD"), path: "/" + m.Type, header: http.Header{}}
	from, of, many := m, m, true
	switch n := a.IntN(8); {
	case n < 4:
	case n < 5:
		w.path += "/" + url.PathEscape(a.id(m))
		many = a.one(20)
	default:
		rel := either(a, m.Relationships...)
		w.path += "/" + url.PathEscape(a.id(m)) + either(a, "/", "/relationships/") + rel.Name
		of, many = rel.Target, rel.Many || a.one(20)
		if !strings.Contains(w.path, "/relationships/") {
			from = rel.Target
		}
	}
	var params []string
	if many {
		for range either(a, 0, 0, 1, 1, 2, 3) {
			params = append(params, a.filter(of))
		}
		if a.one(4) {
			params = append(params, "filter="+url.QueryEscape(a.expression(of, 3)))
		}
		params = append(params, a.sort(of)...)
		params = append(params, a.page()...)
	}
	params = append(params, a.include(from)...)
	if a.one(5) {
		params = append(params, "fields["+from.Type+"]="+a.names(from))
	}
	if len(params) > 0 {
		w.path += "?" + strings.Join(params, "&")
	}
	if a.one(30) {
		w.header.Set("Accept", either(a, "text/html", "*/*", `application/vnd.api+json; profile="https://jsonapi.org/profiles/ethanresnick/cursor-pagination/"`))
	}
	return w
}

// The operators of contract 4.2 and 4.4, with those that fit few types apart.
var (
	operators = []string{
		"", "", "", "$ne", "$in", "$nin", "$lt", "$lte", "$gt", "$gte", "$between", "$isNull",
	}
	textOperators  = []string{"$contains", "$icontains", "$startsWith", "$istartsWith", "$endsWith", "$iendsWith", "$search", "$matches"}
	arrayOperators = []string{"$has", "$hasEvery", "$hasSome", "$isEmpty"}
)

// again asks for a resource once more, or writes it, on condition that it is
// as it was.
func (a *asker) again() wish {
	from := either(a, a.tagged...)
	path, _, _ := strings.Cut(from.path, "?")
	typ, id, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	m, ok := a.schema.Model(typ)
	id, err := url.PathUnescape(id)
	if ok = ok && err == nil && !strings.Contains(id, "/"); ok && a.one(2) {
		data := a.resource(m, false)
		data["id"] = id
		w := a.written("PATCH", path, object{"data": data})
		w.header.Set("If-Match", either(a, from.tag, "*"))
		return w
	}
	return wish{method: either(a, "GET", "GET", "HEAD"), path: from.path, header: http.Header{"If-None-Match": {from.tag}}}
}

// operator is one that fits the type, or rarely any, or none.
func (a *asker) operator(t *schema.Type) string {
	if a.one(15) {
		return either(a, slices.Concat(textOperators, arrayOperators, []string{"$nope"})...)
	}
	switch base := t.Base(); base.Kind {
	case schema.Text:
		if base.Name == "tsvector" {
			return "$search"
		}
		return either(a, slices.Concat(operators, textOperators)...)
	case schema.Array, schema.Range:
		return either(a, slices.Concat(operators[:5], arrayOperators)...)
	default:
		return either(a, operators...)
	}
}

func (a *asker) filter(m *schema.Model) string {
	name, value := "filter", ""
	for a.one(3) {
		rel := either(a, m.Relationships...)
		name += "[" + rel.Name
		m = rel.Target
		if rel.Many {
			switch a.IntN(6) {
			case 0:
				return name + either(a, "$count$gt", "$count$lte", "$count") + "]=" + either(a, "0", "1", "2", "3")
			case 1:
				name += either(a, "$none", "$every")
			}
		}
		name += "]"
	}
	switch n := a.IntN(10); {
	case n == 0:
		name, value = name+"[id"+either(a, "", "$ne")+"]", a.id(m)
	case n == 1 || len(m.Attributes) == 0:
		rel := either(a, m.Relationships...)
		name, value = name+"["+rel.Name+either(a, "", "$none", "$isNull")+"]", either(a, a.id(rel.Target), a.id(rel.Target)+","+a.id(rel.Target), "true")
	default:
		f := either(a, m.Attributes...)
		op := a.operator(f.Type)
		name, value = name+"["+f.Name, a.value(m, f.Name)
		if f.Type.Base().Kind == schema.JSONB && a.one(2) {
			name += either(a, "][level", "][address][city", "][open", "][none")
			value = either(a, "3", "Oslo", "true", "x")
		}
		name += op + "]"
		switch op {
		case "$in", "$nin", "$between", "$hasSome", "$hasEvery", "":
			if a.one(2) || op == "$between" {
				value += "," + a.value(m, f.Name)
			}
		case "$isNull", "$isEmpty":
			value = either(a, "true", "false")
		}
	}
	return name + "=" + url.QueryEscape(value)
}

// expression is one of the form of contract 4.7, depth levels deep.
func (a *asker) expression(m *schema.Model, depth int) string {
	if depth > 0 {
		switch a.IntN(5) {
		case 0:
			return either(a, "and", "or") + "(" + a.expression(m, depth-1) + "," + a.expression(m, depth-1) + ")"
		case 1:
			return "not(" + a.expression(m, depth-1) + ")"
		case 2:
			rel := either(a, m.Relationships...)
			if rel.Many {
				return either(a, "some", "none", "every") + "(" + rel.Name + "," + a.expression(rel.Target, depth-1) + ")"
			}
		}
	}
	path := ""
	for a.one(4) {
		rel := either(a, m.Relationships...)
		if rel.Many {
			return either(a, "gt", "lte", "eq") + "(count(" + path + rel.Name + ")," + either(a, "0", "1", "2") + ")"
		}
		path, m = path+rel.Name+".", rel.Target
	}
	f := either(a, m.Attributes...)
	if a.one(6) {
		return either(a, "gt", "eq", "lt") + "(" + path + f.Name + "," + either(a, m.Attributes...).Name + ")"
	}
	op := cmp.Or(strings.TrimPrefix(a.operator(f.Type), "$"), "eq")
	operands := []string{path + f.Name}
	for range operandsOf(op) {
		operands = append(operands, "'"+strings.ReplaceAll(a.value(m, f.Name), "'", "''")+"'")
	}
	return op + "(" + strings.Join(operands, ",") + ")"
}

// operandsOf is how many values an operator is given.
func operandsOf(op string) int {
	switch op {
	case "isNull", "isEmpty":
		return 0
	case "between", "in", "nin", "hasSome":
		return 2
	default:
		return 1
	}
}

func (a *asker) sort(m *schema.Model) []string {
	var keys []string
	for range either(a, 0, 0, 1, 1, 2) {
		of, key := m, either(a, "", "-")
		for a.one(4) {
			rel := either(a, of.Relationships...)
			key += rel.Name
			if rel.Many {
				key += "$count"
			} else if a.one(2) {
				key, of = key+".", rel.Target
				continue
			}
			of = nil
			break
		}
		if of != nil && len(of.Attributes) > 0 {
			key += either(a, either(a, of.Attributes...).Name, "id")
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil
	}
	return []string{"sort=" + strings.Join(keys, ",")}
}

func (a *asker) page() []string {
	var out []string
	switch a.IntN(8) {
	case 0, 1:
		out = append(out, fmt.Sprintf("page[limit]=%d", 1+a.IntN(50)))
	case 2:
		out = append(out, fmt.Sprintf("page[limit]=%d&page[offset]=%d", 1+a.IntN(10), a.IntN(50)))
	case 3:
		out = append(out, fmt.Sprintf("page[number]=%d&page[size]=%d", 1+a.IntN(9), 1+a.IntN(9)))
	case 4:
		out = append(out, fmt.Sprintf("page[size]=%d&page[after]=", 1+a.IntN(9)))
	}
	if a.one(3) {
		out = append(out, "page[total]="+either(a, "none", "estimate", "estimate", "exact", "5", "35", "-1"))
	}
	return out
}

// include makes up to three paths, with windows on some.
func (a *asker) include(m *schema.Model) []string {
	if a.one(2) {
		return nil
	}
	var paths, windows []string
	for range 1 + a.IntN(3) {
		of := m
		var steps []string
		for range 1 + a.IntN(3) {
			rel := either(a, of.Relationships...)
			steps, of = append(steps, rel.Name), rel.Target
			if path := strings.Join(steps, "."); rel.Many && a.one(4) {
				windows = append(windows, fmt.Sprintf("page[%s][limit]=%d", path, 1+a.IntN(3)))
				if a.one(2) {
					windows = append(windows, "sort["+path+"]="+either(a, "-", "")+either(a, either(a, of.Attributes...).Name, "id"))
				}
			}
			paths = append(paths, strings.Join(steps, "."))
		}
	}
	slices.Sort(windows)
	return append([]string{"include=" + strings.Join(paths, ",")}, slices.Compact(windows)...)
}

func (a *asker) names(m *schema.Model) string {
	var names []string
	for range a.IntN(4) {
		names = append(names, either(a, either(a, m.Attributes...).Name, either(a, m.Relationships...).Name))
	}
	return strings.Join(names, ",")
}
