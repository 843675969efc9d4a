package integration

import (
	"testing"

	"github.com/resourcery/resourcery/httpapi"
)

// TestSearchColumn searches a text column that the overlay has served by a
// tsvector column, which holds more words than the text (contract 4.6).
func TestSearchColumn(t *testing.T) {
	const asked = "/post?filter[title$search]=elephant\n/post?filter=search(title,'elephant')\n/comment?filter[post][title$search]=elephant"
	plain := newSite(t, siteOptions{rest: httpapi.RESTOptions{SearchLanguage: "english"}})
	served := newSite(t, siteOptions{
		rest:   httpapi.RESTOptions{SearchLanguage: "english"},
		models: "models:\n  Post:\n    fields:\n      title: {search: search}\n",
	})
	for _, test := range []struct {
		site *site
		want string
	}{
		{plain, "= /post?filter[title$search]=elephant\nnone\n= /post?filter=search(title,'elephant')\nnone\n= /comment?filter[post][title$search]=elephant\nnone\n"},
		{served, "= /post?filter[title$search]=elephant\n1\n= /post?filter=search(title,'elephant')\n1\n= /comment?filter[post][title$search]=elephant\n1 2 3 4\n"},
	} {
		if got := test.site.idsOf(t, people["ann"], asked); got != test.want {
			t.Errorf("found\n%s\nwant\n%s", got, test.want)
		}
	}
}
