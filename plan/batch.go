package plan

import (
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// BuildBatch resolves the operations of one atomic request, in order. Errors are
// those of Build; they hold every problem of every operation.
// https://jsonapi.org/ext/atomic
func BuildBatch(v *schema.View, requests []*parse.Request, o Options) (*Plan, error) {
	o = o.withDefaults()
	o.Digests = false // no answer has an entity tag of its own
	shared := &batch{lids: make(map[localID]int), used: usedLIDs(v, requests)}
	out := &Batch{}
	var errs jsonapi.Errors
	for i, r := range requests {
		if len(errs) >= jsonapi.MaxErrors {
			break // as with full
		}
		b := newBuilder(v, r, o)
		b.batch, shared.current = shared, i+1
		p, err := b.planned(b.action())
		if err != nil {
			errs = append(errs, placed(err, r.Pointer)...)
			continue
		}
		p.Pointer = r.Pointer
		out.Operations = append(out.Operations, p)
	}
	if len(errs) > jsonapi.MaxErrors {
		errs = errs[:jsonapi.MaxErrors]
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return &Plan{Action: out, View: v}, nil
}

// placed has errors without a source of their own point at their operation. What
// its target does not have is forbidden here, as POST is the request's method.
func placed(err error, pointer string) jsonapi.Errors {
	errs := jsonapi.AsErrors(err)
	for _, e := range errs {
		if e.Code == jsonapi.MethodNotAllowed {
			e.Code = jsonapi.Forbidden
		}
		if e.Source == (jsonapi.Source{}) {
			e.Source = jsonapi.Pointer(pointer)
		}
	}
	return errs
}

// A batch is what the operations of one request share.
type batch struct {
	current int             // the number of the operation that is being built
	lids    map[localID]int // the operations that make a resource, by its local id
	used    map[localID]bool
}

// A localID names a resource that an operation makes.
type localID struct {
	model *schema.Model
	lid   string
}

// usedLIDs are the local ids by which operations name the rows of others.
func usedLIDs(v *schema.View, requests []*parse.Request) map[localID]bool {
	used := make(map[localID]bool)
	use := func(typ, lid string) {
		if m, ok := v.Schema().Model(typ); ok && lid != "" {
			used[localID{m, lid}] = true
		}
	}
	linked := func(l *parse.Linkage) {
		for _, id := range l.Identifiers {
			use(id.Type, id.LID)
		}
	}
	for _, r := range requests {
		use(r.Target.Type, r.Target.LID)
		if r.Body == nil {
			continue
		}
		if r.Body.Linkage != nil {
			linked(r.Body.Linkage)
		}
		if r.Body.Resource != nil {
			for i := range r.Body.Resource.Relationships {
				linked(&r.Body.Resource.Relationships[i].Linkage)
			}
		}
	}
	return used
}

// number is that of the operation where others name its row, else 0. It notes
// the local id of what the operation makes. An operation that changes the key of
// such a row takes its number over, so that they find the row under its new one.
func (c *change) number() int {
	if c.batch == nil {
		return 0
	}
	if lid := c.request.Target.LID; lid != "" && c.keyChanges() {
		return c.batch.lids[localID{c.mv.Model, lid}]
	}
	if !c.inserts {
		return 0
	}
	lid := c.request.Body.Resource.LID
	id := localID{c.mv.Model, lid}
	if lid == "" || !c.batch.used[id] {
		return 0
	}
	c.batch.lids[id] = c.batch.current
	return c.batch.current
}

// made finds the operation that makes the resource of a local id.
func (c *change) made(m *schema.Model, lid string, at jsonapi.Source) (int, bool) {
	return c.builder.madeBy(m, lid, at)
}

func (b *builder) madeBy(m *schema.Model, lid string, at jsonapi.Source) (int, bool) {
	if b.batch != nil {
		if number, ok := b.batch.lids[localID{m, lid}]; ok {
			return number, true
		}
	}
	b.refuse(unknownLID(at, m, lid))
	return 0, false
}

// madeKey is the key of a row that an earlier operation makes.
func (b *builder) madeKey(m *schema.Model, lid string, at jsonapi.Source) ([]Cell, bool) {
	if strings.HasPrefix(at.Pointer, "/") {
		at.Pointer += "/ref/lid"
	}
	number, ok := b.madeBy(m, lid, at)
	if !ok {
		return nil, false
	}
	return madeCells(m, number), true
}

// madeCells are the key of the row that an operation makes.
func madeCells(m *schema.Model, number int) []Cell {
	key := make([]Cell, len(m.Key))
	for i, f := range m.Key {
		key[i] = &Made{Number: number, Field: f}
	}
	return key
}
