package evaluate_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// foreignKeys gives the row's own foreign keys, as relationships or attributes.
func (d *draft) foreignKeys(often int) {
	for _, rel := range d.mv.Relationships {
		needed := d.inserts && !slices.ContainsFunc(rel.From, func(f *schema.Field) bool { return f.Nullable })
		if !rel.Own || !(needed && !d.one(40) || d.one(often)) {
			continue
		}
		touched := slices.ContainsFunc(rel.From, func(f *schema.Field) bool { _, ok := d.given[f]; return ok })
		moves := !d.inserts && slices.ContainsFunc(rel.From, func(f *schema.Field) bool { return slices.Contains(d.mv.Model.Key, f) })
		switch {
		case touched || moves && !d.one(3):
		case d.one(3) && d.foreignKeyAttributes(rel):
		default:
			d.toOne(rel, d.base+"/relationships/"+rel.Name+"/data", func(linkage any) {
				d.relationships[rel.Name] = map[string]any{"data": linkage}
			})
		}
	}
}

// foreignKeyAttributes gives the columns of a foreign key as attributes, where
// all of them are some, now and then not all.
func (d *draft) foreignKeyAttributes(rel *schema.Relationship) bool {
	if slices.ContainsFunc(rel.From, func(f *schema.Field) bool { return !slices.Contains(d.mv.Attributes, f) }) {
		return false
	}
	target := d.row(rel.Target)
	if d.one(30) {
		target = evaluate.Row{}
		for _, f := range rel.To {
			target[f.Column] = d.fresh(d.kindOf(rel.Target, f))
		}
	}
	if target == nil {
		return false
	}
	if d.neighbour(rel) {
		return true
	}
	null := !rel.Required() && d.one(5) || d.one(60)
	for i, f := range rel.From {
		v := target[rel.To[i].Column]
		if null && (f.Nullable || rel.Required()) {
			v = nil
		}
		if len(rel.From) > 1 && d.one(6) {
			continue
		}
		d.attribute(f, v)
	}
	return true
}

// neighbour gives one column of a foreign key of several, such that the row, with
// what it has in the others, refers to another row.
func (d *draft) neighbour(rel *schema.Relationship) bool {
	if d.current == nil || len(rel.From) < 2 || d.one(2) {
		return false
	}
	for _, target := range d.table(rel.Target.Table).rows {
		var others []int
		for i, f := range rel.From {
			if fmt.Sprint(target[rel.To[i].Column]) != fmt.Sprint(d.current[f.Column]) {
				others = append(others, i)
			}
		}
		if len(others) == 1 && target[rel.To[others[0]].Column] != nil {
			d.attribute(rel.From[others[0]], target[rel.To[others[0]].Column])
			return true
		}
	}
	return false
}

// targets asks that the caller sees what the row is to refer to, when all of the
// row is known: what refers to itself is there only afterwards.
func (d *draft) targets() {
	for _, f := range d.later {
		f()
	}
	d.foreignTargets()
}

// foreignTargets asks that the caller sees what the columns of foreign keys lead
// to, as far as the request gives all of one. It may be pointed at where any of
// them stands.
func (d *draft) foreignTargets() {
	for _, rel := range d.mv.Model.Relationships {
		if !rel.Own || d.linked[rel] {
			continue
		}
		var values []any
		var at []jsonapi.Source
		for _, f := range rel.From {
			i := slices.IndexFunc(d.write.Set, func(a plan.Assignment) bool { return a.Field == f })
			if i < 0 {
				continue
			}
			if given, ok := d.write.Set[i].Value.(*plan.Given); ok && d.given[f] != nil {
				values, at = append(values, d.given[f]), append(append(at, d.Sources[given.Slot]), d.Elements[given.Slot]...)
			}
		}
		if len(values) == len(rel.From) && !d.itself(rel, values) {
			d.target(rel.Target, rel.To, rel.From, values, at[0].Pointer)
			d.Elements[d.write.Targets[len(d.write.Targets)-1].Keys[0]] = at
		}
	}
}

// itself reports whether a new row refers to itself.
func (d *draft) itself(rel *schema.Relationship, values []any) bool {
	if !d.inserts || rel.Target != d.mv.Model {
		return false
	}
	for i, f := range rel.To {
		if v, ok := d.given[f]; !ok || fmt.Sprint(v) != fmt.Sprint(values[i]) {
			return false
		}
	}
	return true
}

// target asks that the caller sees one row.
func (d *draft) target(m *schema.Model, fields, typed []*schema.Field, values []any, pointer string) {
	t := &plan.Targets{Model: m, Fields: fields}
	for i, v := range values {
		t.Keys = append(t.Keys, d.slot([]any{v}, pointer))
		t.Types = append(t.Types, typed[i].Type)
	}
	d.Elements[t.Keys[0]] = []jsonapi.Source{jsonapi.Pointer(pointer)}
	d.write.Targets = append(d.write.Targets, t)
}

// identifier names a resource of the model: by its key, or by a local id.
func (d *draft) identifier(m *schema.Model) (object map[string]any, key []any, made int) {
	if d.batch != nil && d.one(2) {
		if lid, number := d.batch.lid(d.client, m); lid != "" {
			return map[string]any{"type": m.Type, "lid": lid}, nil, number
		}
	}
	key = d.key(m)
	return map[string]any{"type": m.Type, "id": d.spell(m, key)}, key, 0
}

// toOne gives a relationship over the row's own foreign key, with the linkage at
// the pointer.
func (d *draft) toOne(rel *schema.Relationship, pointer string, put func(linkage any)) {
	place := strings.TrimSuffix(pointer, "/data")
	if place == "" || place == d.Pointer {
		place = pointer
	}
	if rel.Required() && d.one(25) || !rel.Required() && d.one(5) {
		put(nil)
		d.clear(rel, pointer, place)
		return
	}
	object, key, made := d.identifier(rel.Target)
	if made == 0 && d.one(80) {
		object["type"] = "nothing"
		put(object)
		d.refuse("type-mismatch", pointer+"/type")
		return
	}
	put(object)
	d.linked[rel] = true
	var cells []plan.Cell
	for i, v := range key {
		cells = append(cells, &plan.Given{Slot: d.slot(v, place), Type: rel.Target.Key[i].Type})
	}
	for i, f := range rel.From {
		switch {
		case made > 0:
			d.assign(f, &plan.Made{Number: made, Field: rel.To[i]}, nil)
		case rel.ByID:
			d.assign(f, cells[i], key[i])
		default:
			d.assign(f, &plan.Looked{Field: rel.To[i], Model: rel.Target, Key: cells}, nil)
		}
	}
	if made == 0 {
		d.later = append(d.later, func() {
			if !rel.ByID || !d.itself(rel, key) {
				d.target(rel.Target, rel.Target.Key, rel.Target.Key, key, pointer)
			}
		})
	}
}

func (d *draft) clear(rel *schema.Relationship, pointer, place string) {
	if rel.Required() {
		d.refuse("required-relationship", pointer)
		return
	}
	for _, f := range rel.From {
		if f.Nullable {
			d.assign(f, &plan.Given{Slot: d.slot(nil, place), Type: f.Type}, nil)
		}
	}
}

// otherMembers gives relationships that other rows tell.
func (d *draft) otherMembers(often int, how plan.Change) {
	for _, rel := range d.mv.Relationships {
		if rel.Own || !d.one(often) {
			continue
		}
		d.members(rel, how, d.base+"/relationships/"+rel.Name+"/data", func(linkage any) {
			d.relationships[rel.Name] = map[string]any{"data": linkage}
		})
	}
}

// members changes the members of a relationship.
func (d *draft) members(rel *schema.Relationship, how plan.Change, pointer string, put func(linkage any)) {
	m := &plan.Members{Relationship: rel, Change: how, Keys: make([]plan.Slot, len(rel.Target.Key))}
	n := pick(d.client, []int{0, 1, 1, 1, 2, 3})
	if !rel.Many {
		n = min(n, 1)
	}
	linkage, lists := []any{}, make([][]any, len(rel.Target.Key))
	var sources []jsonapi.Source
	seen := map[string]bool{}
	for i := range n {
		object, key, made := d.identifier(rel.Target)
		linkage = append(linkage, object)
		if made > 0 {
			if !slices.Contains(m.Made, made) {
				m.Made = append(m.Made, made)
			}
			continue
		}
		if id := d.spell(rel.Target, key); seen[id] {
			continue
		} else {
			seen[id] = true
		}
		for part, v := range key {
			lists[part] = append(lists[part], v)
		}
		at := pointer
		if rel.Many {
			at += fmt.Sprint("/", i)
		}
		sources = append(sources, jsonapi.Pointer(at))
	}
	for i, list := range lists {
		m.Keys[i] = d.slot(slices.Clone(list), pointer)
		if list == nil {
			d.Values[m.Keys[i]] = []any{}
		}
	}
	d.Elements[m.Keys[0]] = sources
	if how != plan.RemoveMembers && len(sources) > 0 {
		d.write.Targets = append(d.write.Targets, &plan.Targets{Model: rel.Target, Fields: rel.Target.Key, Keys: m.Keys, Types: types(rel.Target.Key)})
	}
	d.write.Members = append(d.write.Members, m)
	switch {
	case rel.Many:
		put(linkage)
	case len(linkage) > 0:
		put(linkage[0])
	default:
		put(nil)
	}
	if rel.Through == nil && slices.ContainsFunc(rel.To, func(f *schema.Field) bool { return slices.Contains(rel.Target.Key, f) }) {
		d.refuse("forbidden", pointer)
	}
}

func types(fields []*schema.Field) []*schema.Type {
	out := make([]*schema.Type, len(fields))
	for i, f := range fields {
		out[i] = f.Type
	}
	return out
}
