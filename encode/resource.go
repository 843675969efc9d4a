package encode

import (
	"fmt"
	"net/url"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// A ref is one row of one statement.
type ref struct{ part, row int }

// A resourceText is what all resources of one statement have in common,
// written once for a document.
type resourceText struct {
	open       string   // `{"type":"post","id":`
	href       string   // `https://example.org/api/post/`, escaped
	attributes []string // `"title":`
	annotated  []bool   // which attributes can be annotated
	relations  []relationText
	rest       string // `?sort=-createdAt&page%5Boffset%5D=5&...`, of an edge with a window
}

type relationText struct {
	open    string // `"author":{`
	related string // `/author"`, after the resource's own address
	self    string // `/relationships/author"`
}

func (d *document) textOf(st *sqlgen.Statement) resourceText {
	if st.Model == nil {
		return resourceText{}
	}
	t := resourceText{
		open: `{"type":"` + st.Model.Type + `","id":`,
		href: d.Endpoint + "/" + url.PathEscape(st.Model.Type) + "/",
	}
	if st.Edge != nil && st.Edge.Limit > 0 {
		t.rest = "?" + windowRest(st.Edge)
	}
	for _, f := range st.Fields {
		t.attributes = append(t.attributes, `"`+f.Name+`":`)
		t.annotated = append(t.annotated, complex(f.Type))
	}
	for _, rel := range st.Relationships {
		name := url.PathEscape(rel.Name)
		t.relations = append(t.relations, relationText{
			open:    `"` + rel.Name + `":{`,
			related: "/" + name,
			self:    "/relationships/" + name,
		})
	}
	return t
}

// resource appends the resource object of a row. Linkage comes from all rows
// that show the same resource, as each was reached on a path of its own.
func (d *document) resource(r ref, all []ref) error {
	st, t := d.statement(r.part), &d.types[r.part]
	d.text(t.open)
	if err := d.id(r); err != nil {
		return err
	}
	if len(st.Fields) > 0 {
		if err := d.attributes(r, st, t); err != nil {
			return err
		}
	}
	href, err := d.href(r, t)
	if err != nil {
		return err
	}
	if len(st.Relationships) > 0 {
		d.text(`,"relationships":{`)
		for i, rel := range st.Relationships {
			if i > 0 {
				d.text(",")
			}
			if err := d.relationship(rel, &t.relations[i], href, all); err != nil {
				return err
			}
		}
		d.text("}")
	}
	d.text(`,"links":{"self":"` + href + `"}}`)
	return d.bounded()
}

func (d *document) attributes(r ref, st *sqlgen.Statement, t *resourceText) error {
	d.text(`,"attributes":{`)
	mark := d.notes.enter("attributes")
	for i, f := range st.Fields {
		if i > 0 {
			d.text(",")
		}
		d.text(t.attributes[i])
		notes := (*annotations)(nil)
		if t.annotated[i] {
			notes = &d.notes
		}
		if err := d.value(r, st.Attributes[i], f, notes); err != nil {
			return err
		}
	}
	d.notes.leave(mark)
	d.text("}")
	return nil
}

func (d *document) value(r ref, column int, f *schema.Field, notes *annotations) (err error) {
	mark := notes.enter(f.Name)
	c := d.statement(r.part).Columns[column]
	if d.buf, err = appendValue(d.buf, notes, c.Type, c.Format, d.rows(r.part).Value(r.row, column)); err != nil {
		return fmt.Errorf("encode attribute %s: %w", f.Name, err)
	}
	notes.leave(mark)
	return nil
}

// relationship appends one relationship object: linkage where the row tells it
// or an include path brought it, and links always. Where the linkage is a window,
// next leads to what follows it (contract 4.12).
func (d *document) relationship(rel *schema.Relationship, t *relationText, href string, all []ref) error {
	d.text(t.open)
	var m members
	linked := rel.Own
	if d.graph != nil && !rel.Own {
		m, linked = d.graph.members(rel, all)
	}
	if linked {
		d.text(`"data":`)
		if err := d.linkageOf(rel, all[0], m); err != nil {
			return err
		}
		d.text(",")
	}
	d.text(`"links":{"self":"`)
	d.text(href)
	d.text(t.self)
	d.text(`","related":"`)
	d.text(href)
	d.text(t.related)
	if m.rest != nil {
		d.text(`","next":"`)
		d.text(href)
		d.text(t.self)
		d.text(d.types[m.part].rest)
	}
	d.text(`"}}`)
	return nil
}

// linkage appends resource linkage: an array, an identifier or null.
func (d *document) linkage(rel *schema.Relationship, all []ref) error {
	var m members
	if !rel.Own {
		m, _ = d.graph.members(rel, all)
	}
	return d.linkageOf(rel, all[0], m)
}

// linkageOf appends it from the resource's row, or from the members.
func (d *document) linkageOf(rel *schema.Relationship, own ref, m members) error {
	if rel.Own {
		return d.ownLinkage(rel, own)
	}
	if !rel.Many {
		if len(m.rows) == 0 {
			d.text("null")
			return nil
		}
		return d.identifier(ref{m.part, m.rows[0]})
	}
	d.text("[")
	for i, row := range m.rows {
		if i > 0 {
			d.text(",")
		}
		if err := d.identifier(ref{m.part, row}); err != nil {
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
func (d *document) ownLinkage(rel *schema.Relationship, r ref) error {
	st := d.statement(r.part)
	for _, l := range st.Linkages {
		if l.Relationship != rel {
			continue
		}
		for _, c := range l.Columns {
			if d.rows(r.part).Value(r.row, c) == nil {
				d.text("null")
				return nil
			}
		}
		return d.identifierOf(rel.Target.Type, r, l.Columns)
	}
	return fmt.Errorf("encode relationship %s: the row does not tell its linkage", rel)
}

// identifier appends the resource identifier of a row.
func (d *document) identifier(r ref) error {
	st := d.statement(r.part)
	return d.identifierOf(st.Model.Type, r, st.ID)
}

func (d *document) identifierOf(typ string, r ref, columns []int) error {
	d.text(`{"type":"`)
	d.text(typ)
	d.text(`","id":`)
	if err := d.idOf(r, columns); err != nil {
		return err
	}
	d.text("}")
	return d.bounded()
}

func (d *document) id(r ref) error { return d.idOf(r, d.statement(r.part).ID) }

func (d *document) idOf(r ref, columns []int) (err error) {
	write := appendID
	if d.StringIDs {
		write = appendIDString
	}
	d.buf, err = write(d.buf, d.idColumns(r, columns), d.Divider)
	return err
}

func (d *document) idColumns(r ref, columns []int) []idColumn {
	st, rows := d.statement(r.part), d.rows(r.part)
	out := d.ids[:0]
	for _, c := range columns {
		out = append(out, idColumn{Type: st.Columns[c].Type, Format: st.Columns[c].Format, Raw: rows.Value(r.row, c)})
	}
	d.ids = out[:0]
	return out
}

// href returns the resource's address. It is plain ASCII without quotes, so it
// stands in JSON as it is.
func (d *document) href(r ref, t *resourceText) (string, error) {
	id, err := appendIDText(nil, d.idColumns(r, d.statement(r.part).ID), d.Divider)
	if err != nil {
		return "", err
	}
	return t.href + url.PathEscape(string(id)), nil
}
