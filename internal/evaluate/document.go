package evaluate

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A Refusal is the code of the error that answers a plan.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// The refusals that depend on the data.
const (
	NotFound        Refusal = "not-found"
	TooManyIncluded Refusal = "too-many-included"
)

// Document answers a plan as one who is bound by the policies: a document in
// the types of encoding/json with its numbers as json.Number, or a Refusal. Its
// links have the parameters in the order of contract 3.4.
func Document(db Database, policies Policies, p *plan.Plan, at Address) (map[string]any, error) {
	return newReader(db, policies, p).document(p.Action.(*plan.Read), at)
}

// document is what Document makes of a read.
func (r *reader) document(read *plan.Read, at Address) (map[string]any, error) {
	if read.Parent != nil && r.parent(read.Parent) == nil {
		return nil, NotFound
	}
	all := r.filtered(read)
	page, more := r.windowed(read.Query, all)
	if len(page) == 0 && (read.Form == plan.Resource || read.Form == plan.ToOneLinkage) {
		return nil, NotFound
	}
	w := &writer{reader: r, read: read, at: at, root: &node{query: read.Query, rows: page}, notes: map[string]any{}}
	r.descend(w.root)
	doc := map[string]any{"jsonapi": map[string]any{"version": "1.1"}, "data": w.primary()}
	if read.Included {
		included := w.included()
		if len(included) > read.MaxIncluded {
			return nil, TooManyIncluded
		}
		doc["included"] = included
	}
	total := w.total(len(all))
	doc["links"] = w.links(total, more)
	if meta := w.meta(total, more); len(meta) > 0 {
		doc["meta"] = meta
	}
	return doc, nil
}

// A writer makes the document of what was read.
type writer struct {
	*reader
	read  *plan.Read
	at    Address
	root  *node
	notes map[string]any // annotations by path
}

// primary returns the document's data.
func (w *writer) primary() any {
	q := w.read.Query
	switch w.read.Form {
	case plan.Collection:
		data := []any{}
		for i, row := range w.root.rows {
			data = append(data, w.item(w.resource(q, row, fmt.Sprintf("data.%d", i)), row))
		}
		return data
	case plan.Linkage:
		data := w.identifiers(q.Model, w.root.rows)
		for i, row := range w.root.rows {
			w.item(data[i].(map[string]any), row)
		}
		return data
	case plan.Resource, plan.RelatedResource:
		if len(w.root.rows) == 0 {
			return nil
		}
		return w.resource(q, w.root.rows[0], "data")
	case plan.ToOneLinkage:
		row, rel := w.root.rows[0], q.Relationships[0]
		if rel.Own {
			return w.own(rel, row)
		}
		return w.linkage(rel, w.root.children[0].members[idText(q.Model, row)])
	default:
		panic("evaluate: a read of no known form")
	}
}

// isResource reports whether a node's rows stand for resources of the document.
func (w *writer) isResource(n *node) bool {
	if n.edge == nil {
		return w.read.Form != plan.ToOneLinkage
	}
	return !n.edge.Silent
}

// included returns the resources that the include paths reach, each once and
// none that is primary data, in the order of the paths (contract 3.7).
func (w *writer) included() []any {
	var steps []*node
	w.root.each(func(n *node) { steps = append(steps, n) })
	slices.SortStableFunc(steps[1:], func(a, b *node) int { return a.edge.Rank - b.edge.Rank })
	done := map[string]bool{}
	out := []any{}
	for _, n := range steps {
		identifiersOnly := n.edge == nil && w.read.Form == plan.Linkage
		if !w.isResource(n) || identifiersOnly && !w.read.Members {
			continue
		}
		for _, row := range n.rows {
			key := n.query.Model.Type + " " + idText(n.query.Model, row)
			if done[key] {
				continue
			}
			done[key] = true
			if n.edge != nil || identifiersOnly {
				out = append(out, w.resource(n.query, row, fmt.Sprintf("included.%d", len(out))))
			}
		}
	}
	return out
}

// resource returns the resource object of a row, which stands at the path.
func (w *writer) resource(q *plan.Query, row Row, path string) map[string]any {
	href := w.href(q.Model, row)
	out := map[string]any{
		"type":  q.Model.Type,
		"id":    w.at.idValue(q.Model.Key, keyOf(q.Model.Key, row)),
		"links": map[string]any{"self": href},
	}
	if len(q.Fields) > 0 {
		attributes := map[string]any{}
		for _, f := range q.Fields {
			attributes[f.Name] = w.attribute(f.Type, row[f.Column], path+".attributes."+f.Name)
		}
		out["attributes"] = attributes
	}
	if len(q.Relationships) > 0 {
		relationships := map[string]any{}
		for _, rel := range q.Relationships {
			relationships[rel.Name] = w.relationship(rel, row, href)
		}
		out["relationships"] = relationships
	}
	return out
}

func (w *writer) relationship(rel *schema.Relationship, row Row, href string) map[string]any {
	name := url.PathEscape(rel.Name)
	links := map[string]any{"self": href + "/relationships/" + name, "related": href + "/" + name}
	out := map[string]any{"links": links}
	reached, included := w.reached(rel, row)
	switch {
	case rel.Own:
		out["data"] = w.own(rel, row)
	case included:
		out["data"] = w.linkage(rel, reached)
		if len(reached.rest) > 0 {
			links["next"] = w.identifiers(rel.Target, reached.rest)
		}
	}
	return out
}

// reached returns what the include paths over the relationship brought from any
// of the places where the resource stands: the windows of several paths are
// joined, that of the first path first.
func (w *writer) reached(rel *schema.Relationship, row Row) (found members, ok bool) {
	id, once, complete := idText(rel.Model, row), map[string]bool{}, false
	w.root.each(func(n *node) {
		m, is := n.members[id]
		if !is || n.edge.Relationship != rel || !w.isResource(n.parent) {
			return
		}
		for _, member := range m.rows {
			if key := idText(rel.Target, member); !once[key] {
				once[key] = true
				found.rows = append(found.rows, member)
			}
		}
		if !ok {
			found.rest = m.rest
		}
		ok, complete = true, complete || len(m.rest) == 0
	})
	if complete {
		found.rest = nil
	}
	return found, ok
}

// linkage returns resource linkage from what was reached.
func (w *writer) linkage(rel *schema.Relationship, m members) any {
	if rel.Many {
		return w.identifiers(rel.Target, m.rows)
	}
	if len(m.rows) == 0 {
		return nil
	}
	return w.identifiers(rel.Target, m.rows)[0]
}

// own returns the linkage that the row's own foreign key tells: its value also
// where the target is invisible, if it is the target's id; else what is read
// from the target (contract 3.2).
func (w *writer) own(rel *schema.Relationship, row Row) any {
	if targets := w.reach(row, rel); len(targets) > 0 {
		return w.identifiers(rel.Target, targets)[0]
	}
	if !rel.ByID {
		return nil
	}
	values := keyOf(rel.From, row)
	for _, v := range values {
		if v == nil {
			return nil
		}
	}
	return map[string]any{"type": rel.Target.Type, "id": w.at.idValue(rel.Target.Key, values)}
}

func (w *writer) identifiers(m *schema.Model, rows []Row) []any {
	out := []any{}
	for _, row := range rows {
		out = append(out, map[string]any{"type": m.Type, "id": w.at.idValue(m.Key, keyOf(m.Key, row))})
	}
	return out
}
