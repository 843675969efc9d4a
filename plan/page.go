package plan

import (
	"errors"
	"strconv"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

// The names of page parameters.
const (
	pageOffset = "offset"
	pageLimit  = "limit"
)

// window resolves the page parameters (contract 4.10).
func (b *builder) window() Window {
	w := Window{Limit: max(b.options.PageSize, 0), Offset: NoSlot}
	for _, p := range b.request.Page {
		switch p.Name {
		case pageLimit:
			if n, ok := b.pageNumber(p, 1); ok {
				w.Limit = b.trim(n)
			}
		case pageOffset:
			if n, ok := b.pageNumber(p, 0); ok && n > 0 {
				w.Offset = b.slot(n, jsonapi.Parameter(p.Parameter))
			}
		default:
			b.refuse(unknownPage(p))
		}
	}
	return w
}

// trim cuts a limit to the largest page. Where pages are unlimited there is none.
func (b *builder) trim(n int64) int {
	if b.options.PageSize == Unlimited {
		return int(min(n, maxLimit))
	}
	return int(min(n, int64(b.options.MaxPageSize)))
}

// maxLimit is the largest limit that goes into a statement.
const maxLimit = 1 << 31

// pageNumber reads a number of any length: what is past the largest one counts
// as that, as limits are trimmed and offsets may lie past the end.
func (b *builder) pageNumber(p parse.PageParam, least int64) (int64, bool) {
	n, err := strconv.ParseInt(p.Value, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || n < least || p.Value[0] == '+' {
		b.refuse(invalidPage(p, least))
		return 0, false
	}
	return n, true
}
