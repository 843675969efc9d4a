package evaluate_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A request is an address in the making. Each parameter knows whether it is
// right, so that refusals are foreseen without asking the product.
type request struct {
	path   string
	params []parameter
	wrong  string // the code with which the path is refused, "" for a right one

	// What the path says: the model, the values of the id, the relationship, and
	// whether its linkage is asked for.
	model   *schema.Model
	id      []any
	rel     *schema.Relationship
	linkage bool

	profile bool // Accept asks for the profile of cursors
}

type parameter struct {
	name     string
	values   []string     // more than one of the list form `filter[x][]`
	wrong    string       // the code with which it is refused, "" for a right one
	means    meaning      // of a filter that is right
	order    []plan.Order // of a sort
	path     string       // of the included relationship that it is about
	include  [][]*schema.Relationship
	fieldset *schema.Model // whose fields it chooses
}

// parameter returns the first value of the parameter of that name.
func (r request) parameter(name string) (string, bool) {
	for _, p := range r.params {
		if p.name == name {
			return p.values[0], true
		}
	}
	return "", false
}

func (r request) url() string {
	var query []string
	for _, p := range r.parameters() {
		query = append(query, url.QueryEscape(p.Name)+"="+url.QueryEscape(p.Value))
	}
	if len(query) == 0 {
		return r.path
	}
	return r.path + "?" + strings.Join(query, "&")
}

// codes are those with which the request must be refused.
func (r request) codes() []string {
	if r.wrong != "" {
		return []string{r.wrong}
	}
	var codes []string
	for _, p := range r.params {
		if p.wrong != "" {
			codes = append(codes, p.wrong)
		}
	}
	return codes
}

func (r request) parameters() []evaluate.Parameter {
	var out []evaluate.Parameter
	for _, p := range r.params {
		for _, v := range p.values {
			out = append(out, evaluate.Parameter{Name: p.name, Value: v})
		}
	}
	return out
}

// A client makes requests to a world as one role.
type client struct {
	*world
	role string
	view *schema.View
}

// model is one that the role may read.
func (c client) model() *schema.ModelView {
	models := c.view.Schema().Models()
	for {
		if mv := c.view.Of(models[c.Intn(len(models))]); mv.Readable {
			return mv
		}
	}
}

// one is true once in n times.
func (c client) one(n int) bool { return c.Intn(n) == 0 }

func pick[T any](c client, list []T) T { return list[c.Intn(len(list))] }

// request makes one of any form.
func (c client) request() request {
	mv := c.model()
	r := request{path: "/" + url.PathEscape(mv.Model.Type), model: mv.Model}
	if c.one(20) {
		r.path = "/" + url.PathEscape(strings.ToUpper(mv.Model.Type))
	}
	if c.one(100) {
		r.path, r.wrong = "/nothing", "unsupported-model"
		return r
	}
	if hidden := pick(c, c.view.Schema().Models()); !c.view.Of(hidden).Readable && c.one(3) {
		r.path, r.wrong = "/"+url.PathEscape(hidden.Type), "forbidden"
		return r
	}
	primary, start, many := mv, mv, true
	if id, values := c.idOf(mv.Model); c.one(2) && carried(id) {
		r.path, r.id = r.path+"/"+url.PathEscape(id), values
		many = false
		if len(mv.Relationships) > 0 && !c.one(3) {
			rel := pick(c, mv.Relationships)
			r.rel, many, primary = rel, rel.Many, c.view.Of(rel.Target)
			if c.one(2) {
				r.path += "/relationships/" + url.PathEscape(rel.Name)
				r.linkage, start = true, nil
				c.relationshipParams(&r, rel)
			} else {
				r.path += "/" + url.PathEscape(rel.Name)
				start = primary
			}
		} else if c.one(30) {
			r.path, r.wrong = r.path+"/nothing", "unsupported-relationship"
			return r
		}
	}
	c.params(&r, primary, start, many)
	r.profile = c.one(5)
	c.Shuffle(len(r.params), func(i, j int) { r.params[i], r.params[j] = r.params[j], r.params[i] })
	return r
}

// carried reports whether paths can carry the id.
func carried(id string) bool { return id != "" && id != "." && id != ".." }

func (r *request) add(name, value, wrong string) {
	r.params = append(r.params, parameter{name: name, values: []string{value}, wrong: wrong})
}

// params adds the parameters that the target takes, and a misplaced one rarely.
func (c client) params(r *request, mv, start *schema.ModelView, many bool) {
	if many {
		for n := []int{0, 0, 0, 1, 1, 1, 2, 3}[c.Intn(8)]; n > 0; n-- {
			c.filter(r, mv)
		}
		if c.one(3) {
			r.params = append(r.params, c.expression(mv))
		}
		if c.one(2) {
			r.params = append(r.params, c.sort(mv, "sort"))
		}
		c.page(r)
		c.total(r)
	} else if c.one(40) {
		r.add("sort", "id", "invalid-parameter")
	}
	if start != nil && c.one(2) {
		include, paths := c.include(start)
		r.params = append(r.params, include)
		c.windows(r, paths)
	}
	if c.one(4) {
		r.params = append(r.params, c.fields())
	}
	if c.one(80) {
		r.add("fliter[id]", "1", "invalid-parameter")
	}
}

// relationshipParams adds what a relationship read may include: paths start at
// the parent.
func (c client) relationshipParams(r *request, rel *schema.Relationship) {
	if !c.one(3) {
		return
	}
	p := parameter{name: "include", values: []string{rel.Name}, include: [][]*schema.Relationship{{rel}}}
	var deeper []included
	if target := c.view.Of(rel.Target); len(target.Relationships) > 0 && c.one(2) {
		next := pick(c, target.Relationships)
		path := rel.Name + "." + next.Name
		p.values[0] += "," + path
		p.include = append(p.include, []*schema.Relationship{rel, next})
		deeper = append(deeper, included{path, next})
	}
	r.params = append(r.params, p)
	c.windows(r, deeper)
	if c.one(30) {
		r.add("page["+rel.Name+"][limit]", "1", "invalid-page")
	}
}

// sort makes up to three keys.
func (c client) sort(mv *schema.ModelView, name string) parameter {
	p := parameter{name: name}
	var keys []string
	for range 1 + c.Intn(3) {
		key, order := c.sortKey(mv, "", nil)
		if order == nil {
			p.wrong = "invalid-sort"
		}
		if c.one(2) {
			key = "-" + key
			for i := range order {
				order[i].Desc = true
			}
		}
		keys, p.order = append(keys, key), append(p.order, order...)
	}
	p.values = []string{strings.Join(keys, ",")}
	p.order = byKey(mv.Model, p.order)
	return p
}

// byKey breaks ties by the id, in the direction of the last key (contract 4.9).
func byKey(m *schema.Model, order []plan.Order) []plan.Order {
	desc := len(order) > 0 && order[len(order)-1].Desc
	for _, f := range m.Key {
		sorted := slices.ContainsFunc(order, func(o plan.Order) bool {
			t, ok := o.Term.(plan.FieldTerm)
			return ok && t.Field == f && len(t.Path) == 0
		})
		if !sorted {
			order = append(order, plan.Order{Term: plan.FieldTerm{Field: f}, Desc: desc})
		}
	}
	return order
}

// sortKey makes a key and what it means, nil for a wrong one.
func (c client) sortKey(mv *schema.ModelView, prefix string, path []*schema.Relationship) (string, []plan.Order) {
	if c.one(50) {
		return prefix + "nothing", nil
	}
	if len(mv.Relationships) > 0 && c.one(3) {
		rel := pick(c, mv.Relationships)
		further := append(slices.Clone(path), rel)
		switch {
		case rel.Many && c.one(10):
			return prefix + rel.Name, nil
		case rel.Many:
			return prefix + rel.Name + "$count", []plan.Order{{Term: plan.CountTerm{Path: path, Relationship: rel}}}
		case c.one(2) && rel.Own && rel.ByID:
			return prefix + rel.Name, ordersBy(path, rel.From)
		case c.one(2) && !(rel.Own && rel.ByID):
			return prefix + rel.Name, ordersBy(further, rel.Target.Key)
		case len(path) < 5:
			return c.sortKey(c.view.Of(rel.Target), prefix+rel.Name+".", further)
		}
	}
	if len(mv.Attributes) == 0 || c.one(4) {
		return prefix + "id", ordersBy(path, mv.Model.Key)
	}
	f := pick(c, mv.Attributes)
	switch c.kindOf(mv.Model, f) {
	case jsonKind:
		return prefix + f.Name, nil
	case jsonbKind: // has an order of its own, which is not evaluated
		return prefix + "id", ordersBy(path, mv.Model.Key)
	default:
		return prefix + f.Name, ordersBy(path, []*schema.Field{f})
	}
}

// ordersBy sorts by fields behind to-one steps.
func ordersBy(path []*schema.Relationship, fields []*schema.Field) []plan.Order {
	var order []plan.Order
	for _, f := range fields {
		order = append(order, plan.Order{Term: plan.FieldTerm{Path: path, Field: f}})
	}
	return order
}

// An included is a path of the parameter include, up to one of its steps.
type included struct {
	path string
	last *schema.Relationship
}

// include makes paths that start at the model.
func (c client) include(mv *schema.ModelView) (parameter, []included) {
	var paths []string
	var all []included
	p := parameter{name: "include"}
	for range c.Intn(4) {
		steps, made, rels := "", []included(nil), []*schema.Relationship(nil)
		for at := mv; len(at.Relationships) > 0 && (steps == "" || len(made) < 4 && c.one(2)); {
			rel := pick(c, at.Relationships)
			if !rel.Many && c.one(2) {
				rel = pick(c, at.Relationships) // to-many ones have more to show
			}
			steps, at = strings.TrimPrefix(steps+"."+rel.Name, "."), c.view.Of(rel.Target)
			made, rels = append(made, included{steps, rel}), append(rels, rel)
		}
		if c.one(60) {
			steps, p.wrong = strings.TrimPrefix(steps+".nothing", "."), "invalid-include"
		}
		if steps != "" && !slices.Contains(paths, steps) {
			paths, all = append(paths, steps), append(all, made...)
			p.include = append(p.include, rels)
		}
	}
	p.values = []string{strings.Join(paths, ",")}
	return p, all
}

func (c client) fields() parameter {
	mv := c.model()
	if c.one(40) {
		return parameter{name: "fields[nothing]", values: []string{""}, wrong: "invalid-fields"}
	}
	var names []string
	for _, f := range mv.Attributes {
		if c.one(2) {
			names = append(names, f.Name)
		}
	}
	for _, rel := range mv.Relationships {
		if c.one(2) {
			names = append(names, rel.Name)
		}
	}
	wrong := ""
	if c.one(40) {
		names, wrong = append(names, "nothing"), "invalid-fields"
	}
	return parameter{name: "fields[" + mv.Model.Type + "]", values: []string{strings.Join(names, ",")}, wrong: wrong, fieldset: mv.Model}
}

// kindOf finds the kind of a field.
func (c client) kindOf(m *schema.Model, f *schema.Field) *kind {
	return c.table(m.Table).column(f.Column).kind
}

// idOf makes an id with its values: of a row that the role sees, mostly.
func (c client) idOf(m *schema.Model) (string, []any) {
	t := c.table(m.Table)
	rows := t.rows
	if shows := t.policies[c.role].shows; slices.ContainsFunc(rows, shows) && !c.one(10) {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r evaluate.Row) bool { return !shows(r) })
	}
	row := evaluate.Row(nil)
	if len(rows) > 0 && !c.one(8) {
		row = pick(c, rows)
	}
	parts, values := make([]string, len(m.Key)), make([]any, len(m.Key))
	for i, f := range m.Key {
		k := c.kindOf(m, f)
		values[i] = c.value(k)
		if row != nil {
			values[i] = row[f.Column]
		}
		parts[i] = k.text(values[i])
		if len(m.Key) > 1 {
			parts[i] = strings.NewReplacer("%", "%25", c.divider, fmt.Sprintf("%%%02X", c.divider)).Replace(parts[i])
		}
	}
	return strings.Join(parts, c.divider), values
}

// filter adds a bracket filter, unless it is of the list form and the request has
// one of that name: the two would become one list.
func (c client) filter(r *request, mv *schema.ModelView) {
	p := c.bracket(mv)
	if !strings.HasSuffix(p.name, "[]") || !slices.ContainsFunc(r.params, func(other parameter) bool { return other.name == p.name }) {
		r.params = append(r.params, p)
	}
}

// value is one that may be in rows or may not.
func (c client) value(k *kind) any {
	if len(k.others) > 0 && c.one(4) {
		return pick(c, k.others)
	}
	return pick(c, k.values)
}
