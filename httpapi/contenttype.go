package httpapi

import (
	"net/http"
	"slices"

	"github.com/resourcery/resourcery/jsonapi"
)

// understood refuses a request whose Content-Type is JSON:API's with extensions
// other than these or with parameters other than ext and profile, whether it has
// a body or not (contract 9.1), and a body that is neither JSON:API nor JSON. A
// body without the header counts as JSON:API (contract 5.1). By JSON:API's letter
// the media type of a body must be named, and be its own (contract 10.6).
//
// Where there are extensions, a body is a document of theirs: one that names
// JSON:API's media type has to name them too.
// https://jsonapi.org/format/1.1/#content-negotiation-servers
func (s *rest) understood(r *http.Request, extensions []string) error {
	want := jsonapi.ContentType(extensions, nil)
	lines := r.Header["Content-Type"]
	body := r.ContentLength != 0
	if body && s.strict && len(lines) == 0 {
		return unsupportedMedia("The body has no Content-Type; name it %s.", want)
	}
	for _, line := range lines {
		m, _ := jsonapi.ParseMedia(line)
		switch {
		case m.Type == jsonapi.MediaType && !m.Supported(extensions...):
			return unsupportedMedia("Content-Type names %s with extensions or parameters that are not supported; name it %s.", jsonapi.MediaType, spelling(extensions))
		case m.Type == jsonapi.MediaType && body && !names(m, extensions):
			return unsupportedMedia("The body is a document of an extension that Content-Type does not name; send %s.", want)
		case m.Type == jsonapi.MediaType, !body:
		case s.strict:
			return unsupportedMedia("A body of the type %q is not understood; send %s.", m.Type, want)
		case m.Type != "application/json":
			return unsupportedMedia("A body of the type %q is not understood; send %s or application/json.", m.Type, want)
		}
	}
	return nil
}

// names reports whether a media type names all of these extensions.
func names(m jsonapi.Media, extensions []string) bool {
	named := m.Extensions()
	for _, uri := range extensions {
		if !slices.Contains(named, uri) {
			return false
		}
	}
	return true
}

func unsupportedMedia(format string, args ...any) error {
	return jsonapi.Errorf(jsonapi.UnsupportedMediaType, jsonapi.Header("Content-Type"), format, args...)
}
