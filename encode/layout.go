package encode

import (
	"net/url"
	"slices"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// A layout is what all documents of one pipeline have in common: where their
// parts are, and the text that does not depend on rows. It is immutable.
type layout struct {
	page   int   // the page's statement
	checks []int // those that must have a row
	count  int   // the one that tells the total; noStatement where there is none
	edges  bool  // whether any tells how rows are linked
	// included are the statements whose rows are to be included, in the order of
	// the request's paths.
	included  []int
	resources []resourceText // by statement
}

const noStatement = -1

func newLayout(p *sqlgen.Pipeline, o *Options) *layout {
	l := &layout{count: noStatement, resources: make([]resourceText, len(p.Statements))}
	for i, st := range p.Statements {
		switch st.Part {
		case sqlgen.Check:
			l.checks = append(l.checks, i)
		case sqlgen.Page:
			l.page = i
		case sqlgen.Rows:
			l.edges = true
			if !st.Edge.Silent {
				l.included = append(l.included, i)
			}
		case sqlgen.Pairs:
			l.edges = true
		case sqlgen.Count, sqlgen.Estimate:
			l.count = i
		case sqlgen.Unseen, sqlgen.Written, sqlgen.Again, sqlgen.Step, sqlgen.Guard: // not of the document
		}
		if st.Model != nil {
			l.resources[i] = newResourceText(p, st, o)
		}
	}
	slices.SortStableFunc(l.included, func(a, b int) int { return p.Statements[a].Edge.Rank - p.Statements[b].Edge.Rank })
	return l
}

// A resourceText is what all resources of one statement have in common.
type resourceText struct {
	open       string // `{"type":"post","id":`, of a resource object and of an identifier
	key        idKey
	href       string // `https://example.org/api/post/`, escaped
	attributes []attributeText
	relations  []relationText
	rest       string // `?sort=-createdAt&page%5Boffset%5D=5&...`, of an edge with a window
}

func newResourceText(p *sqlgen.Pipeline, st *sqlgen.Statement, o *Options) resourceText {
	t := resourceText{
		open: openIdentifier(st.Model),
		key:  newIDKey(st, st.ID, o),
		href: o.Endpoint + "/" + url.PathEscape(st.Model.Type) + "/",
	}
	if st.Edge != nil && st.Edge.Limit > 0 {
		t.rest = "?" + windowRest(st.Edge)
	}
	for i, f := range st.Fields {
		c := st.Columns[st.Attributes[i]]
		a := attributeText{name: f.Name, open: `,"` + f.Name + `":`, column: st.Attributes[i], typ: c.Type.Base(), format: c.Format}
		if i == 0 {
			a.open = `,"attributes":{"` + f.Name + `":`
		}
		if complex(f.Type) {
			a.path = ".attributes." + string(appendSegment(nil, f.Name))
		}
		t.attributes = append(t.attributes, a)
	}
	for _, rel := range st.Relationships {
		t.relations = append(t.relations, newRelationText(p, st, rel, o))
	}
	return t
}

func openIdentifier(m *schema.Model) string { return `{"type":"` + m.Type + `","id":` }

// An attributeText is one attribute of a resource.
type attributeText struct {
	name   string
	open   string // `,"title":`, of the first one `,"attributes":{"title":`
	column int
	typ    *schema.Type // without domains
	format sqlgen.Format
	path   string // `.attributes.title`, as annotations have it; "" where values are never annotated
}

// A relationText is one relationship of a resource.
type relationText struct {
	*schema.Relationship
	// The object begins with linkage: `,"author":{"data":`, and goes on with
	// toLinks, or it begins with links: `,"author":{"links":{"self":"`. The first
	// one of a resource has `,"relationships":{"author"` instead of `,"author"`.
	openData, openLinks string
	// own is the linkage that the row itself tells; nil where the relationship is
	// not the row's own, or where the row leaves it out.
	own   *ownText
	edges []int // the statements that tell the linkage where it is not
	// What follows the resource's address in the links: in self, up to the address
	// in related, up to that in next where there is one, and in next.
	self    string // `/relationships/author`
	toOther string // `/relationships/author","related":"`
	toNext  string // `/author","next":"`
	toEnd   string // `/author"}}`
}

// An ownText is the identifier that a row has of another resource.
type ownText struct {
	open    string // `{"type":"user","id":`
	key     idKey
	columns []int // of the key
}

// toLinks stands between linkage and the address in self.
const toLinks = `,"links":{"self":"`

func newRelationText(p *sqlgen.Pipeline, st *sqlgen.Statement, rel *schema.Relationship, o *Options) relationText {
	open := `,"` + rel.Name + `":{`
	if rel == st.Relationships[0] {
		open = `,"relationships":{` + open[1:]
	}
	name := url.PathEscape(rel.Name)
	t := relationText{
		Relationship: rel,
		openData:     open + `"data":`,
		openLinks:    open + toLinks[1:],
		self:         "/relationships/" + name,
		toOther:      "/relationships/" + name + `","related":"`,
		toNext:       "/" + name + `","next":"`,
		toEnd:        "/" + name + `"}}`,
	}
	for _, l := range st.Linkages {
		if l.Relationship == rel {
			t.own = &ownText{open: openIdentifier(rel.Target), key: newIDKey(st, l.Columns, o), columns: l.Columns}
			break
		}
	}
	for i, edge := range p.Statements {
		if edge.Edge != nil && edge.Edge.Relationship == rel && !edge.Edge.Paired {
			t.edges = append(t.edges, i)
		}
	}
	return t
}
