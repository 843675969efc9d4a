package encode

import (
	"fmt"

	"github.com/resourcery/resourcery/exec"
)

// resource appends the resource object of a row. Linkage comes from all rows
// that show the same resource, as each was reached on a path of its own.
func (d *document) resource(r ref) (err error) {
	t, rows, row := &d.layout.resources[r.part], d.rows(int(r.part)), int(r.row)
	d.text(t.open)
	if d.buf, err = t.key.append(d.buf, rows, row); err != nil {
		return err
	}
	if err := d.attributes(t, rows, row); err != nil {
		return err
	}
	if err := d.locate(r); err != nil {
		return err
	}
	for i := range t.relations {
		if err := d.relationship(&t.relations[i], r); err != nil {
			return err
		}
	}
	if len(t.relations) > 0 {
		d.text("}")
	}
	d.text(`,"links":{"self":"`)
	d.buf = append(d.buf, d.href...)
	d.text(`"}}`)
	return d.bounded()
}

func (d *document) attributes(t *resourceText, rows *exec.Rows, row int) (err error) {
	for i := range t.attributes {
		a := &t.attributes[i]
		d.text(a.open)
		raw := rows.Value(row, a.column)
		if a.path == "" {
			d.buf, err = appendValue(d.buf, nil, a.typ, a.format, raw)
		} else {
			mark := d.notes.push(a.path)
			d.buf, err = appendValue(d.buf, &d.notes, a.typ, a.format, raw)
			d.notes.leave(mark)
		}
		if err != nil {
			return fmt.Errorf("encode attribute %s: %w", a.name, err)
		}
	}
	if len(t.attributes) > 0 {
		d.text("}")
	}
	return nil
}

// locate makes href the address of the resource of a row. It is plain ASCII
// without quotes, so it stands in JSON as it is.
func (d *document) locate(r ref) (err error) {
	t := &d.layout.resources[r.part]
	d.href = append(d.href[:0], t.href...)
	mark := len(d.href)
	if d.href, err = t.key.appendText(d.href, d.rows(int(r.part)), int(r.row)); err != nil {
		return err
	}
	if !t.key.plain {
		d.href = escapeSegmentFrom(d.href, mark)
	}
	return nil
}

// relationship appends one relationship object of the resource that href leads to:
// linkage where the row tells it or an include path brought it, and links always.
// Where the linkage is a window, next leads to what follows it (contract 4.12).
func (d *document) relationship(t *relationText, r ref) error {
	var m members
	linked := t.Own
	if d.graph != nil && !t.Own {
		m, linked = d.graph.members(t.edges, r)
	}
	if linked {
		d.text(t.openData)
		if err := d.linkageOf(t, r, &m); err != nil {
			return err
		}
		d.text(toLinks)
	} else {
		d.text(t.openLinks)
	}
	d.buf = append(d.buf, d.href...)
	d.text(t.toOther)
	d.buf = append(d.buf, d.href...)
	if m.rest != nil {
		d.text(t.toNext)
		d.buf = append(d.buf, d.href...)
		d.text(t.self)
		d.text(d.layout.resources[m.part].rest)
		d.text(`"}}`)
		return nil
	}
	d.text(t.toEnd)
	return nil
}

// linkage appends resource linkage: an array, an identifier or null.
func (d *document) linkage(t *relationText, r ref) error {
	var m members
	if !t.Own {
		m, _ = d.graph.members(t.edges, r)
	}
	return d.linkageOf(t, r, &m)
}

// linkageOf appends it from the resource's row, or from the members.
func (d *document) linkageOf(t *relationText, r ref, m *members) error {
	switch {
	case t.Own:
		if d.graph != nil {
			r = d.graph.firstOf(r)
		}
		return d.ownLinkage(t, r)
	case t.Many:
		return d.membersLinkage(m)
	case len(m.rows) == 0:
		d.text("null")
		return nil
	default:
		return d.identifier(ref{int32(m.part), m.rows[0]})
	}
}

func (d *document) membersLinkage(m *members) error {
	d.text("[")
	for i, row := range m.rows {
		if i > 0 {
			d.text(",")
		}
		if err := d.identifier(ref{int32(m.part), row}); err != nil {
			return err
		}
	}
	for _, r := range m.also { // there is a row before these: their window is another path's
		d.text(",")
		if err := d.identifier(r); err != nil {
			return err
		}
	}
	d.text("]")
	return nil
}

// ownLinkage appends the identifier that the row itself tells.
func (d *document) ownLinkage(t *relationText, r ref) error {
	if t.own == nil {
		return fmt.Errorf("encode relationship %s: the row does not tell its linkage", t.Relationship)
	}
	rows, row := d.rows(int(r.part)), int(r.row)
	for _, c := range t.own.columns {
		if rows.Value(row, c) == nil {
			d.text("null")
			return nil
		}
	}
	return d.identifierOf(t.own.open, &t.own.key, rows, row)
}

// identifier appends the resource identifier of a row.
func (d *document) identifier(r ref) error {
	t := &d.layout.resources[r.part]
	return d.identifierOf(t.open, &t.key, d.rows(int(r.part)), int(r.row))
}

func (d *document) identifierOf(open string, key *idKey, rows *exec.Rows, row int) (err error) {
	d.text(open)
	if d.buf, err = key.append(d.buf, rows, row); err != nil {
		return err
	}
	d.text("}")
	return d.bounded()
}
