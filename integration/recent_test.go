package integration

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/resourcery/resourcery/httpapi"
)

// TestRecentRequests asks a handler that has seen much the same before, and one
// that has seen nothing: their answers are alike, whoever asks. What was planned
// for one resource or caller is used for no other.
func TestRecentRequests(t *testing.T) {
	s := newSite(t, siteOptions{})
	newHandler := func() http.Handler {
		style, err := httpapi.REST(httpapi.RESTOptions{Endpoint: endpoint})
		if err != nil {
			t.Fatal(err)
		}
		host, err := httpapi.NewHost(httpapi.HostOptions{Handler: style, Schema: s.schema, Client: s.client})
		if err != nil {
			t.Fatal(err)
		}
		return host
	}
	ask := func(h http.Handler, who, path, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/api"+path, nil)
		r.Header.Set(callerHeader, people[who].encoded(t))
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const cursors = `application/vnd.api+json; profile="https://jsonapi.org/profiles/ethanresnick/cursor-pagination/"`
	warm := newHandler()
	answered := map[int]int{}
	for range 2 {
		for _, who := range []string{"ann", "anon", "bob"} {
			for _, accept := range []string{"", cursors} {
				for _, path := range []string{
					"/post/1", "/post/2", "/Post/3", "/post/x", "/post/1", "/post/99999999999", "/post/1?include=author", "/post/2?include=author", "/post/1/author", "/post/2/author",
					"/post/1/comments", "/post/2/comments", "/post/1/relationships/tags", "/post/2/relationships/tags", "/POST/2/relationships/author", "/post/1/relationships/author",
					"/like/1_2", "/like/2_1", "/like/2", "/post?page[size]=2", "/post?page[size]=2&sort=-id", "/user?page[size]=2", "/post?filter[title$contains]=a&page[limit]=3",
					"/post?filter[title$contains]=b&page[limit]=3", "/user/1?fields[user]=name", "/user/2?fields[user]=name", "/user/1?fields[post]=title",
				} {
					cold, again := ask(newHandler(), who, path, accept), ask(warm, who, path, accept)
					answered[again.Code]++
					if again.Code != cold.Code || again.Body.String() != cold.Body.String() ||
						again.Header().Get("Etag") != cold.Header().Get("Etag") || again.Header().Get("Content-Type") != cold.Header().Get("Content-Type") {
						t.Errorf("%s as %s: %d %v\n%s\nwant %d %v\n%s", path, who, again.Code, again.Header(), again.Body, cold.Code, cold.Header(), cold.Body)
					}
				}
			}
		}
	}
	if answered[http.StatusOK] < 200 || answered[http.StatusBadRequest] < 30 || answered[http.StatusNotFound] < 10 {
		t.Errorf("the answers were %v: too few to show anything", answered)
	}
}
