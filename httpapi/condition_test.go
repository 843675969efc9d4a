package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/parse"
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
		{"behind a tag with a backslash at its end", []string{`"a\", ` + etag}, true},
		{"behind one that is left open", []string{`"a, ` + etag}, false},
	} {
		if got := named(etag, c.lines); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A 304 has what a cache needs and no body.
func TestNotModified(t *testing.T) {
	out := newResponse(&exchange{})
	defer out.release()
	out.body = []byte("{}")
	out.tag(`"a-b"`, []string{"*"})
	w := httptest.NewRecorder()
	out.writeTo(w, "GET")
	h := w.Header()
	if w.Code != 304 || w.Body.Len() > 0 || h.Get("ETag") != `"a-b"` || h.Get("Vary") != "Accept" || h.Get("Content-Type") != "" || h.Get("Content-Length") != "" {
		t.Errorf("%d %v %q", w.Code, h, w.Body)
	}
}

func TestEntityTags(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  []string
	}{
		{nil, nil},
		{[]string{"", " , ,\t"}, nil},
		{[]string{"*"}, []string{"*"}},
		{[]string{`"a"`, `"b"`}, []string{`"a"`, `"b"`}},
		{[]string{`"a","b,c" , W/"d"`}, []string{`"a"`, `"b,c"`, `W/"d"`}},
		{[]string{`""`}, []string{`""`}},
		{[]string{`"a\","b"`}, []string{`"a\"`, `"b"`}},
		{[]string{`"a"b`}, []string{`"a"`, `b`}},
		{[]string{`a , "b`}, []string{`a`, `"b`}},
		{[]string{`W/`, `W/a`, `"`}, []string{`W/`, `W/a`, `"`}},
	} {
		if got := entityTags(c.lines); !slices.Equal(got, c.want) {
			t.Errorf("entityTags(%q) = %q, want %q", c.lines, got, c.want)
		}
	}
}

func TestIfMatch(t *testing.T) {
	const row, other, hash = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210", "00000000000000000000000000000000"
	tag := func(row string) string { return `"` + row + "-" + hash + `"` }
	for _, c := range []struct {
		name  string
		lines []string
		want  *parse.Match
	}{
		{"absent", nil, nil},
		{"whatever there is", []string{"*"}, &parse.Match{Any: true}},
		{"whatever there is, among others", []string{tag(row) + ", *"}, &parse.Match{Any: true}},
		{"a tag", []string{tag(row)}, &parse.Match{Rows: []string{row}}},
		{"two", []string{tag(row) + "," + tag(other)}, &parse.Match{Rows: []string{row, other}}},
		{"two lines", []string{tag(row), tag(other)}, &parse.Match{Rows: []string{row, other}}},
		{"of two documents of one row", []string{tag(row) + `, "` + row + "-" + row + `"`}, &parse.Match{Rows: []string{row}}},
		{"another service's too", []string{`"abc", ` + tag(row)}, &parse.Match{Rows: []string{row}}},
		{"another service's alone", []string{`"abc"`}, &parse.Match{}},
		{"weak", []string{"W/" + tag(row)}, &parse.Match{}},
		{"in capitals", []string{strings.ToUpper(tag(row))}, &parse.Match{}},
		{"the row alone", []string{`"` + row + `"`}, &parse.Match{}},
		{"too short a row", []string{tag(row[1:])}, &parse.Match{}},
		{"without its quotes", []string{row + "-" + hash}, &parse.Match{}},
		{"empty", []string{""}, &parse.Match{}},
		{"a star in quotes", []string{`"*"`}, &parse.Match{}},
	} {
		header := http.Header{}
		if c.lines != nil {
			header["If-Match"] = c.lines
		}
		if got := matchOf(header); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// What has no entity tag cannot be written on condition of one.
func TestUnmet(t *testing.T) {
	const tag = `"a-b"`
	for _, c := range []struct {
		verb    parse.Verb
		header  string
		value   string
		refused bool
	}{
		{parse.Update, "If-Match", tag, false}, // for the database to say
		{parse.Delete, "If-Match", tag, false},
		{parse.Update, "If-None-Match", tag, false},
		{parse.Update, "If-None-Match", "*", true},
		{parse.Delete, "If-None-Match", "*", true},
		{parse.Create, "If-None-Match", "*", false},
		{parse.Create, "If-Match", "*", false},
		{parse.Create, "If-Match", tag, true},
		{parse.Add, "If-Match", tag, true},
		{parse.Replace, "If-Match", tag, true},
		{parse.Remove, "If-Match", tag, true},
		{parse.Remove, "If-Match", "", true},
		{parse.Replace, "If-Match", "*", false},
		{parse.Add, "If-None-Match", "*", false},
	} {
		err := unmet(http.Header{c.header: {c.value}}, c.verb)
		if (err != nil) != c.refused || err != nil && !strings.HasPrefix(err.Error(), "412 precondition-failed at "+c.header+": ") {
			t.Errorf("verb %d with %s: %s: %v", c.verb, c.header, c.value, err)
		}
	}
}
