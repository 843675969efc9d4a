package httpapi

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

// tag gives the answer its entity tag. Where If-None-Match names it, the client
// has the document already and gets a 304 without it (contract 5.11).
func (out *response) tag(etag string, ifNoneMatch []string) {
	out.addHeader("ETag", etag)
	if !named(etag, ifNoneMatch) {
		return
	}
	out.status = http.StatusNotModified
	out.body = out.body[:0]
	// What it depends on is part of the answer that the client keeps.
	out.addHeader("Vary", "Accept")
}

// named reports whether the lines of If-None-Match name the tag: by `*`, which
// is whatever there is, or in their list. Tags are compared weakly: a cache or
// proxy on the way may have made a weak one of ours (RFC 9110, 13.1.2).
func named(etag string, lines []string) bool {
	return slices.ContainsFunc(entityTags(lines), func(element string) bool {
		return element == anyTag || strings.TrimPrefix(element, "W/") == etag
	})
}

// anyTag stands in place of a list of entity tags for whatever there is.
const anyTag = "*"

// entityTags returns the elements of If-Match or If-None-Match: entity tags with
// their quotes, anyTag, and what is none, as it came. A backslash has no meaning
// within an entity tag (RFC 9110, 8.8.3).
func entityTags(lines []string) []string {
	var tags []string
	for _, rest := range lines {
		for rest = afterTag(rest); rest != ""; {
			end := tagEnd(rest)
			tags = append(tags, strings.TrimRight(rest[:end], " \t"))
			rest = afterTag(rest[end:])
		}
	}
	return tags
}

func afterTag(list string) string { return strings.TrimLeft(list, ", \t") }

// tagEnd returns where the first element of a list ends.
func tagEnd(list string) int {
	mark := len(list) - len(strings.TrimPrefix(list, "W/"))
	if strings.HasPrefix(list[mark:], `"`) {
		if length := strings.IndexByte(list[mark+1:], '"'); length >= 0 {
			return mark + length + 2
		}
	}
	if comma := strings.IndexByte(list, ','); comma >= 0 {
		return comma
	}
	return len(list)
}

// ownTag matches the entity tags of this service; its group is the part about
// the row.
var ownTag = regexp.MustCompile(`^"([0-9a-f]{32})-[0-9a-f]{32}"$`)

// matchOf returns the condition of If-Match as far as the row tells whether it
// holds; nil without the header. Tags are compared strongly, so weak ones never
// match, nor do those that this service does not give; where only such are named,
// no row matches (RFC 9110, 13.1.1).
func matchOf(header http.Header) *parse.Match {
	lines, given := header["If-Match"]
	if !given {
		return nil
	}
	m := &parse.Match{}
	for _, tag := range entityTags(lines) {
		if tag == anyTag {
			return &parse.Match{Any: true}
		}
		if own := ownTag.FindStringSubmatch(tag); own != nil && !slices.Contains(m.Rows, own[1]) {
			m.Rows = append(m.Rows, own[1])
		}
	}
	return m
}

// unmet refuses a write of several or of no resource that is to happen on a
// condition about entity tags, as there are none, and one of a resource that is
// to happen only where there is none (RFC 9110, 13.1.1, 13.1.2).
func unmet(header http.Header, verb parse.Verb) error {
	switch verb {
	case parse.Update, parse.Delete:
		if slices.Contains(entityTags(header["If-None-Match"]), anyTag) {
			return preconditionFailed("If-None-Match", "If-None-Match: * asks for a resource that does not exist, and this method needs one that does; leave it out.")
		}
	default:
		if m := matchOf(header); m != nil && !m.Any {
			return preconditionFailed("If-Match", "What is written here has no entity tag that If-Match could name; leave it out, or send it with PATCH or DELETE of a resource.")
		}
	}
	return nil
}

func preconditionFailed(header, detail string) error {
	return &jsonapi.Error{Code: jsonapi.PreconditionFailed, Source: jsonapi.Header(header), Detail: detail}
}
