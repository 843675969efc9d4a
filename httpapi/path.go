package httpapi

import (
	"errors"
	"net/url"
	"strings"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

var errFoldedSegment = errors.New("a segment is empty or made of dots, which proxies and clients fold away: write the path without it")

// target returns what the URL's path names below the endpoint. The length of
// the URL is looked at first, before anything is read.
func (s *rest) target(u *url.URL) (parse.Target, error) {
	escaped := u.EscapedPath()
	length := len(escaped)
	if u.RawQuery != "" {
		length += len("?") + len(u.RawQuery)
	}
	if length > s.maxURLBytes {
		return parse.Target{}, jsonapi.Errorf(jsonapi.URITooLong, jsonapi.Source{},
			"Path and query have %d bytes; at most %d are read.", length, s.maxURLBytes)
	}
	below, ok := s.below(escaped)
	if !ok {
		return parse.Target{}, jsonapi.Errorf(jsonapi.InvalidPath, jsonapi.Source{},
			"The path is not below that of the endpoint, %s.", s.endpoint)
	}
	return parse.Path(below)
}

// below takes the endpoint's path off an escaped path. Segments are compared
// unescaped, as a client may escape what it need not.
func (s *rest) below(escaped string) (string, bool) {
	for _, want := range s.mount {
		rest, rooted := strings.CutPrefix(escaped, "/")
		if !rooted {
			return "", false
		}
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		if have, err := url.PathUnescape(rest[:end]); err != nil || have != want {
			return "", false
		}
		escaped = rest[end:]
	}
	return escaped, true
}

// segments splits an escaped path, which has no slash at its end, into what its
// segments say.
func segments(escaped string) ([]string, error) {
	if escaped == "" {
		return nil, nil
	}
	parts := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	for i, part := range parts {
		text, err := url.PathUnescape(part)
		switch {
		case err != nil:
			return nil, err
		case text == "", text == ".", text == "..":
			return nil, errFoldedSegment
		}
		parts[i] = text
	}
	return parts, nil
}
