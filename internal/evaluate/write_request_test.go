package evaluate_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A writeRequest is a request that writes, with what it means.
type writeRequest struct {
	what    string // for the tally
	role    string
	method  string
	path    string
	params  []parameter
	body    any
	atomic  bool
	ifMatch string // the header, "" for none
	plan    *plan.Plan
	wrong   []evaluate.Problem // with which it is refused unseen
	makes   []made             // rows whose keys the database makes, in order
	read    *request           // in place of a write
}

// A made is a row whose key the database makes.
type made struct {
	result int // the operation's index, in a batch
	model  *schema.Model
	kind   *kind
}

// writeRequest makes one of any form.
func (c client) writeRequest(tags []tag) writeRequest {
	switch n := c.Intn(20); {
	case n < 5:
		return c.creation(false)
	case n < 6:
		return c.creation(true)
	case n < 10:
		return c.updating(tags)
	case n < 12:
		return c.deletion(tags)
	case n < 17:
		return c.relating()
	case n < 19:
		return c.batchRequest()
	default:
		r := c.request()
		return writeRequest{role: c.role, read: &r}
	}
}

func (c client) written(d *draft, w writeRequest) writeRequest {
	w.role, w.plan, w.wrong = c.role, d.Plan, append(w.wrong, d.wrong...)
	if d.alone != nil {
		w.wrong = d.alone
	}
	return w
}

// creation makes a resource, or, as an upsert, changes one.
func (c client) creation(upsert bool) writeRequest {
	mv := c.model()
	d := c.draft(mv, "/data")
	w := writeRequest{what: "create", method: http.MethodPost, path: "/" + url.PathEscape(mv.Model.Type)}
	object := d.create(upsert, &w)
	document := map[string]any{"data": object}
	a := &plan.Create{}
	if upsert {
		match := d.upsert(document)
		if match == nil {
			return c.creation(false)
		}
		w.what, a.Upsert = "upsert", match
	}
	if c.one(25) {
		d.spoil(object)
	}
	d.write.Answer = c.answer(d, &w)
	a.Write, w.body = d.write, document
	d.Action = a
	return c.written(d, w)
}

// create drafts a new row.
func (d *draft) create(upsert bool, w *writeRequest) map[string]any {
	d.inserts = true
	d.foreignKeys(2)
	id, named := d.newKey(upsert)
	d.plainAttributes(2)
	how := plan.AddMembers
	if upsert {
		how = plan.ReplaceMembers
	}
	d.otherMembers(5, how)
	object := d.object()
	if named {
		object["id"] = id
	}
	t := d.table(d.mv.Model.Table)
	if t.generated != nil {
		if _, given := d.given[d.mv.Model.Key[0]]; !given {
			w.makes = append(w.makes, made{0, d.mv.Model, t.generated.kind})
		}
	}
	return object
}

// newKey chooses the key of a new row, where the database does not: as id, or as
// attributes.
func (d *draft) newKey(upsert bool) (id string, named bool) {
	t, key := d.table(d.mv.Model.Table), d.mv.Model.Key
	if t.generated != nil {
		if !upsert && !d.one(5) || t.always && !d.one(8) {
			return "", false
		}
		if t.always {
			d.refuse("forbidden", d.base+"/id")
			return d.spell(d.mv.Model, d.freshKey(d.mv.Model)), true
		}
	} else if d.one(50) {
		return "", false
	}
	values := d.freshKey(d.mv.Model)
	if len(t.rows) > 0 && (upsert && !d.one(3) || d.one(30)) {
		values = rowKey(d.mv.Model, pick(d.client, t.rows))
	}
	for i, f := range key { // what foreign keys have said already
		if v, ok := d.given[f]; ok && v == nil {
			return "", false // only the database knows
		} else if ok {
			values[i] = v
		}
	}
	if d.one(3) && !slices.ContainsFunc(key, func(f *schema.Field) bool { _, ok := d.given[f]; return ok || t.column(f.Column) == t.generated }) {
		for i, f := range key {
			d.attribute(f, values[i])
		}
		return "", false
	}
	for i, f := range key {
		d.assign(f, &plan.Given{Slot: d.slot(values[i], d.base+"/id"), Type: f.Type}, values[i])
	}
	return d.spell(d.mv.Model, values), true
}

// upsert chooses the unique key to match, nil where none is given.
func (d *draft) upsert(document map[string]any) *plan.Upsert {
	t := d.table(d.mv.Model.Table)
	for _, key := range append(slices.Clone(t.uniques), t.key) {
		var fields []*schema.Field
		var fieldNames []any
		for _, c := range key {
			i := slices.IndexFunc(d.mv.Model.Fields, func(f *schema.Field) bool { return f.Column == c.name })
			f := d.mv.Model.Fields[i]
			v, given := d.given[f]
			if !given || v == nil {
				fields = nil
				break
			}
			fields, fieldNames = append(fields, f), append(fieldNames, f.Name)
		}
		if fields == nil {
			continue
		}
		if slices.Equal(fields, d.mv.Model.Key) {
			fieldNames = []any{"id"}
		}
		document["meta"] = map[string]any{"operation": "upsert", "matchFields": fieldNames}
		u := &plan.Upsert{Match: fields}
		for _, a := range d.write.Set {
			if !slices.Contains(fields, a.Field) && !slices.Contains(d.mv.Model.Key, a.Field) {
				u.Set = append(u.Set, a.Field)
			}
		}
		return u
	}
	return nil
}

// answer is what reads the document that answers, as its parameters want it.
func (c client) answer(d *draft, w *writeRequest) *plan.Read {
	r := request{model: d.mv.Model}
	if c.one(4) {
		if include, _ := c.include(d.mv); include.wrong == "" {
			r.params = append(r.params, include)
		}
	}
	if c.one(6) {
		r.params = append(r.params, c.fields())
	}
	for _, p := range r.params {
		if p.wrong != "" {
			w.wrong = append(w.wrong, evaluate.Problem{Code: p.wrong, At: []string{""}})
		}
	}
	w.params = r.params
	return c.answering(d, r)
}

// answering reads the row that is written.
func (c client) answering(d *draft, r request) *plan.Read {
	in := c.intent(d, r)
	read := &plan.Read{Form: plan.Resource, Query: in.query(r.model), MaxIncluded: 10_000}
	read.Query.Where = []plan.Cond{&plan.WrittenRow{Model: r.model, Number: d.write.Number}}
	_, read.Included = r.parameter("include")
	for _, p := range r.params {
		in.include(read, p.include)
	}
	return read
}

func (c client) intent(d *draft, r request) *intent {
	in := &intent{settings: c.settings, literals: &literals{values: d.Values}, view: c.view, request: r, narrow: map[*schema.Model][]string{}}
	in.fieldsets()
	return in
}

// updating changes a resource.
func (c client) updating(tags []tag) writeRequest {
	mv, key := c.tagged(tags)
	id := c.spell(mv.Model, key)
	if !carried(id) {
		return c.updating(tags)
	}
	d := c.draft(mv, "/data")
	w := writeRequest{what: "update", method: http.MethodPatch, path: "/" + url.PathEscape(mv.Model.Type) + "/" + url.PathEscape(id)}
	if c.one(6) && !c.strict {
		w.method = http.MethodPut
	}
	a := &plan.Update{}
	for i, f := range mv.Model.Key {
		a.Key = append(a.Key, &plan.Given{Slot: d.slot(key[i], ""), Type: f.Type})
	}
	object := d.update(key, id)
	if c.one(25) {
		d.spoil(object)
	} else if c.one(60) {
		object["id"] = c.spell(mv.Model, c.freshKey(mv.Model))
		if object["id"] != id {
			d.alone = []evaluate.Problem{{Code: "id-mismatch", At: []string{"/data/id"}}}
		}
	}
	w.ifMatch, a.Match = c.condition(d, key, tags)
	d.write.Answer = c.answer(d, &w)
	a.Write, w.body = d.write, map[string]any{"data": object}
	d.Action = a
	return c.written(d, w)
}

// update drafts a change of the row with the key.
func (d *draft) update(key []any, id string) map[string]any {
	for _, row := range d.table(d.mv.Model.Table).rows {
		if fmt.Sprint(rowKey(d.mv.Model, row)) == fmt.Sprint(key) {
			d.current = row
		}
	}
	d.foreignKeys(4)
	d.plainAttributes(3)
	if len(key) > 1 && d.one(4) {
		d.changeKey()
	}
	d.otherMembers(5, plan.ReplaceMembers)
	object := d.object()
	if !d.one(5) {
		object["id"] = id
	}
	return object
}

// changeKey gives a part of a compound key another value (contract 5.3).
func (d *draft) changeKey() {
	f := pick(d.client, d.mv.Model.Key)
	if _, given := d.given[f]; given || d.foreign(f) {
		return
	}
	d.attribute(f, d.fresh(d.kindOf(d.mv.Model, f)))
}

// tagged chooses a resource, now and then one of which the client has a tag.
func (c client) tagged(tags []tag) (*schema.ModelView, []any) {
	if len(tags) > 0 && c.one(2) {
		if t := pick(c, tags); t.role == c.role {
			return c.view.Of(t.model), t.key
		}
	}
	mv := c.model()
	return mv, c.key(mv.Model)
}

// condition is If-Match now and then: with tags of answers, fresh or stale.
func (c client) condition(d *draft, key []any, tags []tag) (string, *plan.Match) {
	if c.one(25) {
		return "*", nil
	}
	var mine []tag
	for _, t := range tags {
		if t.role == c.role && t.model == d.mv.Model && t.id == c.spell(d.mv.Model, key) {
			mine = append(mine, t)
		}
	}
	if len(mine) == 0 || c.one(4) {
		return "", nil
	}
	header, digests := "", []string{}
	for range 1 + c.Intn(2) {
		t := pick(c, mine)
		if header != "" {
			header += ", "
		}
		header, digests = header+t.etag, append(digests, t.digest)
	}
	return header, &plan.Match{Digest: digested(c.view, d.mv.Model), Rows: d.slot(digests, "")}
}

// digested are the columns of a row's digest.
func digested(view *schema.View, m *schema.Model) []*schema.Field {
	return slices.Concat(m.Key, view.Of(m).Attributes)
}

// A tag is an entity tag that an answer had.
type tag struct {
	role, id, etag, digest string
	model                  *schema.Model
	key                    []any
}

// deletion deletes a resource.
func (c client) deletion(tags []tag) writeRequest {
	mv, key := c.tagged(tags)
	id := c.spell(mv.Model, key)
	if !carried(id) {
		return c.deletion(tags)
	}
	d := c.draft(mv, "/data")
	w := writeRequest{what: "delete", method: http.MethodDelete, path: "/" + url.PathEscape(mv.Model.Type) + "/" + url.PathEscape(id)}
	a := &plan.Delete{Model: mv.Model}
	for i, f := range mv.Model.Key {
		a.Key = append(a.Key, &plan.Given{Slot: d.slot(key[i], ""), Type: f.Type})
	}
	w.ifMatch, a.Match = c.condition(d, key, tags)
	d.Action = a
	return c.written(d, w)
}
