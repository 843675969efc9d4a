package bearer

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"maps"
	"slices"
)

// secretAlgorithm is the one that the secret is for.
const secretAlgorithm = "HS256"

// algorithms are those that public keys are for, each with the keys that it may
// be used with. Names are compared as they are, case included (RFC 7515, section
// 4.1.1).
var algorithms = map[string]func(public any) bool{
	"RS256": isRSA, "RS384": isRSA, "RS512": isRSA,
	"PS256": isRSA, "PS384": isRSA, "PS512": isRSA,
	"ES256": isEC(elliptic.P256()), "ES384": isEC(elliptic.P384()), "ES512": isEC(elliptic.P521()),
	"EdDSA": isEd25519,
}

func isRSA(public any) bool {
	_, ok := public.(*rsa.PublicKey)
	return ok
}

// isEC ties each ES algorithm to its curve (RFC 7518, section 3.4), which the
// check of the signature alone does not.
func isEC(curve elliptic.Curve) func(any) bool {
	return func(public any) bool {
		key, ok := public.(*ecdsa.PublicKey)
		return ok && key.Curve == curve
	}
}

func isEd25519(public any) bool {
	_, ok := public.(ed25519.PublicKey)
	return ok
}

// validMethods are the names of all algorithms.
func validMethods() []string {
	return append([]string{secretAlgorithm}, slices.Sorted(maps.Keys(algorithms))...)
}
