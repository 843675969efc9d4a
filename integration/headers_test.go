package integration

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// answered are requests with answers of many statuses.
var answered = []struct {
	method, path string
	who          string
	headers      http.Header
	status       int
}{
	{method: "GET", path: "/post", status: 200},
	{method: "GET", path: "/post/1?include=author", status: 200},
	{method: "GET", path: "/post/1/comments", status: 200},
	{method: "GET", path: "/post/1/relationships/tags", status: 200},
	{method: "GET", path: "/POST?page[limit]=1", status: 200},
	{method: "GET", path: "/post?filter[title]=", status: 200},
	{method: "GET", path: "/post", headers: http.Header{"Accept": {"application/json"}}, status: 200},
	{method: "GET", path: "/post", headers: http.Header{"X-Request-Id": {"mine-1"}}, status: 200},
	{method: "OPTIONS", path: "/post", status: 204},
	{method: "GET", path: "/post?nonsense=1", status: 400},
	{method: "GET", path: "/post?filter[featuredDuring]=nonsense", status: 400},
	{method: "GET", path: "/post", who: "none", status: 403},
	{method: "GET", path: "/revision", who: "anon", status: 403},
	{method: "GET", path: "/post/999", status: 404},
	{method: "GET", path: "/nothing", status: 404},
	{method: "GET", path: "/post/1/2/3/4", status: 404},
	{method: "GET", path: "/", status: 404},
	{method: "TRACE", path: "/post", status: 405},
	{method: "GET", path: "/post", headers: http.Header{"Accept": {"text/html"}}, status: 406},
	{method: "GET", path: "/post", headers: http.Header{"Accept": {`application/vnd.api+json; ext="https://example.org/ext"`}}, status: 406},
	{method: "GET", path: "/post?" + strings.Repeat("x", 20_000), status: 414},
}

var requestID = regexp.MustCompile(`^[A-Za-z0-9_.:-]{4,128}$`)

// TestHeadersOfEveryStatus looks at what every answer carries, and at HEAD, which answers as
// GET does but for the body.
func TestHeadersOfEveryStatus(t *testing.T) {
	s := newSite(t, siteOptions{})
	seen := make(map[string]bool)
	for _, c := range answered {
		resp, body := s.send(t, c.method, c.path, c.who, c.headers)
		name := c.method + " " + c.path[:min(len(c.path), 60)]
		if resp.StatusCode != c.status {
			t.Errorf("%s: %d, want %d\n%s", name, resp.StatusCode, c.status, body)
		}
		id := resp.Header.Get("X-Request-Id")
		if !requestID.MatchString(id) || seen[id] {
			t.Errorf("%s: X-Request-Id is %q", name, id)
		}
		seen[id] = true
		switch c.status {
		case http.StatusNoContent: // nothing was negotiated
			if allow := resp.Header.Get("Allow"); !strings.HasPrefix(allow, "GET, HEAD") || len(body) != 0 {
				t.Errorf("%s: Allow is %q, the body has %d bytes", name, allow, len(body))
			}
		default:
			wantHeader(t, name, resp, "Vary", "Accept")
			wantHeader(t, name, resp, "X-Content-Type-Options", "nosniff")
			wantHeader(t, name, resp, "Content-Type", "application/vnd.api+json")
			if body[0] != '{' || strings.Contains(string(body), `"errors"`) != (c.status >= 400) {
				t.Errorf("%s: %s", name, body)
			}
		}
		if c.status == http.StatusMethodNotAllowed && resp.Header.Get("Allow") == "" {
			t.Errorf("%s: no Allow", name)
		}
		if c.method == http.MethodGet {
			s.compareHead(t, name, c.path, c.who, c.headers, resp)
		}
	}
}

// compareHead asks for the same by HEAD.
func (s *site) compareHead(t *testing.T, name, path, who string, headers http.Header, got *http.Response) {
	t.Helper()
	head, body := s.send(t, http.MethodHead, path, who, headers)
	if len(body) != 0 || head.StatusCode != got.StatusCode {
		t.Errorf("HEAD %s: %d with a body of %d bytes", name, head.StatusCode, len(body))
	}
	for h := range got.Header {
		if h == "Date" || h == "X-Request-Id" {
			continue
		}
		if strings.Join(head.Header[h], "|") != strings.Join(got.Header[h], "|") {
			t.Errorf("HEAD %s: %s is %q, want %q", name, h, head.Header[h], got.Header[h])
		}
	}
	if len(head.Header) != len(got.Header) || head.ContentLength != got.ContentLength {
		t.Errorf("HEAD %s: %v, length %d\nwant %v, length %d", name, head.Header, head.ContentLength, got.Header, got.ContentLength)
	}
}

func wantHeader(t *testing.T, name string, resp *http.Response, header, want string) {
	t.Helper()
	if got := strings.Join(resp.Header[header], "|"); got != want {
		t.Errorf("%s: %s is %q, want %q", name, header, got, want)
	}
}

// send makes a request as one of the people, ann where it is nobody, or as the
// role none.
func (s *site) send(t *testing.T, method, path, who string, headers http.Header) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequest(method, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for h, values := range headers {
		r.Header[h] = values
	}
	switch who {
	case "":
		who = "ann"
	case "none":
		return s.do(t, caller{role: "none"}, r)
	}
	return s.do(t, people[who], r)
}
