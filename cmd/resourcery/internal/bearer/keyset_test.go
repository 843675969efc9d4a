package bearer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
)

// pairs are key pairs of each type, as they sign and as files have them.
type pairs struct {
	rsa, other       *rsa.PrivateKey
	p256, p384, p521 *ecdsa.PrivateKey
	ed               ed25519.PrivateKey
}

func newPairs(t *testing.T) pairs {
	t.Helper()
	ec := func(curve elliptic.Curve) *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return pairs{rsaKey(t), rsaKey(t), ec(elliptic.P256()), ec(elliptic.P384()), ec(elliptic.P521()), ed}
}

// object is the public half of a key as a JSON web key, with further members, as
// in `"kid":"a"`.
func object(t *testing.T, private crypto.Signer, members ...string) string {
	t.Helper()
	return objectOf(t, private.Public(), members...)
}

func objectOf(t *testing.T, key any, members ...string) string {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKey{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if len(members) == 0 {
		return string(text)
	}
	return strings.TrimSuffix(string(text), "}") + "," + strings.Join(members, ",") + "}"
}

func set(objects ...string) string { return `{"keys":[` + strings.Join(objects, ",") + `]}` }

// writeSet writes a file and returns its path.
func writeSet(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// signKid signs with a key and names another, or the same.
func signKid(t *testing.T, method jwt.SigningMethod, key any, header, claims string) string {
	t.Helper()
	text := encode(header) + "." + encode(claims)
	signature, err := method.Sign(text, key)
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(string(signature))
}

const asMember = `{"role":"member"}`

func TestKeys(t *testing.T) {
	p := newPairs(t)
	everything := set(
		object(t, p.rsa, `"kid":"r"`), object(t, p.p256, `"kid":"e"`, `"alg":"ES256"`, `"use":"sig"`, `"key_ops":["verify"]`),
		object(t, p.p384), object(t, p.p521), object(t, p.ed, `"kid":"d"`),
	)
	for _, test := range []struct {
		name, keys, token string
		want              string
	}{
		{"RS256", everything, signWith(t, jwt.SigningMethodRS256, p.rsa, asMember), "role=member "},
		{"RS384", everything, signWith(t, jwt.SigningMethodRS384, p.rsa, asMember), "role=member "},
		{"RS512", everything, signWith(t, jwt.SigningMethodRS512, p.rsa, asMember), "role=member "},
		{"PS256", everything, signWith(t, jwt.SigningMethodPS256, p.rsa, asMember), "role=member "},
		{"PS384", everything, signWith(t, jwt.SigningMethodPS384, p.rsa, asMember), "role=member "},
		{"PS512", everything, signWith(t, jwt.SigningMethodPS512, p.rsa, asMember), "role=member "},
		{"ES256", everything, signWith(t, jwt.SigningMethodES256, p.p256, asMember), "role=member "},
		{"ES384", everything, signWith(t, jwt.SigningMethodES384, p.p384, asMember), "role=member "},
		{"ES512", everything, signWith(t, jwt.SigningMethodES512, p.p521, asMember), "role=member "},
		{"EdDSA", everything, signWith(t, jwt.SigningMethodEdDSA, p.ed, asMember), "role=member "},
		{"the secret beside the keys", everything, sign(t, asMember), "role=member "},
		{"the secret, with a kid", everything, signHeader(t, `{"alg":"HS256","kid":"r"}`, asMember), "role=member "},
		{"kid", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","kid":"r"}`, asMember), "role=member "},
		{"no kid, the second of two", set(object(t, p.other), object(t, p.rsa)), signWith(t, jwt.SigningMethodRS256, p.rsa, asMember), "role=member "},
		{"one kid for two types", set(object(t, p.p256, `"kid":"x"`), object(t, p.rsa, `"kid":"x"`)),
			signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","kid":"x"}`, asMember), "role=member "},
		{"kid null", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","kid":null}`, asMember), "role=member "},
		{"beside keys of other kinds", set(`{"kty":"AKP","alg":"ML-DSA-44"}`, `{"kty":"OKP","crv":"X25519"}`, `{"kty":"EC","crv":"secp256k1"}`, object(t, p.rsa)),
			signWith(t, jwt.SigningMethodRS256, p.rsa, asMember), "role=member "},

		{"unknown kid", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","kid":"?"}`, asMember), refused},
		{"the kid of another key", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","kid":"d"}`, asMember), refused},
		{"kid of a key without one", everything, signKid(t, jwt.SigningMethodES384, p.p384, `{"alg":"ES384","kid":"e"}`, asMember), refused},
		{"kid a number", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","kid":1}`, asMember), refused},
		{"another key", everything, signWith(t, jwt.SigningMethodRS256, p.other, asMember), refused},
		{"a key of another alg", set(object(t, p.rsa, `"alg":"RS256"`)), signWith(t, jwt.SigningMethodRS512, p.rsa, asMember), refused},
		{"PS256 by a key for RS256", set(object(t, p.rsa, `"alg":"RS256"`)), signWith(t, jwt.SigningMethodPS256, p.rsa, asMember), refused},
		{"a key for encryption", set(object(t, p.rsa, `"use":"enc"`), object(t, p.p256)), signWith(t, jwt.SigningMethodRS256, p.rsa, asMember), refused},
		{"a key that only signs", set(object(t, p.rsa, `"key_ops":["sign"]`), object(t, p.p256)), signWith(t, jwt.SigningMethodRS256, p.rsa, asMember), refused},
		{"a key without operations", set(object(t, p.rsa, `"key_ops":[]`), object(t, p.p256)), signWith(t, jwt.SigningMethodRS256, p.rsa, asMember), refused},
		{"alg in small letters", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"rs256"}`, asMember), refused},
		{"alg in other case", everything, signKid(t, jwt.SigningMethodEdDSA, p.ed, `{"alg":"EDDSA"}`, asMember), refused},
		{"no alg", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"kid":"r"}`, asMember), refused},
		{"alg a list", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":["RS256"]}`, asMember), refused},
		{"alg twice", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"none","alg":"RS256"}`, asMember), refused},
		{"a header that is no object", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `null`, asMember), refused},
		{"none", everything, encode(`{"alg":"none"}`) + "." + encode(asMember) + ".", refused},
		{"None", everything, encode(`{"alg":"None","kid":"r"}`) + "." + encode(asMember) + ".", refused},
		{"ES256 by another curve", set(object(t, p.p384)), ecSigned(t, p.p384, asMember), refused},
		{"critical header", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","crit":["exp"]}`, asMember), refused},
		{"critical header, empty", everything, signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","crit":null}`, asMember), refused},
		{"a key in the header", everything, signKid(t, jwt.SigningMethodRS256, p.other, `{"alg":"RS256","jwk":`+object(t, p.other)+`}`, asMember), refused},
		{"claims twice", everything, signWith(t, jwt.SigningMethodRS256, p.rsa, `{"role":"member","role":"admin"}`), refused},
		{"no signature", everything, signWith(t, jwt.SigningMethodEdDSA, p.ed, asMember)[:len(encode(`{"alg":"EdDSA","typ":"JWT"}`)+"."+encode(asMember))+1], refused},
		{"expired", everything, signWith(t, jwt.SigningMethodEdDSA, p.ed, `{"exp":1000000000}`), "401 unauthorized: The token has expired."},
		{"encrypted", everything, signWith(t, jwt.SigningMethodRS256, p.rsa, asMember) + ".a.b", refused},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := options
			o.KeyFile = writeSet(t, test.keys)
			got := outcome(newSessions(t, o).Token(test.token))
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// ecSigned signs with a key of P-384 so that it has the length of ES256.
func ecSigned(t *testing.T, key *ecdsa.PrivateKey, claims string) string {
	t.Helper()
	text := encode(`{"alg":"ES256"}`) + "." + encode(claims)
	signature, err := jwt.SigningMethodES384.Sign(text, key)
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(string(signature[:64]))
}

// Whatever form a public key is taken in, HS256 under it is worth nothing, with a
// secret of the server's beside it or without.
func TestPublicKeysAreNoSecrets(t *testing.T) {
	p := newPairs(t)
	der, err := x509.MarshalPKIXPublicKey(&p.rsa.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	file := set(object(t, p.rsa, `"kid":"r"`))
	for name, taken := range map[string][]byte{
		"PEM":     pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}),
		"PKCS1":   x509.MarshalPKCS1PublicKey(&p.rsa.PublicKey),
		"DER":     der,
		"object":  []byte(object(t, p.rsa, `"kid":"r"`)),
		"file":    []byte(file),
		"modulus": p.rsa.N.Bytes(),
		"empty":   {},
	} {
		for _, own := range []string{"", secret} {
			o := options
			o.Secret, o.KeyFile = own, writeSet(t, file)
			for _, header := range []string{`{"alg":"HS256"}`, `{"alg":"HS256","kid":"r"}`} {
				token := signKid(t, jwt.SigningMethodHS256, taken, header, asMember)
				if got := outcome(newSessions(t, o).Token(token)); got != refused {
					t.Errorf("%s, %s: %s", name, header, got)
				}
			}
		}
	}
	o := options
	o.Secret, o.KeyFile = "", writeSet(t, file)
	if got := outcome(newSessions(t, o).Token(sign(t, asMember))); got != refused {
		t.Errorf("HS256 without a secret: %s", got)
	}
	o.Secret, o.KeyFile = secret, ""
	if got := outcome(newSessions(t, o).Token(signWith(t, jwt.SigningMethodRS256, p.rsa, asMember))); got != refused {
		t.Errorf("RS256 without keys: %s", got)
	}
}

func TestAudience(t *testing.T) {
	const another = "401 unauthorized: The token is meant for another audience."
	for _, test := range []struct{ claims, want string }{
		{`{"aud":"api"}`, "role=anon "},
		{`{"aud":["web","api"]}`, "role=anon "},
		{`{"aud":"web"}`, another},
		{`{"aud":["web"]}`, another},
		{`{"aud":[]}`, another},
		{`{"aud":""}`, another},
		{`{"aud":"API"}`, another},
		{`{"aud":null}`, another},
		{`{}`, another},
		{`{"aud":1}`, another},
		{`{"aud":["api",1]}`, refused},
		{`{"aud":"api","exp":1000000000}`, "401 unauthorized: The token has expired."},
	} {
		o := options
		o.Audience = "api"
		if got := outcome(newSessions(t, o).Token(sign(t, test.claims))); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.claims, got, test.want)
		}
	}
	if got := outcome(newSessions(t, options).Token(sign(t, `{"aud":"web"}`))); !strings.HasPrefix(got, "role=anon ") {
		t.Errorf("where no audience is asked for: %s", got)
	}
}

func TestKeySetsRefused(t *testing.T) {
	p := newPairs(t)
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	good := object(t, p.ed)
	for _, test := range []struct{ name, text, want string }{
		{"nothing", ``, "it is no JSON Web Key Set"},
		{"a single key", good, "it has no key that verifies tokens"},
		{"a list", `[` + good + `]`, "it is no JSON Web Key Set"},
		{"keys twice", `{"keys":[],"keys":[` + good + `]}`, "it is no JSON Web Key Set"},
		{"no keys", set(), "it has no key that verifies tokens"},
		{"keys of other kinds alone", set(object(t, p.rsa, `"use":"enc"`)), `it has no key that verifies tokens [key 1: its use is "enc"]`},
		{"a secret", set(good, `{"kty":"oct","k":"c2VjcmV0"}`), "key 2: it is a shared secret (kty oct)"},
		{"a secret for HS256", set(good, `{"kty":"oct","alg":"HS256","k":"c2VjcmV0"}`), "key 2: it is a shared secret (kty oct)"},
		{"a private key", set(objectOf(t, p.rsa)), "key 1: it is a private key"},
		{"a private key of a curve", set(objectOf(t, p.p256)), "key 1: it is a private key"},
		{"a private Ed25519 key", set(objectOf(t, p.ed)), "key 1: it is a private key"},
		{"a short key", set(object(t, small)), "key 1: it has 1024 bits; RSA needs at least 2048"},
		{"alg of another type", set(object(t, p.rsa, `"alg":"ES256"`)), "key 1: its algorithm ES256 is not for keys of its type"},
		{"alg of another curve", set(object(t, p.p384, `"alg":"ES256"`)), "key 1: its algorithm ES256 is not for keys of its type"},
		{"alg HS256", set(good, object(t, p.rsa, `"alg":"HS256"`)), ""},
		{"no modulus", set(`{"kty":"RSA","e":"AQAB"}`), "key 1: it cannot be read"},
		{"no point of the curve", set(`{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}`), "key 1: it cannot be read"},
		{"kid a number", set(object(t, p.ed, `"kid":1`)), "key 1: it is no JSON object"},
		{"kid twice", set(object(t, p.ed, `"kid":"a"`, `"kid":"b"`)), "it is no JSON Web Key Set"},
		{"too many", set(strings.Split(strings.Repeat(good+"\n", maxKeys+1)[:(len(good)+1)*(maxKeys+1)-1], "\n")...), "it has 101 keys, more than 100"},
		{"too long", strings.Repeat(" ", maxKeyFile) + set(good), "it is longer than 1048576 bytes"},
	} {
		_, err := NewSessions(Options{KeyFile: writeSet(t, test.text)})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: the error shows the secret", test.name)
		}
	}
	if _, err := NewSessions(Options{KeyFile: filepath.Join(t.TempDir(), "absent.json")}); err == nil || !strings.Contains(err.Error(), "absent.json") {
		t.Errorf("no file: %v", err)
	}
}
