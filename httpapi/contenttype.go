package httpapi

import (
	"net/http"

	"github.com/resourcery/resourcery/jsonapi"
)

// understood refuses a request whose Content-Type is JSON:API's with an
// extension or with parameters other than profile, whether it has a body or not
// (contract 9.1), and a body that is neither JSON:API nor JSON. A body without
// the header counts as JSON:API (contract 5.1). By JSON:API's letter the media
// type of a body must be named, and be its own (contract 10.6).
// https://jsonapi.org/format/1.1/#content-negotiation-servers
func (s *rest) understood(r *http.Request) error {
	lines := r.Header["Content-Type"]
	body := r.ContentLength != 0
	if body && s.strict && len(lines) == 0 {
		return unsupportedMedia("The body has no Content-Type; name it %s.", jsonapi.MediaType)
	}
	for _, line := range lines {
		m, _ := jsonapi.ParseMedia(line)
		switch {
		case m.Type == jsonapi.MediaType && !m.Supported():
			return unsupportedMedia("Content-Type names %s with extensions or parameters that are not supported; name it without any, or with profile alone.", jsonapi.MediaType)
		case m.Type == jsonapi.MediaType, !body:
		case s.strict:
			return unsupportedMedia("A body of the type %q is not understood; send %s.", m.Type, jsonapi.MediaType)
		case m.Type != "application/json":
			return unsupportedMedia("A body of the type %q is not understood; send %s or application/json.", m.Type, jsonapi.MediaType)
		}
	}
	return nil
}

func unsupportedMedia(format string, args ...any) error {
	return jsonapi.Errorf(jsonapi.UnsupportedMediaType, jsonapi.Header("Content-Type"), format, args...)
}
