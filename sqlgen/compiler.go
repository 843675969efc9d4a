package sqlgen

import "github.com/resourcery/resourcery/plan"

// A Compiler lowers plans and keeps what it compiled. It is safe for
// concurrent use.
type Compiler struct{}

// NewCompiler returns a compiler with empty caches.
func NewCompiler() *Compiler { panic("unbuilt") }

// Compile returns the pipeline of the action's shape. The pipeline is shared
// between all actions of that shape and must not be changed.
func (c *Compiler) Compile(a plan.Action) *Pipeline { panic("unbuilt") }
