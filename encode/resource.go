package encode

import (
	"fmt"
)

// resource appends the resource object of a row. Linkage comes from all rows
// that show the same resource, as each was reached on a path of its own.
func (d *document) resource(r ref) error {
	t, rows, row := &d.layout.resources[r.part], d.rows(int(r.part)), int(r.row)
	dst := append(d.buf, t.open...)
	mark := len(dst)
	dst, err := t.key.append(dst, rows, row)
	if err != nil {
		return err
	}
	id, err := d.pathID(&t.key, dst[mark:], r)
	if err != nil {
		return err
	}
	if dst, err = d.appendAttributes(dst, t, r); err != nil {
		return err
	}
	for i := range t.relations {
		if dst, err = d.appendRelationship(dst, &t.relations[i], r, id); err != nil {
			return err
		}
	}
	dst = append(dst, t.links...)
	dst = append(dst, id...)
	d.buf = append(dst, `"}}`...)
	return bounded(len(d.buf), &d.notes)
}

// pathID returns the id of a row as the address of its resource has it, where
// that is JSON for it already. It lasts as long as json, and until the next one.
func (d *document) pathID(k *idKey, json []byte, r ref) ([]byte, error) {
	switch {
	case k.number:
		return json, nil
	case k.plain:
		return json[1 : len(json)-1], nil
	}
	var err error
	d.id, err = k.appendPath(d.id[:0], d.rows(int(r.part)), int(r.row))
	return d.id, err
}

// appendAddress appends the address of the resource of a row. It is plain ASCII
// without quotes, so it stands in JSON as it is.
func (d *document) appendAddress(dst []byte, r ref) ([]byte, error) {
	t := &d.layout.resources[r.part]
	return t.key.appendPath(append(dst, t.address...), d.rows(int(r.part)), int(r.row))
}

// appendRelationship appends one relationship object of the resource of a row,
// which has that id in paths: linkage where the row tells it or an include path
// brought it, and links always. Where the linkage is a window, next leads to what
// follows it (contract 4.12).
func (d *document) appendRelationship(dst []byte, t *relationText, r ref, id []byte) (_ []byte, err error) {
	if t.Own {
		if dst, err = d.appendOwnLinkage(append(dst, t.openData...), t, r); err != nil {
			return dst, err
		}
		return append(t.appendLinks(append(dst, t.toLinks...), id), t.end...), nil
	}
	m, linked := d.membersOf(t, r)
	if !linked {
		return append(t.appendLinks(append(dst, t.openLinks...), id), t.end...), nil
	}
	if dst, err = d.appendMembers(append(dst, t.openData...), t, &m); err != nil {
		return dst, err
	}
	dst = t.appendLinks(append(dst, t.toLinks...), id)
	if m.rest == nil {
		return append(dst, t.end...), nil
	}
	dst = append(append(dst, t.toNext...), id...)
	dst = append(append(dst, t.self...), d.layout.resources[m.part].rest...)
	return append(dst, `"}}`...), nil
}

// appendLinks appends the links of the relationship from the resource's id in self
// to that in related.
func (t *relationText) appendLinks(dst, id []byte) []byte {
	dst = append(dst, id...)
	dst = append(dst, t.toOther...)
	return append(dst, id...)
}

// linkage appends the resource linkage that is the document's primary data.
func (d *document) linkage(t *relationText) (err error) {
	r := d.pageRow(0)
	if t.Own {
		d.buf, err = d.appendOwnLinkage(d.buf, t, r)
		return err
	}
	m, _ := d.membersOf(t, r)
	d.buf, err = d.appendMembers(d.buf, t, &m)
	return err
}

// membersOf returns the rows that a relationship leads to from the resource of a
// row, if that is known. The row itself does not tell it.
func (d *document) membersOf(t *relationText, r ref) (m members, ok bool) {
	if d.graph == nil || len(t.edges) == 0 {
		return members{}, false
	}
	return d.graph.members(t.edges, r)
}

// appendMembers appends linkage with members: an array, an identifier or null.
func (d *document) appendMembers(dst []byte, t *relationText, m *members) (_ []byte, err error) {
	if !t.Many {
		if len(m.rows) == 0 {
			return append(dst, "null"...), nil
		}
		return d.appendIdentifier(dst, ref{int32(m.part), m.rows[0]})
	}
	dst = append(dst, '[')
	for i, row := range m.rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = d.appendIdentifier(dst, ref{int32(m.part), row}); err != nil {
			return dst, err
		}
	}
	for _, r := range m.also { // there is a row before these: their window is another path's
		if dst, err = d.appendIdentifier(append(dst, ','), r); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendOwnLinkage appends the linkage that a row itself tells: an identifier or
// null.
func (d *document) appendOwnLinkage(dst []byte, t *relationText, r ref) ([]byte, error) {
	if t.own == nil {
		return dst, fmt.Errorf("encode relationship %s: the row does not tell its linkage", t.Relationship)
	}
	if d.graph != nil {
		r = d.graph.firstOf(r)
	}
	mark := len(dst)
	dst, err := t.own.key.append(append(dst, t.own.open...), d.rows(int(r.part)), int(r.row))
	if err == errNoID {
		return append(dst[:mark], "null"...), nil
	}
	return append(dst, '}'), err
}

// appendIdentifier appends the resource identifier of a row.
func (d *document) appendIdentifier(dst []byte, r ref) ([]byte, error) {
	t := &d.layout.resources[r.part]
	dst, err := t.key.append(append(dst, t.open...), d.rows(int(r.part)), int(r.row))
	if err != nil {
		return dst, err
	}
	dst = append(dst, '}')
	return dst, bounded(len(dst), &d.notes)
}
