package plan

import "github.com/resourcery/resourcery/schema"

// digest returns what the digest of the row is made of, where the host wants
// digests.
func (b *builder) digest(mv *schema.ModelView) []*schema.Field {
	if !b.options.Digests {
		return nil
	}
	return digestOf(mv)
}

// digestOf returns what the digest of a row is made of: the served columns that
// the role may read, whatever the request shows of them (contract 5.11). So the
// digest of a row is the same on every read of one role, and on its writes.
func digestOf(mv *schema.ModelView) []*schema.Field { return mv.Row }
