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
	for _, edge := range [...]struct{ name, from string }{{"first", "after"}, {"last", "before"}} {
		d.openPage(edge.name)
		d.pageParameter(edge.from)
		d.closeCursorPage()
	}
	if err := d.nextPage(); err != nil {
		return err
	}
	return d.prevPage()
}

// closeCursorPage ends a link to a page that follows a cursor, with its size.
func (d *document) closeCursorPage() {
	if limit := d.read.Query.Window.Limit; limit > 0 {
		d.text("&")
		d.pageNumber("size", int64(limit))
	}
	d.closePage()
}

// nextPage appends the link to the page after this one.
func (d *document) nextPage() error {
	k := d.read.Query.Window.Keyset
	if bounded := k.Before != nil && len(k.Before.Parts) > 0; !bounded && (k.Backward() || !d.more()) {
		d.noPage("next")
		return nil
	}
	d.openPage("next")
	d.pageParameter("after")
	return d.beside(d.items-1, k.After)
}

// prevPage appends the link to the page before this one.
func (d *document) prevPage() error {
	k := d.read.Query.Window.Keyset
	if bounded := k.After != nil && len(k.After.Parts) > 0; !bounded && !(k.Backward() && d.more()) {
		d.noPage("prev")
		return nil
	}
	d.openPage("prev")
	d.pageParameter("before")
	return d.beside(0, k.Before)
}

// beside ends a link with the cursor that falls on a row of the page; where that
// has no rows, with the one that it was read from.
func (d *document) beside(row int, from *plan.Cursor) (err error) {
	switch {
	case d.items > 0:
		if d.buf, err = d.appendCursor(d.buf, row); err != nil {
			return err
		}
	case from != nil: // as the request has it, in the alphabet of URLs
		d.text(d.plan.Values[from.Text].(string))
	}
	d.closeCursorPage()
	return nil
}

// itemCursor adds to the object that was just written the cursor that falls on
// it.
// https://jsonapi.org/profiles/ethanresnick/cursor-pagination/#document-item-cursors
func (d *document) itemCursor(row int) (err error) {
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
	c := &d.cursor
	if c.text == nil {
		c.text = []byte{} // an empty value is not NULL
	}
	c.text, c.parts = c.text[:0], c.parts[:0]
	for _, column := range st.Cursor {
		raw := rows.Value(row, column)
		if raw == nil {
			c.parts = append(c.parts, nil)
			continue
		}
		mark := len(c.text)
		var err error
		if c.text, err = appendPlain(c.text, st.Columns[column].Type, st.Columns[column].Format, raw); err != nil {
			return dst, fmt.Errorf("encode a cursor: %w", err)
		}
		c.parts = append(c.parts, c.text[mark:len(c.text):len(c.text)])
	}
	out := d.read.Query.AppendCursor(dst, c.parts)
	if len(out)-len(dst) > maxCursor {
		return dst, jsonapi.Errorf(jsonapi.InvalidSort, jsonapi.Parameter("sort"),
			"A row has a sort key that is too long for a cursor, which holds %d bytes at most; sort by another field, or use page[offset].", maxCursor)
	}
	return out, nil
}

// A cursorText is what one cursor is made of, in memory that the next one uses
// again.
type cursorText struct {
	text  []byte
	parts [][]byte
}

// size is about how many bytes it keeps.
func (c *cursorText) size() int { return cap(c.text) + 24*cap(c.parts) }

// maxCursor bounds a cursor, so that a link with two of them is no longer than
// what servers take.
const maxCursor = 6000
