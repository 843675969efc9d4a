package encode

import (
	"net/url"
	"slices"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// A resourceText is what all resources of one statement have in common: the text
// between the values that rows bring. Where no value stands between two members,
// the end of the first one is part of what opens the second.
type resourceText struct {
	open       string // `{"type":"post","id":`, of a resource object and of an identifier
	key        idKey
	address    string // `https://example.org/api/post/`, escaped: the id is to follow
	attributes []attributeText
	relations  []relationText
	links      string // `}},"links":{"self":"https://example.org/api/post/`
	rest       string // `?sort=-createdAt&page%5Boffset%5D=5&...`, of an edge with a window
}

func newResourceText(p *sqlgen.Pipeline, st *sqlgen.Statement, o *Options) resourceText {
	t := resourceText{
		open:    openIdentifier(st.Model),
		key:     newIDKey(st, st.ID, o),
		address: o.Endpoint + "/" + url.PathEscape(st.Model.Type) + "/",
	}
	if st.Edge != nil && st.Edge.Limit > 0 {
		t.rest = "?" + windowRest(st.Edge)
	}
	t.attributes = newAttributeTexts(st)
	end := "" // of what stands before
	if len(t.attributes) > 0 {
		end = "}"
	}
	for i, rel := range st.Relationships {
		open := end + `,"` + rel.Name + `":{`
		if i == 0 {
			open = end + `,"relationships":{"` + rel.Name + `":{`
		}
		relation := newRelationText(rel, open, t.address)
		relation.own = newOwnText(st, rel, o)
		relation.edges = edgesOf(p, rel)
		end = "/" + url.PathEscape(rel.Name) + `"}}`
		if windowed(p, relation.edges) {
			relation.end, end = end, ""
		}
		t.relations = append(t.relations, relation)
	}
	if len(t.relations) > 0 {
		end += "}"
	}
	t.links = end + `,"links":{"self":"` + t.address
	return t
}

func openIdentifier(m *schema.Model) string { return `{"type":"` + m.Type + `","id":` }

// A relationText is one relationship of a resource.
type relationText struct {
	*schema.Relationship
	// The object begins with linkage: `},"author":{"data":`, and goes on with
	// toLinks, or it begins with links: `},"author":{"links":{"self":"`, and the
	// address of the resource but for its id.
	openData, toLinks, openLinks string
	// own is the linkage that the row itself tells; nil where the relationship is
	// not the row's own, or where the row leaves it out.
	own   *ownText
	edges []int // the statements that tell the linkage where it is not
	// What follows the resource's id in the links: in self, up to the id in related,
	// up to that in next where there is one, and in next.
	self    string // `/relationships/author`
	toOther string // `/relationships/author","related":"https://example.org/api/post/`
	toNext  string // `/author","next":"https://example.org/api/post/`
	// end follows in related where there is no next: `/author"}}`. It is "" where
	// there never is, and what stands behind the relationship begins with it.
	end string
}

func newRelationText(rel *schema.Relationship, open, address string) relationText {
	name := url.PathEscape(rel.Name)
	links := `"links":{"self":"` + address
	return relationText{
		Relationship: rel,
		openData:     open + `"data":`,
		toLinks:      "," + links,
		openLinks:    open + links,
		self:         "/relationships/" + name,
		toOther:      "/relationships/" + name + `","related":"` + address,
		toNext:       "/" + name + `","next":"` + address,
	}
}

// edgesOf returns the statements that tell the linkage of a relationship.
func edgesOf(p *sqlgen.Pipeline, rel *schema.Relationship) (edges []int) {
	for i, st := range p.Statements {
		if st.Edge != nil && st.Edge.Relationship == rel && !st.Edge.Paired {
			edges = append(edges, i)
		}
	}
	return edges
}

// windowed reports whether any of the statements may leave members out.
func windowed(p *sqlgen.Pipeline, edges []int) bool {
	return slices.ContainsFunc(edges, func(i int) bool { return p.Statements[i].More > 0 })
}

// An ownText is the identifier that a row has of another resource.
type ownText struct {
	open string // `{"type":"user","id":`
	key  idKey
}

func newOwnText(st *sqlgen.Statement, rel *schema.Relationship, o *Options) *ownText {
	for _, l := range st.Linkages {
		if l.Relationship == rel {
			return &ownText{open: openIdentifier(rel.Target), key: newIDKey(st, l.Columns, o)}
		}
	}
	return nil
}
