package plan

import (
	"cmp"
	"slices"

	"github.com/resourcery/resourcery/schema"
)

// digest returns what the digest of a row is made of: the served columns that
// the role may read, whatever the request shows of them (contract 5.11). So the
// digest of a row is the same on every read of one role, and on its writes.
func (b *builder) digest(mv *schema.ModelView) []*schema.Field {
	if !b.options.Digests {
		return nil
	}
	fields := slices.Concat(mv.Model.Key, mv.Attributes)
	slices.SortFunc(fields, func(x, y *schema.Field) int { return cmp.Compare(x.Ordinal, y.Ordinal) })
	return slices.Compact(fields)
}
