package bearer

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"

	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/jsonapi"
)

const challenge = `Bearer error="invalid_token"`

// invalid is what the client hears of a token that is forged or broken: no more,
// so that nobody learns from it how near they came.
const invalid = "The token is not valid."

const wrongForm = "The Authorization header must have the form `Bearer <token>`."

// verify returns the claims of a token, or the 401 whose reason is in the log.
func (s *Sessions) verify(token string) (claims, error) {
	c, detail, cause := s.judge(token)
	if cause != nil {
		return nil, s.refuse(detail, cause)
	}
	return c, nil
}

// judge returns the claims of a token that is signed with the secret or with one
// of the keys, and meant for us now: there is no leeway in time. Of others it
// returns what to tell the client and, not nil, what the log.
func (s *Sessions) judge(token string) (c claims, detail string, cause error) {
	switch {
	case s.options.Secret == "" && s.file == nil:
		return nil, "This server accepts no tokens; leave the Authorization header out.", errors.New("neither a secret nor keys are configured (--jwt-secret, --jwt-jwks-file)")
	case token == "":
		return nil, wrongForm, errors.New("empty")
	case len(token) > maxToken:
		return nil, fmt.Sprintf("The token is longer than %d bytes.", maxToken), fmt.Errorf("%d bytes long", len(token))
	}
	h, err := headerOf(token)
	if err != nil {
		return nil, invalid, err
	}
	keys := s.keys(h)
	if len(keys) == 0 {
		return nil, invalid, errors.New("no key is there for its algorithm and its kid")
	}
	_, err = s.parser.Parse(token, func(*jwt.Token) (any, error) { return jwt.VerificationKeySet{Keys: keys}, nil })
	if err != nil {
		detail, cause = reasons(err)
		return nil, detail, cause
	}
	if c, err = payload(token); err != nil {
		return nil, invalid, err
	}
	return c, "", nil
}

// keys returns what verifies tokens of that header: the secret for its one
// algorithm and for no other, the keys of the file for the rest.
func (s *Sessions) keys(h header) []jwt.VerificationKey {
	switch {
	case h.algorithm == secretAlgorithm && s.options.Secret != "":
		return []jwt.VerificationKey{[]byte(s.options.Secret)}
	case h.algorithm == secretAlgorithm || s.file == nil:
		return nil
	}
	return s.file.keys().fitting(h)
}

// reasons returns what to tell the client of a token that is refused, and what the
// log. The text of the error stays out of both, as it may quote the token.
func reasons(err error) (detail string, cause error) {
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return "The token has expired.", errors.New("expired")
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return "The token is not valid yet.", errors.New("not valid yet")
	case errors.Is(err, jwt.ErrTokenInvalidAudience), errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return "The token is meant for another audience.", errors.New("its claim aud does not have the audience (--jwt-aud)")
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return invalid, errors.New("its signature is of none of the keys")
	case errors.Is(err, jwt.ErrTokenInvalidClaims):
		return invalid, errors.New("a claim among exp, nbf and aud is of another type")
	default:
		return invalid, errors.New("malformed")
	}
}

// payload returns the claims as the token spells them, numbers with all their
// digits, without blanks.
func payload(token string) (claims, error) {
	parts := strings.Split(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, errors.New("the claims are no base64url")
	}
	v := jsontext.Value(raw)
	// Two readers could each see another one of two claims of one name.
	if !v.IsValid() || v.Kind() != jsontext.KindBeginObject {
		return nil, errors.New("the claims are no JSON object, name a claim twice or are no UTF-8")
	}
	if err := v.Compact(); err != nil {
		return nil, errors.New("the claims cannot be compacted")
	}
	return claims(v), nil
}

// role returns the role that the claims name, else the anonymous one.
func (s *Sessions) role(c claims) (string, error) {
	v, ok := c.at(s.options.RoleClaim)
	if !ok {
		return s.options.AnonymousRole, nil
	}
	role, ok := unquoted(v)
	if !ok || role == "" || strings.Contains(role, "\x00") {
		return "", jsonapi.Errorf(jsonapi.Forbidden, jsonapi.Header("Authorization"),
			"The token's claim %s names no role; it must be a text that is not empty.", s.options.RoleClaim)
	}
	return role, nil
}

// refuse returns the 401 and tells the log why.
func (s *Sessions) refuse(detail string, cause error) error {
	s.options.Logger.Info("token refused", "cause", cause)
	return httpapi.Unauthorized(detail, challenge)
}

// Sign returns a token with the claims, for the demo and for tests.
func Sign(secret string, claims map[string]any) (string, error) {
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims(claims)).SignedString([]byte(secret))
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return token, nil
}
