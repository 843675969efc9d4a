package parse

import (
	"net/url"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
)

const (
	relationships = "relationships" // the third segment of a relationship path
	operations    = "operations"    // no type: the path of the atomic operations, in any case (contract 1.3)
)

// Path parses the path of a request below the endpoint, still escaped, as in
// url.URL.EscapedPath: `/post/1/relationships/author`. A path of no known shape
// is a jsonapi.InvalidPath. The parts are percent-decoded once, so an id may
// hold an escaped slash; the type keeps the case in which it was written.
//
// `/post/1/relationships` is the related read of a relationship of that name,
// which a model may have.
func Path(escaped string) (Target, error) {
	rest, rooted := strings.CutPrefix(escaped, "/")
	if rest == "" {
		return Target{}, invalidPath("The path names no resource type; write /type.")
	}
	if !rooted {
		return Target{}, invalidPath("The path %s does not start with a slash.", printable(escaped))
	}
	parts := make([]string, 0, 4) // no path that leads anywhere has more
	for segment := range strings.SplitSeq(rest, "/") {
		part, err := segmentText(segment, len(parts))
		if err != nil {
			return Target{}, err
		}
		parts = append(parts, part)
	}
	return targetOf(parts)
}

// segmentText decodes the segment with the index i. Segments that are empty or
// dots are refused, as proxies and clients on the way fold them.
func segmentText(segment string, i int) (string, error) {
	text, fault := pathUnescape(segment)
	switch {
	case fault != "":
		return "", invalidPath("The path segment %s %s.", printable(segment), fault)
	case text == "" && i == 0:
		return "", invalidPath("The path starts with an empty segment; write /type.")
	case text == "" && i == 1:
		return "", invalidPath("The id in the path is empty; a path has no slash at its end, and an empty id is reached with filter[id]=")
	case text == "":
		return "", invalidPath("Segment %d of the path is empty; a path has no slash at its end and no two in a row.", i+1)
	case (text == "." || text == "..") && i == 1:
		return "", invalidPath("The id %q cannot stand in a path; it is reached with filter[id]=%s", text, text)
	case text == "." || text == "..":
		return "", invalidPath("The path segment %q is not a name.", text)
	}
	return text, nil
}

func targetOf(parts []string) (Target, error) {
	t := Target{Type: parts[0]}
	switch {
	case strings.EqualFold(parts[0], operations) && len(parts) == 1:
		return Target{Shape: Atomic}, nil
	case strings.EqualFold(parts[0], operations):
		return Target{}, invalidPath("The path /%s is that of the atomic operations; there is nothing below it.", operations)
	case len(parts) == 1:
		t.Shape = Collection
	case len(parts) == 2:
		t.Shape, t.ID = Resource, parts[1]
	case len(parts) == 3:
		t.Shape, t.ID, t.Relationship = Related, parts[1], parts[2]
	case len(parts) == 4 && parts[2] == relationships:
		t.Shape, t.ID, t.Relationship = Relationship, parts[1], parts[3]
	default:
		return Target{}, invalidPath("The path has %d segments; known are /type, /type/id, /type/id/relationship and /type/id/%s/relationship.",
			len(parts), relationships)
	}
	return t, nil
}

// Path returns the path of the target, escaped: Path of it gives t again.
func (t Target) Path() string {
	if t.Shape == Atomic {
		return "/" + operations
	}
	typ, id, relationship := url.PathEscape(t.Type), url.PathEscape(t.ID), url.PathEscape(t.Relationship)
	switch t.Shape {
	case Collection:
		return "/" + typ
	case Resource:
		return "/" + typ + "/" + id
	case Related:
		return "/" + typ + "/" + id + "/" + relationship
	case Relationship:
		return "/" + typ + "/" + id + "/" + relationships + "/" + relationship
	default:
		panic("parse: a target without a shape")
	}
}

func invalidPath(format string, args ...any) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.InvalidPath, jsonapi.Source{}, format, args...)
}
