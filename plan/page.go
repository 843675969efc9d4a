package plan

import (
	"errors"
	"math"
	"strconv"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

// The names of page parameters.
const (
	pageOffset = "offset"
	pageLimit  = "limit"
	pageNumber = "number"
	pageSize   = "size"
	pageAfter  = "after"
	pageBefore = "before"
	pageTotal  = "total"
)

// An ownPage is the page parameters of primary data by their names, and the
// numbers of those that are one.
type ownPage struct {
	given   map[string]parse.PageParam
	numbers map[string]int64
}

func (own ownPage) has(name string) bool { _, ok := own.given[name]; return ok }

// ownPage reads the page parameters of primary data.
func (b *builder) ownPage() ownPage {
	own := ownPage{given: make(map[string]parse.PageParam), numbers: make(map[string]int64)}
	for _, p := range b.request.Page {
		if p.Path != nil {
			continue // of an included relationship
		}
		least := int64(1)
		switch p.Name {
		case pageAfter, pageBefore, pageTotal:
			own.given[p.Name] = p
			continue
		case pageOffset:
			least = 0
		case pageLimit, pageNumber, pageSize:
		default:
			b.refuse(unknownPage(p))
			continue
		}
		own.given[p.Name] = p
		if n, ok := b.pageNumber(p, least); ok {
			own.numbers[p.Name] = n
		}
	}
	return own
}

// window resolves the page parameters in the style that the request has chosen
// (contract 4.10, 4.11). The query's order must be resolved before, as cursors
// are places in it.
func (b *builder) window(q *Query, own ownPage) Window {
	counted := own.has(pageNumber) || own.has(pageOffset) || own.has(pageLimit)
	switch {
	case own.has(pageAfter), own.has(pageBefore), own.has(pageSize) && !counted && b.options.CursorProfile:
		b.refuseOthers(own, cursorStyle)
		return b.keysetWindow(q, own)
	case own.has(pageNumber), own.has(pageSize):
		b.refuseOthers(own, numberStyle)
		return b.numberWindow(own)
	default:
		return b.offsetWindow(own)
	}
}

// A pageStyle is a way of asking for pages; its foreigners are the parameters
// that belong to another one.
type pageStyle struct {
	names      string
	foreigners []string
}

var (
	cursorStyle = pageStyle{"page[size], page[after] and page[before]", []string{pageOffset, pageLimit, pageNumber}}
	numberStyle = pageStyle{"page[number] and page[size]", []string{pageOffset, pageLimit}}
)

// refuseOthers refuses the parameters of another style.
func (b *builder) refuseOthers(own ownPage, style pageStyle) {
	for _, name := range style.foreigners {
		if p, ok := own.given[name]; ok {
			b.refuse(mixedPages(p, style))
		}
	}
}

// offsetWindow resolves page[offset] and page[limit].
func (b *builder) offsetWindow(own ownPage) Window {
	w := Window{Limit: b.limit(own, pageLimit), Offset: NoSlot}
	if n := own.numbers[pageOffset]; n > 0 {
		w.Offset = b.slot(n, jsonapi.Parameter(own.given[pageOffset].Parameter))
	}
	return w
}

// numberWindow resolves page[number] and page[size]. A page past the largest
// offset is the last that there is.
func (b *builder) numberWindow(own ownPage) Window {
	w := Window{Limit: b.limit(own, pageSize), Offset: NoSlot, Number: true}
	p, n := own.given[pageNumber], own.numbers[pageNumber]
	switch {
	case n <= 1:
	case w.Limit == 0:
		b.refuse(numberWithoutSize(p))
	default:
		size := int64(w.Limit)
		w.Offset = b.slot(min(n-1, math.MaxInt64/size)*size, jsonapi.Parameter(p.Parameter))
	}
	return w
}

// limit resolves the parameter that limits a page; without it the host's page
// size does.
func (b *builder) limit(own ownPage, name string) int {
	if n, ok := own.numbers[name]; ok {
		return b.trim(n)
	}
	return max(b.options.PageSize, 0)
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
