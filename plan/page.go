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

// An ownPage is the page parameters of primary data; nil: not given.
type ownPage struct {
	offset, limit, number, size counted
	after, before, total        *parse.PageParam
}

// A counted is a page parameter whose value is a number.
type counted struct {
	param *parse.PageParam // nil: not given
	n     int64
	right bool // the number has been read
}

func (c counted) given() bool { return c.param != nil }

// ownPage reads the page parameters of primary data.
func (b *builder) ownPage() ownPage {
	var own ownPage
	for i := range b.request.Page {
		p := &b.request.Page[i]
		if p.Path != nil {
			continue // of an included relationship
		}
		switch p.Name {
		case pageOffset:
			own.offset = b.counted(p, 0)
		case pageLimit:
			own.limit = b.counted(p, 1)
		case pageNumber:
			own.number = b.counted(p, 1)
		case pageSize:
			own.size = b.counted(p, 1)
		case pageAfter:
			own.after = p
		case pageBefore:
			own.before = p
		case pageTotal:
			own.total = p
		default:
			b.refuse(unknownPage(*p))
		}
	}
	return own
}

func (b *builder) counted(p *parse.PageParam, least int64) counted {
	n, ok := b.pageNumber(*p, least)
	return counted{param: p, n: n, right: ok}
}

// window resolves the page parameters in the style that the request has chosen
// (contract 4.10, 4.11). The query's order must be resolved before, as cursors
// are places in it.
func (b *builder) window(q *Query, own ownPage) Window {
	sizeAlone := own.size.given() && !own.number.given() && !own.offset.given() && !own.limit.given()
	switch {
	case own.after != nil, own.before != nil, sizeAlone && b.options.CursorProfile:
		b.refuseOthers(cursorStyle, own.offset, own.limit, own.number)
		return b.keysetWindow(q, own)
	case own.number.given(), own.size.given():
		b.refuseOthers(numberStyle, own.offset, own.limit)
		return b.numberWindow(own)
	default:
		return b.offsetWindow(own)
	}
}

// A pageStyle is a way of asking for pages, by the names of its parameters.
type pageStyle string

const (
	cursorStyle pageStyle = "page[size], page[after] and page[before]"
	numberStyle pageStyle = "page[number] and page[size]"
)

// refuseOthers refuses the parameters that belong to another style.
func (b *builder) refuseOthers(style pageStyle, foreigners ...counted) {
	for _, p := range foreigners {
		if p.given() {
			b.refuse(mixedPages(*p.param, style))
		}
	}
}

// offsetWindow resolves page[offset] and page[limit].
func (b *builder) offsetWindow(own ownPage) Window {
	w := Window{Limit: b.limit(own.limit), Offset: NoSlot}
	if offset := own.offset; offset.n > 0 {
		w.Offset = b.slot(offset.n, jsonapi.Parameter(offset.param.Parameter))
	}
	return w
}

// numberWindow resolves page[number] and page[size]. A page past the largest
// offset is the last that there is.
func (b *builder) numberWindow(own ownPage) Window {
	w := Window{Limit: b.limit(own.size), Offset: NoSlot, Number: true}
	number := own.number
	switch {
	case number.n <= 1:
	case w.Limit == 0:
		b.refuse(numberWithoutSize(*number.param))
	default:
		size := int64(w.Limit)
		w.Offset = b.slot(min(number.n-1, math.MaxInt64/size)*size, jsonapi.Parameter(number.param.Parameter))
	}
	return w
}

// limit resolves the parameter that limits a page; without it the host's page
// size does.
func (b *builder) limit(p counted) int {
	if p.right {
		return b.trim(p.n)
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
