package httpapi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
)

// acceptable refuses a request whose Accept lines do not admit a JSON:API
// document (contract 9.1), and returns the profiles that it asks for. Without
// such a line, everything is admitted.
//
// The rules of JSON:API come first: ranges of its media type count only without
// parameters other than ext and profile and without extensions other than these,
// which are supported; where none of them counts, the request is refused,
// whatever else it accepts. Of several ranges that count, the profiles are those of the ranges
// with the greatest weight.
// https://jsonapi.org/format/1.1/#content-negotiation-servers
func acceptable(accept, extensions []string) (profiles []string, err error) {
	if len(accept) == 1 && (accept[0] == jsonapi.MediaType || accept[0] == "*/*") {
		return nil, nil
	}
	list := strings.Join(accept, ",")
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	var own, usable int
	var a admitted
	for _, text := range splitList(list) {
		r, ok := parseRange(text)
		if !ok {
			continue
		}
		if r.Type == jsonapi.MediaType {
			own++
			if !r.Supported(extensions...) {
				continue
			}
			usable++
		}
		a.add(r)
	}
	switch {
	case own > 0 && usable == 0:
		return nil, notAcceptable("Accept names %s only with extensions or parameters that are not supported; name it %s.", jsonapi.MediaType, spelling(extensions))
	case !a.document():
		return nil, notAcceptable("Accept admits no representation of the resource; add %s to it.", jsonapi.MediaType)
	}
	return a.profiles, nil
}

func notAcceptable(format string, args ...any) error {
	return jsonapi.Errorf(jsonapi.NotAcceptable, jsonapi.Header("Accept"), format, args...)
}

// spelling says how to name JSON:API's media type where these extensions are
// supported.
func spelling(extensions []string) string {
	if len(extensions) == 0 {
		return "without any, or with profile alone"
	}
	return "as " + jsonapi.ContentType(extensions, nil)
}

// A mediaRange is one element of Accept.
type mediaRange struct {
	jsonapi.Media         // without q
	quality       float64 // from 0 to 1
}

// parseRange reads one element; false where it is none, so that it admits
// nothing and forbids nothing.
func parseRange(text string) (mediaRange, bool) {
	m, ok := jsonapi.ParseMedia(text)
	if !ok {
		return mediaRange{}, false
	}
	r := mediaRange{Media: m, quality: 1}
	if q, ok := m.Parameters["q"]; ok {
		var err error
		r.quality, err = strconv.ParseFloat(q, 64)
		if err != nil || !(r.quality >= 0 && r.quality <= 1) {
			return mediaRange{}, false
		}
		delete(m.Parameters, "q")
	}
	return r, true
}

// admitted gathers how far the ranges that matter go, each by the highest
// quality that it was given.
type admitted struct {
	own, json, application, anything verdict

	profiles []string // each once
	weight   float64  // of the ranges that they come from
}

// A verdict is what the ranges of one kind say; the zero verdict is silence.
type verdict uint8

const (
	refused verdict = iota + 1 // q=0 alone
	granted
)

func (a *admitted) add(r mediaRange) {
	says := refused
	if r.quality > 0 {
		says = granted
	}
	switch r.Type {
	case jsonapi.MediaType:
		a.own = max(a.own, says)
		a.ask(r)
	case "application/json":
		a.json = max(a.json, says)
	case "application/*":
		a.application = max(a.application, says)
	case "*/*":
		a.anything = max(a.anything, says)
	}
}

// ask notes the profiles of a range of JSON:API's media type.
func (a *admitted) ask(r mediaRange) {
	if r.quality == 0 || r.quality < a.weight {
		return
	}
	if r.quality > a.weight {
		a.weight, a.profiles = r.quality, nil
	}
	for _, uri := range r.Profiles() {
		if !slices.Contains(a.profiles, uri) {
			a.profiles = append(a.profiles, uri)
		}
	}
}

// document reports whether a JSON:API document may be sent: the most specific
// range decides (RFC 9110, 12.5.1). One who asks for JSON by name gets it too,
// under the media type of JSON:API.
func (a *admitted) document() bool {
	for _, says := range []verdict{a.own, a.application, a.anything} {
		if says != 0 {
			return says == granted || a.json == granted
		}
	}
	return a.json == granted
}

// splitList splits a header's list at the commas that are outside of quotes.
func splitList(list string) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			parts = append(parts, list[start:i])
			start = i + 1
		}
	}
	return append(parts, list[start:])
}
