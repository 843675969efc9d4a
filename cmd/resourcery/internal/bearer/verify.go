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

// verify returns the claims of a token that is signed with the secret and
// neither expired nor not yet valid.
func (s *Sessions) verify(token string) (claims, error) {
	switch {
	case s.options.Secret == "":
		return nil, s.refuse("This server accepts no tokens; leave the Authorization header out.", errors.New("no secret is configured (--jwt-secret)"))
	case token == "":
		return nil, s.refuse("The Authorization header must have the form `Bearer <token>`.", errors.New("empty"))
	case len(token) > maxToken:
		return nil, s.refuse(fmt.Sprintf("The token is longer than %d bytes.", maxToken), fmt.Errorf("%d bytes long", len(token)))
	}
	parsed, err := s.parser.Parse(token, func(*jwt.Token) (any, error) { return []byte(s.options.Secret), nil })
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return nil, s.refuse("The token has expired.", err)
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return nil, s.refuse("The token is not valid yet.", err)
	case err != nil:
		return nil, s.refuse("The token is not valid.", err)
	}
	// What a critical header demands of us, we do not understand (RFC 7515, section 4.1.11).
	if _, ok := parsed.Header["crit"]; ok {
		return nil, s.refuse("The token is not valid.", errors.New("it has critical headers"))
	}
	c, err := payload(token)
	if err != nil {
		return nil, s.refuse("The token is not valid.", err)
	}
	return c, nil
}

// payload returns the claims as the token spells them, numbers with all their
// digits, without blanks.
func payload(token string) (claims, error) {
	parts := strings.Split(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, fmt.Errorf("decode claims: %w", err)
	}
	v := jsontext.Value(raw)
	// Two readers could each see another one of two claims of one name.
	if !v.IsValid() || v.Kind() != jsontext.KindBeginObject {
		return nil, errors.New("the claims are no JSON object, name a claim twice or are no UTF-8")
	}
	if err := v.Compact(); err != nil {
		return nil, fmt.Errorf("compact claims: %w", err)
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
