package jsonapi

import (
	"mime"
	"slices"
	"strings"
)

// MediaType is the media type of JSON:API documents.
// https://jsonapi.org/format/1.1/#introduction
const MediaType = "application/vnd.api+json"

// CursorProfile is the URI of the cursor pagination profile, the one profile
// that is known. https://jsonapi.org/profiles/ethanresnick/cursor-pagination/
const CursorProfile = "https://jsonapi.org/profiles/ethanresnick/cursor-pagination/"

// AtomicExtension is the URI of the atomic operations extension, the one
// extension that is known. https://jsonapi.org/ext/atomic/
const AtomicExtension = "https://jsonapi.org/ext/atomic"

// A Media is what a Content-Type, or one range of Accept, says.
type Media struct {
	Type       string            // lower-cased, without parameters
	Parameters map[string]string // by lower-cased name
	Broken     bool              // parameters are there that cannot be read; Parameters has none then
}

// ParseMedia reads a media type or a range with its parameters. It reports
// false where the text names none.
func ParseMedia(text string) (Media, bool) {
	name, parameters, err := mime.ParseMediaType(text)
	m := Media{Type: name, Parameters: parameters, Broken: err != nil}
	if err != nil {
		name, _, _ = strings.Cut(text, ";")
		m.Type, m.Parameters = strings.ToLower(strings.TrimSpace(name)), nil
	}
	typ, subtype, ok := strings.Cut(m.Type, "/")
	return m, ok && typ != "" && subtype != ""
}

// Extensions returns the URIs of the `ext` parameter, which are separated by
// spaces. https://jsonapi.org/format/1.1/#media-type-parameter-rules
func (m Media) Extensions() []string { return strings.Fields(m.Parameters["ext"]) }

// Profiles returns the URIs of the `profile` parameter.
func (m Media) Profiles() []string { return strings.Fields(m.Parameters["profile"]) }

// Supported reports whether a server that supports these extensions may take
// part in an exchange of JSON:API's media type with these parameters: there are
// none but profile, and ext with none but these URIs in it.
func (m Media) Supported(extensions ...string) bool {
	for name := range m.Parameters {
		if name != "ext" && name != "profile" {
			return false
		}
	}
	for _, uri := range m.Extensions() {
		if !slices.Contains(extensions, uri) {
			return false
		}
	}
	return !m.Broken
}

// ContentType returns the media type of a document to which extensions and
// profiles have been applied. https://jsonapi.org/format/1.1/#content-negotiation-all
func ContentType(extensions, profiles []string) string {
	text := MediaType
	if len(extensions) > 0 {
		text += `; ext="` + strings.Join(extensions, " ") + `"`
	}
	if len(profiles) > 0 {
		text += `; profile="` + strings.Join(profiles, " ") + `"`
	}
	return text
}
