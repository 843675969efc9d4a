package jsonapi

import "testing"

// Strictly, what is well-formed but wrong is 422, and nothing else differs.
func TestStrictStatus(t *testing.T) {
	for c := range codes {
		want := c.Status()
		if c == RequiredRelationship || c == ValidationError || c == WrongPayload {
			want = 422
		}
		if got := c.StrictStatus(); got != want {
			t.Errorf("%s: %d, want %d", c, got, want)
		}
	}
	for _, test := range []struct {
		codes         []Code
		plain, strict int
	}{
		{[]Code{ValidationError}, 400, 422},
		{[]Code{ValidationError, RequiredRelationship}, 400, 422},
		{[]Code{ValidationError, InvalidValue}, 400, 400},
		{[]Code{ValidationError, UnknownError}, 500, 500},
		{[]Code{NotFound}, 404, 404},
	} {
		var es Errors
		for _, c := range test.codes {
			es = append(es, &Error{Code: c})
		}
		if es.Status() != test.plain || es.StrictStatus() != test.strict {
			t.Errorf("%v: %d and %d, want %d and %d", test.codes, es.Status(), es.StrictStatus(), test.plain, test.strict)
		}
	}
}
