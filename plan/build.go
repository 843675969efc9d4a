package plan

import (
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// Build resolves r against what v shows. Its errors are jsonapi.Errors, or an
// Unavailable for what the target has no way to do. A path that leads nowhere is
// answered alone; otherwise they hold every problem of the request's parameters
// and of its body.
func Build(v *schema.View, r *parse.Request, o Options) (*Plan, error) {
	b := newBuilder(v, r, o.withDefaults())
	if r.Verb == parse.Fetch {
		return b.planned(b.read())
	}
	w := b // what a write gathers has its builder on the heap; that of a read stays on the stack
	return w.planned(w.action())
}

// planned is the plan of an action, unless something has been refused.
func (b *builder) planned(action Action) (*Plan, error) {
	if b.unavailable != nil {
		return nil, b.unavailable
	}
	if err := b.errs.Err(); err != nil {
		return nil, err
	}
	p := &b.room.plan
	*p = Plan{Action: action, View: b.view, Values: b.values, Sources: b.sources, Elements: b.elements, Attributes: b.missingAt()}
	return p, nil
}

// missingAt is where attributes stand that the body does not give.
func (b *builder) missingAt() string {
	body := b.request.Body
	switch {
	case body == nil || body.Resource == nil:
		return ""
	case body.Resource.HasAttributes:
		return body.Resource.Pointer + "/attributes"
	default:
		return body.Resource.Pointer
	}
}

// action resolves what is done. What it returns after a refusal is not used.
func (b *builder) action() Action {
	switch b.request.Verb {
	case parse.Fetch:
		return b.read()
	case parse.Create:
		return b.create()
	case parse.Update:
		return b.update()
	case parse.Delete:
		return b.remove()
	case parse.Add, parse.Replace, parse.Remove:
		return b.relate()
	default:
		panic("plan: a request without a verb")
	}
}

// A builder holds what one Build gathers.
type builder struct {
	view    *schema.View
	options Options
	request *parse.Request

	fieldsets  map[*schema.Model]fieldset
	conditions int
	edges      int // how many include steps there are

	room        *room // for the plan; a request has one read at most
	values      []any
	sources     []jsonapi.Source
	elements    map[Slot][]jsonapi.Source
	errs        jsonapi.Errors
	unavailable *Unavailable

	batch *batch // nil for a request of its own
}

func newBuilder(v *schema.View, r *parse.Request, o Options) builder {
	room := new(room)
	return builder{view: v, options: o, request: r, room: room, values: room.values[:0], sources: room.sources[:0]}
}

// refuse notes a mistake of the client; past the bound nothing more is said.
func (b *builder) refuse(e *jsonapi.Error) {
	if !b.full() {
		b.errs = append(b.errs, e)
	}
}

// full reports that nothing more is said. What a client may write as often as it
// likes is then not read on, as finding what it may have meant costs time.
func (b *builder) full() bool { return len(b.errs) >= jsonapi.MaxErrors }

// slot stores a value of the request and returns its place.
func (b *builder) slot(value any, at jsonapi.Source) Slot {
	b.values = append(b.values, value)
	b.sources = append(b.sources, at)
	return Slot(len(b.values) - 1)
}

// read resolves the path, then everything that the form of the read allows.
func (b *builder) read() *Read {
	t := b.request.Target
	model, ok := b.model(t.Type)
	if !ok {
		return nil
	}
	switch t.Shape {
	case parse.Collection:
		return b.collection(model)
	case parse.Resource:
		return b.resource(model)
	case parse.Related, parse.Relationship:
		return b.member(model)
	default:
		panic("plan: a target without a shape")
	}
}

// model finds the path's type.
func (b *builder) model(typ string) (*schema.ModelView, bool) {
	mv, ok := b.view.Model(typ)
	if !ok {
		b.refuse(unsupportedModel(typ, b.view))
		return nil, false
	}
	if !mv.Readable {
		b.refuse(unreadable(mv.Model))
		return nil, false
	}
	return mv, true
}

// collection reads resources of a model.
func (b *builder) collection(mv *schema.ModelView) *Read {
	b.resolveFieldsets()
	q := b.listing(mv, nil)
	return b.finish(Read{Form: Collection, Query: q}, mv)
}

// resource reads one resource by its id.
func (b *builder) resource(mv *schema.ModelView) *Read {
	key, ok := b.pathKey(mv.Model)
	if !ok {
		return nil
	}
	b.resolveFieldsets()
	q := b.single(mv)
	q.Where = keyEquals(mv.Model, key)
	q.Digest = b.digest(mv)
	return b.finish(Read{Form: Resource, Query: q}, mv)
}

// member reads a relationship of one resource, or what it leads to.
func (b *builder) member(mv *schema.ModelView) *Read {
	name := b.request.Target.Relationship
	rel, ok := mv.Relationship(name)
	if !ok {
		b.refuse(unsupportedRelationship(name, mv))
		return nil
	}
	key, ok := b.pathKey(mv.Model)
	if !ok {
		return nil
	}
	b.resolveFieldsets()
	target := b.view.Of(rel.Target)
	parent := &Parent{Relationship: rel, Key: key}
	related := b.request.Target.Shape == parse.Related
	switch {
	case related && rel.Many:
		return b.finish(Read{Form: Collection, Parent: parent, Query: b.listing(target, parent)}, target)
	case related:
		q := b.single(target)
		q.Digest = b.digest(target)
		return b.finish(Read{Form: RelatedResource, Parent: parent, Query: q}, target)
	case rel.Many:
		return b.linkage(parent, target)
	default:
		return b.toOneLinkage(mv, rel, key)
	}
}

// linkage reads the identifiers of a to-many relationship. Include paths start
// at the parent, so that the first step of each is the relationship itself.
func (b *builder) linkage(parent *Parent, target *schema.ModelView) *Read {
	q := b.listing(target, parent)
	read := b.reading(Read{Form: Linkage, Parent: parent, Query: q})
	for _, path := range b.includes(read) {
		if b.startsAt(parent.Relationship, path) {
			read.Members = true
			b.include(q, target, path[1:], path)
		}
	}
	b.windows(read)
	if !read.Members {
		q.Fields, q.Relationships = nil, nil
	}
	return read
}

// toOneLinkage reads the identifier of a to-one relationship from the row that
// has it, or, where another table tells it, over a step of its own.
func (b *builder) toOneLinkage(mv *schema.ModelView, rel *schema.Relationship, key []Slot) *Read {
	q := b.single(mv)
	q.Fields, q.Relationships = nil, []*schema.Relationship{rel}
	q.Where = keyEquals(mv.Model, key)
	read := b.reading(Read{Form: ToOneLinkage, Query: q})
	for _, path := range b.includes(read) {
		if b.startsAt(rel, path) {
			b.include(q, mv, path, path)
		}
	}
	b.windows(read)
	if len(q.Edges) == 0 && !rel.Own {
		e := newEdge(rel)
		e.Silent = true
		q.Edges = []*Edge{e}
	}
	return read
}

// startsAt refuses an include path of a relationship read that does not begin
// with the relationship: nothing would link what it brings.
func (b *builder) startsAt(rel *schema.Relationship, path []string) bool {
	if path[0] == rel.Name {
		return true
	}
	b.refuse(includeElsewhere(rel, path))
	return false
}

// finish adds what is included to a read of resources.
func (b *builder) finish(r Read, primary *schema.ModelView) *Read {
	read := b.reading(r)
	for _, path := range b.includes(read) {
		b.include(read.Query, primary, path, path)
	}
	b.windows(read)
	return read
}

// reading is the read of the request.
func (b *builder) reading(r Read) *Read {
	r.MaxIncluded = b.options.Limits.Included
	b.room.read = r
	return &b.room.read
}

// listing is a query with everything that collections may ask for. The parent
// is nil for the collection of a model.
func (b *builder) listing(mv *schema.ModelView, parent *Parent) *Query {
	q := b.room.rows.of(mv.Model)
	q.Fields, q.Relationships = b.shown(mv)
	q.Where = b.filters(mv)
	q.Order = b.order(q, b.request.Sort, sortParameter)
	own := b.ownPage()
	q.Window = b.window(q, own)
	q.Total = b.total(q, parent, own)
	q.Window.More = q.Window.More || q.Window.Limit > 0 && q.Total.Kind != ExactTotal
	return q
}

// single is a query for one resource at most. Parameters that choose among
// several are refused.
func (b *builder) single(mv *schema.ModelView) *Query {
	for _, p := range b.request.Params {
		if b.speaksOfIncluded(p) {
			continue
		}
		switch p.Group {
		case parse.FilterGroup, parse.SortGroup, parse.PageGroup:
			b.refuse(meaningless(p.Name))
		case parse.IncludeGroup, parse.FieldsGroup, parse.OtherGroup:
		}
	}
	q := b.room.rows.bare(mv.Model)
	q.Fields, q.Relationships = b.shown(mv)
	return q
}
