package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/parse"
)

// Each parameter that comes again is refused once, however many there are.
func TestRepeatedParameters(t *testing.T) {
	var params []string
	for range 3 {
		for i := range 20 {
			params = append(params, fmt.Sprintf("sort[r%d]=id", i))
		}
	}
	target := parse.Target{Shape: parse.Collection, Type: "post"}
	if _, err := parse.Query(target, strings.Join(params[:20], "&"), parse.Options{}); err != nil {
		t.Error(err)
	}
	_, err := parse.Query(target, strings.Join(params, "&"), parse.Options{})
	refused := map[string]int{}
	for _, e := range jsonapi.AsErrors(err) {
		refused[e.Source.Parameter]++
	}
	for _, param := range params[:20] {
		if name, _, _ := strings.Cut(param, "="); refused[name] != 1 {
			t.Errorf("%s is refused %d times", name, refused[name])
		}
	}
}
