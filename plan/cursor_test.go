package plan_test

import (
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
)

// Links repeat a cursor as it came, so it must be of its alphabet to the letter,
// though base64 decoders read past line breaks.
func TestCursorsHaveNoLineBreaks(t *testing.T) {
	v := golden.Schema(t).FullView()
	p, err := request.Plan(v, "/post?page[after]=", plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cursor := string(p.Action.(*plan.Read).Query.AppendCursor(nil, [][]byte{[]byte("7")}))
	if _, err := request.Plan(v, "/post?page[after]="+cursor, plan.Options{}); err != nil {
		t.Fatalf("the cursor itself: %v", err)
	}
	for _, escape := range []string{"%0A", "%0D"} {
		broken := strings.Join([]string{cursor[:3], cursor[3:]}, escape)
		_, err := request.Plan(v, "/post?page[after]="+broken, plan.Options{})
		if err == nil || jsonapi.AsErrors(err)[0].Code != jsonapi.InvalidPage {
			t.Errorf("a cursor with %s: %v", escape, err)
		}
	}
}
