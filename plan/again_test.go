package plan_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
)

// A plan for another id is what Build makes of the request for that id, and leaves
// the first one as it was.
func TestFor(t *testing.T) {
	v := golden.Schema(t).FullView()
	o := plan.Options{Digests: true}
	for _, c := range []struct{ form, first, other string }{
		{"/post/%s", "1", "2"},
		{"/post/%s", "1", "x"},
		{"/post/%s", "1", "99999999999"},
		{"/like/%s?include=post", "1_2", "3_4"},
		{"/like/%s", "1_2", "3"},
		{"/tag/%s", "1", ""},
		{"/post/%s?include=author,comments.author&fields[user]=name", "1", "2"},
		{"/post/%s/comments?filter[body$contains]=a&sort=-id&page[offset]=4", "1", "2"},
		{"/post/%s/author", "1", "2"},
		{"/post/%s/relationships/author", "1", "2"},
		{"/post/%s/relationships/comments?page[after]=&page[size]=2", "1", "x"},
		{"/post?filter[title]=%s", "a", "a"},
	} {
		first, err := plan.Build(v, parsed(t, fmt.Sprintf(c.form, c.first)), o)
		if err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(first, first.Values)
		r := parsed(t, fmt.Sprintf(c.form, "1"))
		if r.Target.Shape != parse.Collection {
			r.Target.ID = c.other
		}
		want, wantErr := plan.Build(v, r, o)
		got, err := first.For(r.Target, o)
		if golden.Errors(err) != golden.Errors(wantErr) {
			t.Errorf("%s for %q: %v, want %v", c.form, c.other, err, wantErr)
		}
		if wantErr == nil && r.Target.Shape != parse.Collection && !reflect.DeepEqual(got.Values, want.Values) {
			t.Errorf("%s for %q: values %v, want %v", c.form, c.other, got.Values, want.Values)
		}
		if wantErr == nil && (fmt.Sprint(got) != fmt.Sprint(want) && r.Target.Shape != parse.Collection) {
			t.Errorf("%s for %q: got\n%v\nwant\n%v", c.form, c.other, got, want)
		}
		if after := fmt.Sprint(first, first.Values); after != before {
			t.Errorf("%s for %q changed the first plan to\n%s", c.form, c.other, after)
		}
	}
}
