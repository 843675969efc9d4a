package evaluate_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// relating changes a relationship.
func (c client) relating() writeRequest {
	mv := c.model()
	key := c.key(mv.Model)
	id := c.spell(mv.Model, key)
	if !carried(id) || len(mv.Relationships) == 0 {
		return c.creation(false)
	}
	d := c.draft(mv, "/data")
	rel := c.relationshipOf(mv)
	path := "/" + url.PathEscape(mv.Model.Type) + "/" + url.PathEscape(id)
	w := writeRequest{method: http.MethodPatch, path: path + "/relationships/" + url.PathEscape(rel.Name)}
	how := plan.ReplaceMembers
	switch n := c.Intn(4); {
	case n == 0 && rel.Many:
		w.method, how = http.MethodPost, plan.AddMembers
	case n == 1 && rel.Many:
		w.method, how = http.MethodDelete, plan.RemoveMembers
	case n == 2 && !c.strict:
		w.method = http.MethodPut
	case n == 3:
		w.path = path + "/" + url.PathEscape(rel.Name)
	case !rel.Many && c.one(10):
		w.method = http.MethodPost
		d.alone = []evaluate.Problem{{Code: "method-not-allowed", At: []string{""}}}
	}
	w.what = strings.Join([]string{w.method, kindOfRelationship(rel)}, " ")
	a := &plan.Update{}
	for i, f := range mv.Model.Key {
		a.Key = append(a.Key, &plan.Given{Slot: d.slot(key[i], ""), Type: f.Type})
	}
	document := map[string]any{}
	d.relate(rel, how, document)
	if c.one(40) {
		w.params = []parameter{{name: "include", values: []string{rel.Name}}}
		w.wrong = append(w.wrong, evaluate.Problem{Code: "invalid-parameter", At: []string{""}})
	}
	r := request{model: mv.Model, id: key, rel: rel, linkage: true}
	in := c.intent(d, r)
	d.write.Answer = in.read()
	if d.write.Answer.Form == plan.ToOneLinkage {
		d.write.Answer.Query.Where = []plan.Cond{&plan.WrittenRow{Model: mv.Model}}
	}
	d.Values = in.values
	for len(d.Sources) < len(d.Values) {
		d.Sources = append(d.Sources, d.Sources[0])
	}
	a.Write, w.body = d.write, document
	d.Action = a
	return c.written(d, w)
}

// kindOfRelationship says which rows tell it.
func kindOfRelationship(rel *schema.Relationship) string {
	switch {
	case rel.Own && rel.ByID:
		return "own"
	case rel.Own:
		return "own by another key"
	case rel.Through != nil:
		return "joined"
	case !rel.Many:
		return "one other's"
	case slices.ContainsFunc(rel.To, func(f *schema.Field) bool { return f.Nullable }):
		return "others'"
	default:
		return "others' that need it"
	}
}

// relate drafts a change of one relationship.
func (d *draft) relate(rel *schema.Relationship, how plan.Change, document map[string]any) {
	put := func(linkage any) { document["data"] = linkage }
	if rel.Own {
		d.toOne(rel, d.base, put)
		d.targets()
	} else {
		d.members(rel, how, d.base, put)
	}
}

// relationshipOf prefers those that others tell.
func (c client) relationshipOf(mv *schema.ModelView) *schema.Relationship {
	rel := pick(c, mv.Relationships)
	if rel.Own {
		rel = pick(c, mv.Relationships)
	}
	return rel
}
