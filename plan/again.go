package plan

import (
	"slices"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// For returns the plan of the request that a read was built from, for the target
// t, which differs from that of the request in the id alone. It shares all but
// the id with p. Its errors are those of Build.
func (p *Plan) For(t parse.Target, o Options) (*Plan, error) {
	m := p.Action.(*Read).named()
	if m == nil {
		return p, nil
	}
	b := builder{options: o.withDefaults(), request: &parse.Request{Target: t}}
	parts, err := b.parseID(m, t.ID)
	if err != nil {
		return nil, invalidID(m, t.ID, err)
	}
	again := *p
	again.Values = slices.Clone(p.Values)
	copy(again.Values, parts) // the path's id has the first slots
	return &again, nil
}

// named is the model of the resource that the path names by its id; nil where it
// names none.
func (r *Read) named() *schema.Model {
	switch {
	case r.Parent != nil:
		return r.Parent.Relationship.Model
	case r.Form == Resource || r.Form == ToOneLinkage:
		return r.Query.Model
	default:
		return nil
	}
}
