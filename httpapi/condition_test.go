package httpapi

import (
	"bytes"
	"net/http/httptest"
	"testing"
)

func TestIfNoneMatch(t *testing.T) {
	const etag = `"0af1-22"`
	for _, c := range []struct {
		name  string
		lines []string
		want  bool
	}{
		{"absent", nil, false},
		{"empty", []string{""}, false},
		{"the tag", []string{etag}, true},
		{"the tag, weak", []string{"W/" + etag}, true},
		{"whatever there is", []string{"*"}, true},
		{"in a list", []string{`"a", ` + etag + `, "b"`}, true},
		{"in a list without blanks", []string{`"a",` + etag + `,"b"`}, true},
		{"weak, in a list", []string{`W/"a" , W/` + etag + ` `}, true},
		{"in the second line", []string{`"a"`, etag}, true},
		{"behind a tag with a comma", []string{`"a,b", ` + etag}, true},
		{"another", []string{`"0af1-23"`}, false},
		{"the row alone", []string{`"0af1"`}, false},
		{"without its quotes", []string{"0af1-22"}, false},
		{"within another", []string{`"x` + etag[1:]}, false},
		{"a star in quotes", []string{`"*"`}, false},
		{"weak in small letters", []string{"w/" + etag}, false},
	} {
		if got := named(etag, c.lines); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A 304 has what a cache needs and no body.
func TestNotModified(t *testing.T) {
	out := newResponse()
	defer out.release()
	out.body = *bytes.NewBufferString("{}")
	out.tag(`"a-b"`, []string{"*"})
	w := httptest.NewRecorder()
	out.writeTo(w, "GET")
	h := w.Header()
	if w.Code != 304 || w.Body.Len() > 0 || h.Get("ETag") != `"a-b"` || h.Get("Vary") != "Accept" || h.Get("Content-Type") != "" || h.Get("Content-Length") != "" {
		t.Errorf("%d %v %q", w.Code, h, w.Body)
	}
}
