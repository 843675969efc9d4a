package plan

import (
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// This file has the sentences about pages.

func badPage(p parse.PageParam, format string, args ...any) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidPage, jsonapi.Parameter(p.Parameter), format, args...)
}

func unknownPage(p parse.PageParam) *jsonapi.Error {
	return badPage(p, "There is no %s; pages are asked for with page[offset] and page[limit], with page[number] and page[size], or with page[size], page[after] and page[before], and counted with page[total].", p.Parameter)
}

func invalidPage(p parse.PageParam, least int64) *jsonapi.Error {
	return badPage(p, "%q is not a whole number from %d on.", p.Value, least)
}

func mixedPages(p parse.PageParam, style pageStyle) *jsonapi.Error {
	return badPage(p, "%s does not go with the other page parameters; write %s, or none of them.", p.Parameter, style)
}

func numberWithoutSize(p parse.PageParam) *jsonapi.Error {
	return badPage(p, "Pages have no size here unless it is asked for; add page[size].")
}

func estimatesNotAllowed(p parse.PageParam) *jsonapi.Error {
	return badPage(p, "Estimates are not allowed here; write exact, none, or a number at which counting stops.")
}

func unknownTotal(p parse.PageParam) *jsonapi.Error {
	return badPage(p, "%q is no way of counting; write exact, none, estimate, or a number at which counting stops.", p.Value)
}

// The URIs by which the cursor pagination profile names its errors.
const maxSizeExceeded = "https://jsonapi.org/profiles/ethanresnick/cursor-pagination/max-size-exceeded"

func sizeTooLarge(p parse.PageParam, largest int) *jsonapi.Error {
	e := badPage(p, "The page size %s is too large; %d is the largest.", p.Value, largest)
	e.Type = maxSizeExceeded
	e.Meta = map[string]any{"page": map[string]any{"maxSize": largest}}
	return e
}

func noCursor(p parse.PageParam) *jsonapi.Error {
	return badPage(p, "This is no cursor of ours; take one as it is from a page's links or from the meta of an item, or leave it empty.")
}

func foreignCursor(p parse.PageParam) *jsonapi.Error {
	return badPage(p, "The cursor belongs to another type or another sort; it goes with those that it was made for.")
}

func badCursorPart(p parse.PageParam, o Order, why error) *jsonapi.Error {
	return badPage(p, "The cursor does not fit: its value for %s is not %s.", termText(o.Term), why)
}

// A windowParameter is one that says something of an included relationship:
// page[path][limit] or sort[path].
type windowParameter struct {
	name string // as the client wrote it
	path []string
	code jsonapi.Code
}

func (p windowParameter) errorf(format string, args ...any) *jsonapi.Error {
	return jsonapi.Errorf(p.code, jsonapi.Parameter(p.name), format, args...)
}

func notIncluded(p windowParameter) *jsonapi.Error {
	path := strings.Join(p.path, ".")
	return p.errorf("The request does not include %q; add it to include, or leave %s out.", path, p.name)
}

func windowOfPrimary(p windowParameter) *jsonapi.Error {
	return p.errorf("%q is the primary data here; its pages and its order are asked for without a path.", p.path[0])
}

func windowOfOne(p windowParameter, rel *schema.Relationship) *jsonapi.Error {
	return p.errorf("%q is a to-one relationship; there is nothing to choose from.", rel.Name)
}

func unknownWindow(p parse.PageParam) *jsonapi.Error {
	return badPage(p, "Of an included relationship, page[%s][limit] alone is supported; further members are at the relationship's own address.", strings.Join(p.Path, "."))
}
