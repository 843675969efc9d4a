package bearer

import (
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"
)

const (
	// minRSA is how many bits an RSA key has at least (RFC 7518, section 3.3).
	minRSA = 2048
	// maxKeys bounds the work of a token that does not say which key it is of.
	maxKeys = 100
)

// A key verifies tokens.
type key struct {
	id        string // "": none
	algorithm string // the only one that it may be used with; "": any that fits
	public    any
}

// A keySet holds the keys of a file that verify tokens, in its order.
type keySet []key

// fitting returns the keys that a token may be signed with: the one that it
// names, or all where it names none, as far as they are made for its algorithm.
func (s keySet) fitting(h header) []jwt.VerificationKey {
	fits := algorithms[h.algorithm]
	var out []jwt.VerificationKey
	for _, k := range s {
		if (!h.hasKid || h.kid == k.id) && (k.algorithm == "" || k.algorithm == h.algorithm) && fits(k.public) {
			out = append(out, k.public)
		}
	}
	return out
}

// A keyObject is what of a JSON web key says whether it is one of ours (RFC
// 7517, section 4).
type keyObject struct {
	Type       string   `json:"kty"`
	Curve      string   `json:"crv"`
	Use        string   `json:"use"`
	Operations []string `json:"key_ops"`
	Algorithm  string   `json:"alg"`
	ID         string   `json:"kid"`
}

// foreign says why a key is left aside, "" where it is not. Sets have keys for
// other purposes, and of kinds that are newer than their readers (RFC 7517,
// section 5).
func (o *keyObject) foreign() string {
	switch {
	case o.Use != "" && o.Use != "sig":
		return fmt.Sprintf("its use is %q", o.Use)
	case o.Operations != nil && !slices.Contains(o.Operations, "verify"):
		return "its key_ops do not have verify"
	case o.Type == "EC" && !slices.Contains([]string{"P-256", "P-384", "P-521"}, o.Curve),
		o.Type == "OKP" && o.Curve != "Ed25519":
		return fmt.Sprintf("its curve %q is not known", o.Curve)
	case !slices.Contains([]string{"RSA", "EC", "OKP"}, o.Type):
		return fmt.Sprintf("its type %q is not known", o.Type)
	case o.Algorithm != "" && algorithms[o.Algorithm] == nil:
		return fmt.Sprintf("its algorithm %q is none that tokens may be signed with", o.Algorithm)
	}
	return ""
}

// parseKeySet reads a JSON Web Key Set (RFC 7517). Beside the keys it returns why
// the others were left aside. A set without a key of ours is an error, as is one
// with a key that must not be there: a secret or a private key.
func parseKeySet(text []byte) (set keySet, aside []string, err error) {
	var file struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, nil, errors.New(`it is no JSON Web Key Set; write {"keys": [...]}, each member once`)
	}
	if len(file.Keys) > maxKeys {
		return nil, nil, fmt.Errorf("it has %d keys, more than %d", len(file.Keys), maxKeys)
	}
	for i, text := range file.Keys {
		k, why, err := parseKey(text)
		if err != nil {
			return nil, nil, fmt.Errorf("key %d: %w", i+1, err)
		}
		if why != "" {
			aside = append(aside, fmt.Sprintf("key %d: %s", i+1, why))
			continue
		}
		set = append(set, k)
	}
	if len(set) == 0 {
		return nil, nil, fmt.Errorf("it has no key that verifies tokens %v", aside)
	}
	return set, aside, nil
}

// parseKey reads one key, or says why it is left aside.
func parseKey(text jsontext.Value) (k key, aside string, err error) {
	var o keyObject
	if err := json.Unmarshal(text, &o); err != nil {
		return key{}, "", errors.New("it is no JSON object, has a member twice, or one of another type")
	}
	if o.Type == "oct" {
		return key{}, "", errors.New("it is a shared secret (kty oct), and the others of the file are public; take it out and give it as --jwt-secret")
	}
	if why := o.foreign(); why != "" {
		return key{}, why, nil
	}
	var parsed jose.JSONWebKey
	if err := parsed.UnmarshalJSON(text); err != nil {
		return key{}, "", fmt.Errorf("it cannot be read: %w", err)
	}
	if !parsed.IsPublic() {
		return key{}, "", errors.New("it is a private key; keep it where tokens are signed, and write its public half here")
	}
	if public, ok := parsed.Key.(*rsa.PublicKey); ok && public.N.BitLen() < minRSA {
		return key{}, "", fmt.Errorf("it has %d bits; RSA needs at least %d", public.N.BitLen(), minRSA)
	}
	if o.Algorithm != "" && !algorithms[o.Algorithm](parsed.Key) {
		return key{}, "", fmt.Errorf("its algorithm %s is not for keys of its type", o.Algorithm)
	}
	return key{id: o.ID, algorithm: o.Algorithm, public: parsed.Key}, "", nil
}
