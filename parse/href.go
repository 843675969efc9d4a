package parse

import (
	"net/url"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
)

// ref reads the `ref` of an operation: a resource by id or local id, or a
// relationship of it. It returns the zero Target where it refuses it.
func (b *batchReader) ref(at string) Target {
	t, before := Target{Shape: Resource}, b.refused.count
	typed, byID, byLID := false, false, false
	for name := range b.object(at, "The member ref") {
		here := at + "/" + name
		switch name {
		case "type":
			t.Type, typed = b.typeName(here), true
		case "id":
			t.ID, _ = b.id(here, "The id")
			byID = true
		case "lid":
			t.LID, _ = b.word(here, "The local id")
			byLID = true
		case "relationship":
			t.Relationship, _ = b.word(here, "The name of the relationship")
			t.Shape = Relationship
		}
	}
	if b.refused.count > before {
		return Target{}
	}
	switch {
	case !typed:
		b.refused.add(at, "The member ref has no type.")
	case byID && byLID:
		b.refused.add(at, "The member ref has an id and a local id; leave one of the two.")
	case byLID:
		b.known(t.Type, t.LID, at+"/lid")
	case !byID:
		b.refused.add(at, "The member ref has no id; it names a resource, or a relationship of one.")
	}
	return t
}

// hrefTarget reads the `href` of an operation, a URL of the endpoint.
func (b *batchReader) hrefTarget(at string) Target {
	text, ok := b.word(at, "The member href")
	if !ok {
		return Target{}
	}
	path, fault := pathOfHref(text, b.endpoint)
	if fault != "" {
		b.refused.add(at, "%s", fault)
		return Target{}
	}
	t, err := Path(path)
	if err != nil {
		// A path of no known shape is a fault of the document here, not of the
		// request's own path.
		for _, e := range jsonapi.AsErrors(err) {
			b.refused.add(at, "%s", e.Detail)
		}
		return Target{}
	}
	switch t.Shape {
	case Related:
		t.Shape = Relationship // to write, both paths are one (contract 2.1)
	case Atomic:
		b.refused.add(at, "An operation does not have operations as its target.")
	}
	return t
}

// pathOfHref returns the escaped path below the endpoint that a href leads to:
// a URL below the endpoint's, a path below the endpoint's path, or one that
// starts at the endpoint, as links of a mounted server and examples of the
// extension have it.
func pathOfHref(href string, endpoint *url.URL) (path, fault string) {
	u, err := url.Parse(href)
	if err != nil {
		return "", "The member href is no URL."
	}
	if strings.ContainsAny(href, "?#") {
		return "", "The member href has a query or a fragment; it is the path of the target alone."
	}
	absolute := u.Scheme != "" || u.Host != "" || u.User != nil
	if absolute && !sameOrigin(u, endpoint) {
		return "", "The member href is not below the endpoint."
	}
	escaped := u.EscapedPath()
	rest, ok := strings.CutPrefix(escaped, endpoint.EscapedPath()+"/")
	switch {
	case ok:
		return "/" + rest, ""
	case absolute:
		return "", "The member href is not below the endpoint."
	case strings.HasPrefix(escaped, "/"):
		return escaped, ""
	default:
		return "/" + escaped, ""
	}
}

// sameOrigin compares what stands before the path. A URL that begins with two
// slashes has the endpoint's scheme.
func sameOrigin(u, endpoint *url.URL) bool {
	scheme := u.Scheme == "" || strings.EqualFold(u.Scheme, endpoint.Scheme)
	return scheme && u.User == nil && u.Opaque == "" && u.Host != "" && strings.EqualFold(u.Host, endpoint.Host)
}
