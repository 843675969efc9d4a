package evaluate_test

import (
	"fmt"
	"net/http"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A batchDraft is what the operations of a batch share.
type batchDraft struct {
	creates []lid
}

// A lid is what an operation makes, under its local id.
type lid struct {
	name   string
	number int
	model  *schema.Model
	create *plan.Create
}

// lid chooses a local id of the model, "" where there is none.
func (b *batchDraft) lid(c client, m *schema.Model) (string, int) {
	for _, l := range b.creates {
		if l.model == m && !c.one(3) {
			l.create.Number = l.number
			return l.name, l.number
		}
	}
	return "", 0
}

// batchRequest makes a few operations that depend on each other.
func (c client) batchRequest() writeRequest {
	w := writeRequest{what: "operations", method: http.MethodPost, path: "/operations", atomic: true}
	b, batch := &batchDraft{}, &plan.Batch{}
	var operations []any
	for i := range 1 + c.Intn(3) {
		base := fmt.Sprintf("/atomic:operations/%d", i)
		mv := c.model()
		d := c.draft(mv, base+"/data")
		d.batch = b
		operation := map[string]any{}
		switch n := c.Intn(6); {
		case n < 3:
			c.createIn(d, &w, i, operation)
		case n == 3 && len(mv.Relationships) > 0:
			c.relateIn(d, operation)
		case n == 4:
			c.updateIn(d, operation)
		default:
			ref, key := c.refIn(d)
			operation["op"], operation["ref"] = "remove", ref
			d.Action = &plan.Delete{Model: mv.Model, Key: key}
		}
		operations, batch.Operations = append(operations, operation), append(batch.Operations, d.Plan)
		w.wrong = append(w.wrong, d.wrong...)
	}
	w.body = map[string]any{"atomic:operations": operations}
	w.role, w.plan = c.role, &plan.Plan{Action: batch}
	return w
}

func (c client) createIn(d *draft, w *writeRequest, index int, operation map[string]any) {
	var one writeRequest
	object := d.create(false, &one)
	for _, m := range one.makes {
		m.result = index
		w.makes = append(w.makes, m)
	}
	operation["op"], operation["data"] = "add", object
	a := &plan.Create{Write: d.write}
	if _, hasID := object["id"]; !hasID {
		l := lid{fmt.Sprint("l", index), index + 1, d.mv.Model, a}
		object["lid"] = l.name
		d.batch.creates = append(d.batch.creates, l)
	}
	// The answer names the row by its number, which is known when all is drafted;
	// 0 stands for the row that was written last.
	a.Answer = c.answering(d, request{model: d.mv.Model})
	d.Action = a
}

// refIn names a row, of an earlier operation now and then.
func (c client) refIn(d *draft) (ref map[string]any, cells []plan.Cell) {
	object, key, number := d.identifier(d.mv.Model)
	for i, f := range d.mv.Model.Key {
		if number > 0 {
			cells = append(cells, &plan.Made{Number: number, Field: f})
		} else {
			cells = append(cells, &plan.Given{Slot: d.slot(key[i], ""), Type: f.Type})
		}
	}
	return object, cells
}

func (c client) updateIn(d *draft, operation map[string]any) {
	ref, key := c.refIn(d)
	d.foreignKeys(4)
	d.plainAttributes(3)
	d.otherMembers(5, plan.ReplaceMembers)
	object := d.object()
	for name, v := range ref {
		object[name] = v
	}
	operation["op"], operation["data"] = "update", object
	if c.one(2) {
		operation["ref"] = ref
	}
	d.write.Answer = c.answering(d, request{model: d.mv.Model})
	d.Action = &plan.Update{Write: d.write, Key: key}
}

func (c client) relateIn(d *draft, operation map[string]any) {
	ref, key := c.refIn(d)
	rel := c.relationshipOf(d.mv)
	ref["relationship"] = rel.Name
	how := plan.ReplaceMembers
	operation["op"], operation["ref"] = "update", ref
	switch n := c.Intn(3); {
	case n == 0 && rel.Many:
		how, operation["op"] = plan.AddMembers, "add"
	case n == 1 && rel.Many:
		how, operation["op"] = plan.RemoveMembers, "remove"
	}
	d.relate(rel, how, operation)
	d.Action = &plan.Update{Write: d.write, Key: key}
}
