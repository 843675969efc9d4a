package httpapi

import (
	"github.com/resourcery/resourcery/jsonapi"
)

// defaultChallenge is what a 401 asks for where the host does not say.
const defaultChallenge = "Bearer"

// A refusal is an error that needs headers beside its error objects.
type refusal struct {
	object error
	header []headerLine
}

func (r *refusal) Error() string { return r.object.Error() }

func (r *refusal) Unwrap() error { return r.object }

// Unauthorized returns the error by which HostOptions.Client asks the caller to
// authenticate: a 401 with the detail and with one WWW-Authenticate line per
// challenge, such as `Bearer error="invalid_token"`. Without a challenge it is
// `Bearer`.
//
// What wraps the error, or stands in its place as the cause of a
// jsonapi.Unauthorized, is for the log only:
//
//	return exec.Client{}, fmt.Errorf("token of %s: %w", issuer, httpapi.Unauthorized("The token has expired."))
func Unauthorized(detail string, challenges ...string) error {
	if len(challenges) == 0 {
		challenges = []string{defaultChallenge}
	}
	r := &refusal{object: &jsonapi.Error{Code: jsonapi.Unauthorized, Detail: detail}}
	for _, c := range challenges {
		r.header = append(r.header, headerLine{"WWW-Authenticate", c})
	}
	return r
}

// methodNotAllowed refuses a method that a path has not, and says which it has.
func methodNotAllowed(name string, have []method) error {
	return &refusal{
		object: jsonapi.Errorf(jsonapi.MethodNotAllowed, jsonapi.Source{}, "The method %s is not available here; use one of %s.", name, allow(have)),
		header: []headerLine{{"Allow", allow(have)}},
	}
}
