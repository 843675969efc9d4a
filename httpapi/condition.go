package httpapi

import (
	"net/http"
	"strings"
)

// tag gives the answer its entity tag. Where If-None-Match names it, the client
// has the document already and gets a 304 without it (contract 5.11).
func (out *response) tag(etag string, ifNoneMatch []string) {
	out.addHeader("ETag", etag)
	if !named(etag, ifNoneMatch) {
		return
	}
	out.status = http.StatusNotModified
	out.body.Reset()
	// What it depends on is part of the answer that the client keeps.
	out.addHeader("Vary", "Accept")
}

// named reports whether the lines of If-None-Match name the tag: by `*`, which
// is whatever there is, or in their list. Tags are compared weakly: a cache or
// proxy on the way may have made a weak one of ours (RFC 9110, 13.1.2).
func named(etag string, lines []string) bool {
	for _, line := range lines {
		for _, element := range splitList(line) {
			element = strings.TrimSpace(element)
			if element == "*" || strings.TrimPrefix(element, "W/") == etag {
				return true
			}
		}
	}
	return false
}
