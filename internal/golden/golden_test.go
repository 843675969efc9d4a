package golden_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/jsonapi"
)

func TestErrors(t *testing.T) {
	filter := jsonapi.Errorf(jsonapi.InvalidFilter, jsonapi.Parameter("filter[x]"), "no field %q", "x")
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{filter, "400 invalid-filter at filter[x]: no field \"x\"\n"},
		{fmt.Errorf("plan: %w", jsonapi.Errors{filter, {Code: jsonapi.NotFound}}), "400 invalid-filter at filter[x]: no field \"x\"\n404 not-found\n"},
		{errors.New("boom"), "no jsonapi error: boom\n"},
	} {
		if got := golden.Errors(c.err); got != c.want {
			t.Errorf("Errors(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}

func TestRun(t *testing.T) {
	var seen []string
	golden.Run(t, "testdata", func(t *testing.T, c *golden.Case) string {
		seen = append(seen, c.Cmd)
		return c.Input
	})
	if fmt.Sprint(seen) != "[echo echo]" {
		t.Errorf("ran %v, want both cases", seen)
	}
}
