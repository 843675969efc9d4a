package encode

import (
	"fmt"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
)

// cursorLinks appends the links of pages that follow cursors. The first page
// starts after the empty cursor, and the last ends before it. Where a page is
// read from a cursor, whether there are rows on the cursor's other side is not
// asked: the link may lead to an empty page.
// https://jsonapi.org/profiles/ethanresnick/cursor-pagination/#auto-id-links
func (d *document) cursorLinks() error {
	next, err := d.nextPage()
	if err != nil {
		return err
	}
	prev, err := d.prevPage()
	if err != nil {
		return err
	}
	d.pageLink("first", d.sized(pageText("after", "")))
	d.pageLink("last", d.sized(pageText("before", "")))
	d.pageLinkIf(next != "", "next", func() string { return d.sized(next) })
	d.pageLinkIf(prev != "", "prev", func() string { return d.sized(prev) })
	return nil
}

// sized adds the page's size to its place.
func (d *document) sized(place string) string {
	if limit := d.read.Query.Window.Limit; limit > 0 {
		return place + "&" + pageParameter("size", int64(limit))
	}
	return place
}

// nextPage is the place of the page after this one, "" where there is none.
func (d *document) nextPage() (string, error) {
	k, n := d.read.Query.Window.Keyset, d.rows(d.page).Len()
	bounded := k.Before != nil && len(k.Before.Parts) > 0
	switch {
	case !bounded && (k.Backward() || !d.more()):
		return "", nil
	case n > 0:
		return d.beside("after", n-1)
	case k.After != nil:
		return pageText("after", d.cursorText(k.After)), nil
	default:
		return pageText("after", ""), nil
	}
}

// prevPage is the place of the page before this one, "" where there is none.
func (d *document) prevPage() (string, error) {
	k, n := d.read.Query.Window.Keyset, d.rows(d.page).Len()
	bounded := k.After != nil && len(k.After.Parts) > 0
	switch {
	case !bounded && !(k.Backward() && d.more()):
		return "", nil
	case n > 0:
		return d.beside("before", 0)
	case k.Before != nil:
		return pageText("before", d.cursorText(k.Before)), nil
	default:
		return pageText("before", ""), nil
	}
}

// beside is the place after or before a row of the page.
func (d *document) beside(name string, row int) (string, error) {
	cursor, err := d.appendCursor(nil, row)
	return pageText(name, string(cursor)), err
}

// cursorText is a cursor as the request has it. It is in the alphabet of URLs.
func (d *document) cursorText(c *plan.Cursor) string { return d.plan.Values[c.Text].(string) }

// itemCursor adds to the object that was just written the cursor that falls on
// it, where pages follow cursors.
// https://jsonapi.org/profiles/ethanresnick/cursor-pagination/#document-item-cursors
func (d *document) itemCursor(row int) (err error) {
	if d.read.Query.Window.Keyset == nil {
		return nil
	}
	d.buf = append(d.buf[:len(d.buf)-1], `,"meta":{"page":{"cursor":"`...)
	if d.buf, err = d.appendCursor(d.buf, row); err != nil {
		return err
	}
	d.text(`"}}}`)
	return nil
}

// appendCursor appends the cursor that falls on a row of the page. Its parts are
// the text that plan reads as values.
func (d *document) appendCursor(dst []byte, row int) ([]byte, error) {
	st, rows := d.statement(d.page), d.rows(d.page)
	parts := make([][]byte, len(st.Cursor))
	for i, c := range st.Cursor {
		raw := rows.Value(row, c)
		if raw == nil {
			continue
		}
		text, err := appendPlain([]byte{}, st.Columns[c].Type, st.Columns[c].Format, raw)
		if err != nil {
			return dst, fmt.Errorf("encode a cursor: %w", err)
		}
		parts[i] = text
	}
	out := d.read.Query.AppendCursor(dst, parts)
	if len(out)-len(dst) > maxCursor {
		return dst, jsonapi.Errorf(jsonapi.InvalidSort, jsonapi.Parameter("sort"),
			"A row has a sort key that is too long for a cursor, which holds %d bytes at most; sort by another field, or use page[offset].", maxCursor)
	}
	return out, nil
}

// maxCursor bounds a cursor, so that a link with two of them is no longer than
// what servers take.
const maxCursor = 6000
