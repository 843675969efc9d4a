package sqlgen

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/resourcery/resourcery/plan"
)

// A Compiler lowers plans of one process and keeps what it compiled, in two
// bounded caches: pipelines by the shape of their whole plan, and the edges of
// include paths by the shape of the edge alone, as an edge's SQL does not
// depend on the page that it starts from. Shapes are the clients' choice, so
// the least recently used ones are forgotten. It is safe for concurrent use.
type Compiler struct {
	pipelines *lru.Cache[string, *Pipeline]
	edgeCache *lru.Cache[string, *loweredEdge]
}

// How many shapes are kept. A pipeline is a few kB; the largest that the default
// limits allow is some 100 kB, and clients choose, so that 1024 of them take
// 100 MB at the worst.
const (
	keptPipelines = 1024
	keptEdges     = 4096
)

// NewCompiler returns a compiler with empty caches.
func NewCompiler() *Compiler {
	return &Compiler{pipelines: cache[*Pipeline](keptPipelines), edgeCache: cache[*loweredEdge](keptEdges)}
}

func cache[V any](size int) *lru.Cache[string, V] {
	c, err := lru.New[string, V](size)
	if err != nil {
		panic("sqlgen: " + err.Error()) // only for a size that is not positive
	}
	return c
}

// Compile returns the pipeline of the action's shape. The pipeline is shared
// between all actions of that shape and must not be changed.
func (c *Compiler) Compile(a plan.Action) *Pipeline {
	if b, ok := a.(*plan.Batch); ok {
		return c.batch(b)
	}
	return c.compile(a, alone)
}

// A setting says what stands around the statements of an action.
type setting byte

const (
	alone   setting = iota
	batched         // they are an operation's of a batch: earlier ones may have failed
)

// compile returns the pipeline of one action from the cache, new if it is not
// there.
func (c *Compiler) compile(a plan.Action, in setting) *Pipeline {
	key := shapes.Get().(*shape)
	defer shapes.Put(key)
	key.reset()
	key.tag(byte(in))
	key.action(a)
	if p, ok := c.pipelines.Get(key.lookup()); ok {
		return p
	}
	p := c.lower(a, in)
	c.pipelines.Add(key.String(), p)
	return p
}

func (c *Compiler) lower(a plan.Action, in setting) *Pipeline {
	switch a := a.(type) {
	case *plan.Read:
		p := &Pipeline{}
		c.read(p, a)
		return p
	case *plan.Create:
		return c.create(a, in)
	case *plan.Update:
		return c.update(a, in)
	case *plan.Delete:
		return c.delete(a, in)
	default:
		panic("sqlgen: an action of no known type")
	}
}

// edge returns the edge lowered, from the cache if it is there.
func (c *Compiler) edge(e *plan.Edge, keys []int, hand *handover) *loweredEdge {
	key := shapes.Get().(*shape)
	defer shapes.Put(key)
	key.reset()
	key.loneEdge(e, keys, hand.next)
	if out, ok := c.edgeCache.Get(key.lookup()); ok {
		hand.next += out.used
		return out
	}
	out := lowerEdge(e, keys, hand)
	c.edgeCache.Add(key.String(), out)
	return out
}
