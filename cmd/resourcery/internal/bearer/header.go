package bearer

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A header is what a token says of its signature. What else a header may hold,
// keys and the addresses of keys among it, is the caller's word alone and has no
// meaning here.
type header struct {
	algorithm string
	kid       string
	hasKid    bool
}

// headerOf reads the first part of a token. Its errors quote nothing of it.
func headerOf(token string) (header, error) {
	first, _, ok := strings.Cut(token, ".")
	if !ok {
		return header{}, errors.New("it has no dot")
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(first)
	if err != nil {
		return header{}, errors.New("its header is no base64url")
	}
	var h struct {
		Algorithm string         `json:"alg"`
		KeyID     *string        `json:"kid"`
		Critical  jsontext.Value `json:"crit"`
	}
	// Members that are there twice are refused too: two readers could each take
	// another one.
	if err := json.Unmarshal(text, &h); err != nil {
		return header{}, errors.New("its header is no JSON object, has a member twice, or one of another type")
	}
	// What a critical header demands of us, we do not understand (RFC 7515, section 4.1.11).
	if h.Critical != nil {
		return header{}, errors.New("it has critical headers")
	}
	out := header{algorithm: h.Algorithm}
	if h.KeyID != nil {
		out.kid, out.hasKid = *h.KeyID, true
	}
	if _, ok := algorithms[out.algorithm]; !ok && out.algorithm != secretAlgorithm {
		return header{}, fmt.Errorf("its algorithm is none of %s", strings.Join(validMethods(), ", "))
	}
	return out, nil
}
