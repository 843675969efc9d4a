package bearer

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
)

// ClaimsVariable holds all claims as JSON, as PostgREST sets it.
const ClaimsVariable = "request.jwt.claims"

// MinSecret is how many bytes a secret has at least: those of HS256's digest
// (RFC 7518, section 3.2).
const MinSecret = 32

// maxToken is how many bytes a token has at most.
const maxToken = 8 << 10

// Options say how claims become sessions.
type Options struct {
	// Secret verifies tokens signed with HS256; empty: they are refused.
	Secret string
	// KeyFile is the path of a JSON Web Key Set with the public keys that verify
	// all others; empty: they are refused. The file is read again when it has
	// changed; one that cannot be read leaves the keys as they are.
	KeyFile string
	// Audience is one that the claim aud must have, in whose place it may stand
	// alone or among others; empty: any, or none.
	Audience string
	// RoleClaim is the path of the claim that names the role; "": `role`.
	RoleClaim string
	// AnonymousRole is that of callers without a token, and of tokens without
	// a role; "": the login role.
	AnonymousRole string
	// Variables maps further session variables to the paths of claims.
	Variables map[string]string
	// Logger hears why a token was refused, never what the token says, and what
	// becomes of the keys; nil: nobody.
	Logger *slog.Logger
}

// Sessions makes sessions. But for the keys of the file it is immutable, and it
// is safe for concurrent use.
type Sessions struct {
	options Options
	file    *keyFile // nil: no keys
	parser  *jwt.Parser
}

// NewSessions checks the options and reads the keys.
func NewSessions(o Options) (*Sessions, error) {
	if n := len(o.Secret); n > 0 && n < MinSecret {
		return nil, fmt.Errorf("the secret of tokens has %d bytes; HS256 needs at least %d: `openssl rand -base64 32` makes one", n, MinSecret)
	}
	if o.RoleClaim == "" {
		o.RoleClaim = "role"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	for _, path := range append(slices.Sorted(maps.Values(o.Variables)), o.RoleClaim) {
		if slices.Contains(strings.Split(path, "."), "") {
			return nil, fmt.Errorf("%q is no path of a claim; write names joined by dots, as in app_metadata.tenant", path)
		}
	}
	if _, ok := o.Variables[ClaimsVariable]; ok {
		return nil, fmt.Errorf("session variable %s is set to all claims already; map another variable", ClaimsVariable)
	}
	s := &Sessions{options: o, parser: newParser(o.Audience)}
	if o.KeyFile != "" {
		var err error
		if s.file, err = openKeyFile(o.KeyFile, o.Logger); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func newParser(audience string) *jwt.Parser {
	options := []jwt.ParserOption{jwt.WithValidMethods(validMethods()), jwt.WithJSONNumber(), jwt.WithStrictDecoding()}
	if audience != "" {
		options = append(options, jwt.WithAudience(audience))
	}
	return jwt.NewParser(options...)
}

// Variables returns the variables that sessions set, in order.
func (s *Sessions) Variables() []string {
	return append([]string{ClaimsVariable}, slices.Sorted(maps.Keys(s.options.Variables))...)
}

// Of returns the session of a request: that of its bearer token, or the
// anonymous one where it has no Authorization header. Errors are jsonapi
// errors: 401 for what is no valid token, 403 for a role claim that is no name.
func (s *Sessions) Of(r *http.Request) (exec.Session, error) {
	switch headers := r.Header.Values("Authorization"); len(headers) {
	case 0:
		return s.Anonymous(), nil
	case 1:
		token, ok := tokenOf(headers[0])
		if !ok {
			return exec.Session{}, s.refuse(wrongForm, errors.New("another scheme"))
		}
		return s.Token(token)
	default:
		return exec.Session{}, s.refuse("The request has several Authorization headers; send one.", errors.New("several headers"))
	}
}

// tokenOf returns the token of an Authorization header.
func tokenOf(header string) (token string, ok bool) {
	scheme, token, _ := strings.Cut(header, " ")
	return strings.TrimLeft(token, " "), strings.EqualFold(scheme, "Bearer")
}

// Caller tells callers apart, for rates: by their tokens, and by where they are
// where they have none. A token that is not valid is none, as everybody can have
// as many of these as they like. What it returns is secret.
func (s *Sessions) Caller(r *http.Request) string {
	if headers := r.Header.Values("Authorization"); len(headers) == 1 {
		if token, ok := tokenOf(headers[0]); ok {
			if _, _, cause := s.judge(token); cause == nil {
				return "token " + token
			}
		}
	}
	return "address " + httpapi.RemoteKey(r)
}

// Anonymous returns the session of callers without a token.
func (s *Sessions) Anonymous() exec.Session {
	role := s.options.AnonymousRole
	vars := map[string]string{ClaimsVariable: ""}
	if role != "" {
		vars[ClaimsVariable] = anonymousClaims(role)
	}
	return exec.Session{Role: role, Vars: vars}
}

// Token returns the session of a token; errors as of Of.
func (s *Sessions) Token(token string) (exec.Session, error) {
	c, err := s.verify(token)
	if err != nil {
		return exec.Session{}, err
	}
	role, err := s.role(c)
	if err != nil {
		return exec.Session{}, err
	}
	vars := map[string]string{ClaimsVariable: string(c)}
	for name, path := range s.options.Variables {
		vars[name] = c.text(path)
		if strings.Contains(vars[name], "\x00") {
			return exec.Session{}, s.refuse("The token is not valid.", fmt.Errorf("claim %s holds a NUL", path))
		}
	}
	return exec.Session{Role: role, Vars: vars}, nil
}
