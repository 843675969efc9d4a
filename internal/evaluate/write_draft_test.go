package evaluate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A draft is a write in the making: the document and, beside it, the plan of
// what the document means, which owes nothing to the product's.
type draft struct {
	client
	*plan.Plan
	base  string // of the pointers
	mv    *schema.ModelView
	batch *batchDraft // nil for a request of its own

	inserts bool
	current evaluate.Row          // that is changed, nil where there is none
	given   map[*schema.Field]any // values that columns have been given
	write   plan.Write
	wrong   []evaluate.Problem            // for which the request is refused unseen
	later   []func()                      // see targets
	linked  map[*schema.Relationship]bool // own ones that the request gives as such
	alone   []evaluate.Problem            // that after which nothing else is looked at

	attributes, relationships map[string]any
}

func (c client) draft(mv *schema.ModelView, base string) *draft {
	return &draft{
		client: c, Plan: &plan.Plan{Elements: map[plan.Slot][]jsonapi.Source{}, Pointer: strings.TrimSuffix(base, "/data")}, base: base, mv: mv,
		given: map[*schema.Field]any{}, linked: map[*schema.Relationship]bool{}, write: plan.Write{Model: mv.Model}, attributes: map[string]any{}, relationships: map[string]any{},
	}
}

func (d *draft) slot(v any, pointer string) plan.Slot {
	d.Values = append(d.Values, v)
	d.Sources = append(d.Sources, jsonapi.Pointer(pointer))
	return plan.Slot(len(d.Values) - 1)
}

func (d *draft) refuse(code string, at ...string) {
	d.wrong = append(d.wrong, evaluate.Problem{Code: code, At: at})
}

// assign gives a column a value. Where it has one, it is the same one, and stands
// at another place too.
func (d *draft) assign(f *schema.Field, c plan.Cell, v any) {
	if _, twice := d.given[f]; twice {
		i := slices.IndexFunc(d.write.Set, func(a plan.Assignment) bool { return a.Field == f })
		first, known := d.write.Set[i].Value.(*plan.Given)
		if second, also := c.(*plan.Given); known && also {
			d.Elements[first.Slot] = append(d.Elements[first.Slot], d.Sources[second.Slot])
		}
		return
	}
	d.given[f] = v
	d.write.Set = append(d.write.Set, plan.Assignment{Field: f, Value: c})
}

// wire is a value as documents have it.
func wire(k *kind, v any) any {
	switch v := v.(type) {
	case nil, bool:
		return v
	case int64:
		if k == int8Kind {
			return fmt.Sprint(v)
		}
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return k.text(v)
		}
		return json.Number(k.text(v))
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = wire(k.elem, item)
		}
		return out
	case evaluate.Tuple:
		return map[string]any{"no": wire(int8Kind, v[0]), "text of it": v[1]}
	}
	if k == jsonKind || k == jsonbKind {
		return json.RawMessage(v.(string))
	}
	return k.text(v)
}

// stored is a value as the database has it after a write.
func stored(k *kind, v any) any {
	if k == jsonKind && v != nil {
		return strings.NewReplacer(": ", ":", ", ", ",").Replace(v.(string))
	}
	return v
}

// valueFor is a value for a column: now and then NULL, where it may be and
// rarely where it may not.
func (d *draft) valueFor(f *schema.Field) any {
	k := d.kindOf(d.mv.Model, f)
	if f.Nullable && d.one(4) || d.one(60) {
		return nil
	}
	if d.unique(f) {
		return d.fresh(k)
	}
	v := pick(d.client, k.values)
	if v == "null" && (k == jsonKind || k == jsonbKind) {
		return nil // which is how null is stored
	}
	return stored(k, v)
}

func (d *draft) unique(f *schema.Field) bool {
	t := d.table(d.mv.Model.Table)
	c := t.column(f.Column)
	return slices.Contains(t.key, c) || t.unique(c)
}

// foreign reports whether the column is of a foreign key.
func (d *draft) foreign(f *schema.Field) bool {
	t := d.table(d.mv.Model.Table)
	return slices.ContainsFunc(t.foreign, func(fk foreignKey) bool { return slices.Contains(fk.columns, t.column(f.Column)) })
}

// attribute gives a column its value as an attribute.
func (d *draft) attribute(f *schema.Field, v any) {
	pointer := d.base + "/attributes/" + f.Name
	d.attributes[f.Name] = wire(d.kindOf(d.mv.Model, f), v)
	if v == nil && slices.ContainsFunc(d.mv.Relationships, func(r *schema.Relationship) bool { return r.Required() && slices.Contains(r.From, f) }) {
		d.refuse("required-relationship", pointer)
	}
	d.assign(f, &plan.Given{Slot: d.slot(v, pointer), Type: f.Type}, v)
}

// attributes gives the attributes that are no foreign keys, each by chance, the
// needed ones mostly.
func (d *draft) plainAttributes(always int) {
	t := d.table(d.mv.Model.Table)
	for _, f := range d.mv.Attributes {
		c := t.column(f.Column)
		if slices.Contains(t.key, c) || d.foreign(f) || d.lookedUp(f) {
			continue
		}
		_, hasDefault := t.defaults[c]
		needed := d.inserts && c.notNull && !hasDefault
		if needed && !d.one(40) || !needed && d.one(always) {
			d.attribute(f, d.valueFor(f))
		}
	}
}

// lookedUp reports whether the row may refer to itself by what the column was
// before the request.
func (d *draft) lookedUp(f *schema.Field) bool {
	for rel := range d.linked {
		if !d.inserts && !rel.ByID && rel.Target == d.mv.Model && slices.Contains(rel.To, f) {
			return true
		}
	}
	return false
}

// row is a row of the model's that the role sees, or any other rarely; nil where
// there is none.
func (c client) row(m *schema.Model) evaluate.Row {
	t := c.table(m.Table)
	seen := slices.DeleteFunc(slices.Clone(t.rows), func(r evaluate.Row) bool { return !t.policies[c.role].shows(r) })
	switch {
	case len(seen) > 0 && !c.one(12):
		return pick(c, seen)
	case len(t.rows) > 0:
		return pick(c, t.rows)
	default:
		return nil
	}
}

// key is the key of such a row, or of none.
func (c client) key(m *schema.Model) []any {
	if row := c.row(m); row != nil && !c.one(25) {
		return rowKey(m, row)
	}
	return c.freshKey(m)
}

func (c client) freshKey(m *schema.Model) []any {
	out := make([]any, len(m.Key))
	for i, f := range m.Key {
		out[i] = c.fresh(c.kindOf(m, f))
	}
	return out
}

func rowKey(m *schema.Model, row evaluate.Row) []any {
	out := make([]any, len(m.Key))
	for i, f := range m.Key {
		out[i] = row[f.Column]
	}
	return out
}

// spell is the id of a key.
func (c client) spell(m *schema.Model, key []any) string {
	parts := make([]string, len(m.Key))
	for i, f := range m.Key {
		parts[i] = c.kindOf(m, f).text(key[i])
		if len(m.Key) > 1 {
			parts[i] = strings.NewReplacer("%", "%25", c.divider, fmt.Sprintf("%%%02X", c.divider)).Replace(parts[i])
		}
	}
	return strings.Join(parts, c.divider)
}

// object is the resource object of the draft.
func (d *draft) object() map[string]any {
	out := map[string]any{"type": d.mv.Model.Type}
	d.Attributes = d.base
	if len(d.attributes) > 0 || d.one(2) {
		out["attributes"] = d.attributes
		d.Attributes += "/attributes"
	}
	if len(d.relationships) > 0 {
		out["relationships"] = d.relationships
	}
	d.targets()
	// Members change in the order in which the document names them.
	slices.SortStableFunc(d.write.Members, func(a, b *plan.Members) int { return strings.Compare(a.Relationship.Name, b.Relationship.Name) })
	return out
}

// spoil makes a mistake that is found before anything is done.
func (d *draft) spoil(object map[string]any) {
	switch d.Intn(5) {
	case 0:
		object["type"] = "nothing"
		d.alone = []evaluate.Problem{{Code: "type-mismatch", At: []string{d.base + "/type"}}}
	case 1:
		d.attributes["nothing"] = 1
		object["attributes"] = d.attributes
		d.refuse("invalid-payload", d.base+"/attributes/nothing")
	case 2:
		d.relationships["nothing"] = map[string]any{"data": nil}
		object["relationships"] = d.relationships
		d.refuse("invalid-payload", d.base+"/relationships/nothing")
	default:
		d.misspell(object)
	}
}

// misspell gives an attribute a value that is none of its kind.
func (d *draft) misspell(object map[string]any) {
	t := d.table(d.mv.Model.Table)
	for _, f := range d.mv.Attributes {
		c := t.column(f.Column)
		if _, given := d.attributes[f.Name]; given || len(c.kind.wrong) == 0 || slices.Contains(t.key, c) || d.foreign(f) {
			continue
		}
		d.attributes[f.Name] = []any{map[string]any{"wrong": pick(d.client, c.kind.wrong)}}
		if d.one(2) && c.kind != boolKind {
			d.attributes[f.Name] = pick(d.client, c.kind.wrong)
		}
		object["attributes"] = d.attributes
		d.refuse("invalid-payload|invalid-value", d.base+"/attributes/"+f.Name)
		return
	}
}
