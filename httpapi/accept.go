package httpapi

import (
	"mime"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
)

// acceptable refuses a request whose Accept lines do not admit a JSON:API
// document (contract 9.1). Without one, everything is admitted.
//
// The rules of JSON:API come first: ranges of its media type count only without
// parameters other than ext and profile and without an extension, as none is
// supported; where all of them are so, the request is refused, whatever else
// it accepts. Profiles that are not known are ignored, and none is known.
// https://jsonapi.org/format/1.1/#content-negotiation-servers
func acceptable(accept []string) error {
	if len(accept) == 1 && (accept[0] == jsonapi.MediaType || accept[0] == "*/*") {
		return nil
	}
	list := strings.Join(accept, ",")
	if strings.TrimSpace(list) == "" {
		return nil
	}
	var own, usable int
	var a admitted
	for _, text := range splitList(list) {
		r, ok := parseRange(text)
		if !ok {
			continue
		}
		if r.mediaType == jsonapi.MediaType {
			own++
			if !r.usable() {
				continue
			}
			usable++
		}
		a.add(r)
	}
	switch {
	case own > 0 && usable == 0:
		return notAcceptable("Accept names %s only with extensions or parameters that are not supported; name it without any, or with profile alone.")
	case !a.document():
		return notAcceptable("Accept admits no representation of the resource; add %s to it.")
	}
	return nil
}

func notAcceptable(format string) error {
	return jsonapi.Errorf(jsonapi.NotAcceptable, jsonapi.Header("Accept"), format, jsonapi.MediaType)
}

// A mediaRange is one element of Accept.
type mediaRange struct {
	mediaType  string            // lower-cased
	parameters map[string]string // by lower-cased name, without q
	quality    float64
	broken     bool // has a parameter that cannot be read
}

// parseRange reads one element; false where it is none, so that it admits
// nothing and forbids nothing.
func parseRange(text string) (mediaRange, bool) {
	name, parameters, err := mime.ParseMediaType(text)
	if name == "" || !strings.Contains(name, "/") {
		return mediaRange{}, false
	}
	r := mediaRange{mediaType: name, parameters: parameters, quality: 1, broken: err != nil}
	if q, ok := parameters["q"]; ok {
		r.quality, err = strconv.ParseFloat(q, 64)
		if err != nil || !(r.quality >= 0 && r.quality <= 1) {
			return mediaRange{}, false
		}
		delete(parameters, "q")
	}
	return r, true
}

// usable reports whether a range of JSON:API's media type is one that can be
// answered. An ext without a URI in it asks for nothing.
func (r mediaRange) usable() bool {
	for name, value := range r.parameters {
		switch name {
		case "profile":
		case "ext":
			if strings.TrimSpace(value) != "" {
				return false
			}
		default:
			return false
		}
	}
	return !r.broken
}

// admitted gathers how far the ranges that matter go, each by the highest
// quality that it was given.
type admitted struct {
	own, json, application, anything verdict
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
	switch r.mediaType {
	case jsonapi.MediaType:
		a.own = max(a.own, says)
	case "application/json":
		a.json = max(a.json, says)
	case "application/*":
		a.application = max(a.application, says)
	case "*/*":
		a.anything = max(a.anything, says)
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
