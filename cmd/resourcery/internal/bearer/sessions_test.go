package bearer

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
)

const secret = "0123456789abcdef0123456789abcdef"

var options = Options{
	Secret:        secret,
	AnonymousRole: "anon",
	Variables:     map[string]string{"app.user_id": "sub", "app.tenant": "app_metadata.tenant", "app.flags": "flags"},
}

func TestTokens(t *testing.T) {
	now := time.Now().Unix()
	for _, test := range []struct {
		name  string
		token string
		want  string // the session, or the refusal
	}{
		{
			"good", sign(t, `{"role": "member", "sub": "1", "exp": 99999999999}`),
			`role=member app.flags="" app.tenant="" app.user_id="1" request.jwt.claims="{\"role\":\"member\",\"sub\":\"1\",\"exp\":99999999999}"`,
		},
		{
			"exact numbers and nested claims", sign(t, `{"sub":12345678901234567890.10, "app_metadata": {"tenant": "a<b"}, "flags": ["x", 1e2]}`),
			`role=anon app.flags="[\"x\",1e2]" app.tenant="a<b" app.user_id="12345678901234567890.10" ` +
				`request.jwt.claims="{\"sub\":12345678901234567890.10,\"app_metadata\":{\"tenant\":\"a<b\"},\"flags\":[\"x\",1e2]}"`,
		},
		{
			"null and object claims", sign(t, `{"sub":null,"app_metadata":"none","flags":{"a":true}}`),
			`role=anon app.flags="{\"a\":true}" app.tenant="" app.user_id="" request.jwt.claims="{\"sub\":null,\"app_metadata\":\"none\",\"flags\":{\"a\":true}}"`,
		},
		{"expired", sign(t, `{"exp":1000000000}`), "401 unauthorized: The token has expired."},
		{"expires in the year 1970", sign(t, `{"exp":0}`), "401 unauthorized: The token has expired."},
		{"expires in words", sign(t, `{"exp":"never"}`), refused},
		{"not yet", signMap(t, map[string]any{"nbf": now + 3600}), "401 unauthorized: The token is not valid yet."},
		{"valid since", signMap(t, map[string]any{"nbf": now - 10}), `role=anon `},
		{"another secret", signWith(t, jwt.SigningMethodHS256, []byte(strings.Repeat("x", 32)), `{"role":"member"}`), refused},
		{"another digest", signWith(t, jwt.SigningMethodHS512, []byte(secret), `{"role":"member"}`), refused},
		{"none", signWith(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, `{"role":"member"}`), refused},
		{"none without a signature", encode(`{"alg":"none"}`) + "." + encode(`{"role":"member"}`) + ".", refused},
		{"RS256", signWith(t, jwt.SigningMethodRS256, rsaKey(t), `{"role":"member"}`), refused},
		{"critical header", signHeader(t, `{"alg":"HS256","crit":["x"],"x":1}`, `{"role":"member"}`), refused},
		{"claims twice", sign(t, `{"role":"member","role":"admin"}`), refused},
		{"claims are a list", sign(t, `[]`), refused},
		{"claims are no UTF-8", sign(t, "{\"sub\":\"\xff\"}"), refused},
		{"NUL for a variable", sign(t, `{"sub":"\u0000"}`), refused},
		{"garbage", "garbage", refused},
		{"two parts", "a.b", refused},
		{"four parts", sign(t, `{}`) + ".x", refused},
		{"oversized", sign(t, `{"sub":"`+strings.Repeat("x", maxToken)+`"}`), "401 unauthorized: The token is longer than 8192 bytes."},
		{"role empty", sign(t, `{"role":""}`), noName},
		{"role null", sign(t, `{"role":null}`), noName},
		{"role a number", sign(t, `{"role":1}`), noName},
		{"role a list", sign(t, `{"role":["member"]}`), noName},
		{"role with a NUL", sign(t, `{"role":"a\u0000b"}`), noName},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := outcome(newSessions(t, options).Token(test.token))
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

const (
	refused = "401 unauthorized: The token is not valid."
	noName  = "403 forbidden: The token's claim role names no role; it must be a text that is not empty."
)

// A key pair's public half is public: were it taken for a secret, anybody
// could sign.
func TestPublicKeyIsNoSecret(t *testing.T) {
	key := rsaKey(t)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	token := signWith(t, jwt.SigningMethodHS256, public, `{"role":"member"}`)
	if got := outcome(newSessions(t, options).Token(token)); got != refused {
		t.Errorf("got %s", got)
	}
	o := options
	o.Secret = string(public)
	token = signWith(t, jwt.SigningMethodRS256, key, `{"role":"member"}`)
	if got := outcome(newSessions(t, o).Token(token)); got != refused {
		t.Errorf("RS256 under its own public key: %s", got)
	}
}

func TestRolePath(t *testing.T) {
	for _, test := range []struct{ path, claims, want string }{
		{"app.role", `{"app":{"role":"member"}}`, "role=member "},
		{"app.role", `{"app.role":"flat","app":{"role":"member"}}`, "role=flat "},
		{"https://example.com/role", `{"https://example.com/role":"member"}`, "role=member "},
		{"app.role", `{"role":"member"}`, "role=anon "},
		{"app.role", `{"app":"role"}`, "role=anon "},
	} {
		o := options
		o.RoleClaim = test.path
		if got := outcome(newSessions(t, o).Token(sign(t, test.claims))); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s in %s: %s", test.path, test.claims, got)
		}
	}
}

func TestRequests(t *testing.T) {
	good := sign(t, `{"role":"member"}`)
	for _, test := range []struct {
		name    string
		headers []string
		want    string
	}{
		{"no token", nil, `role=anon request.jwt.claims="{\"role\":\"anon\"}"`},
		{"token", []string{"Bearer " + good}, "role=member "},
		{"scheme in capitals", []string{"BEARER " + good}, "role=member "},
		{"scheme in small letters, blanks", []string{"bearer   " + good}, "role=member "},
		{"several headers", []string{"Bearer " + good, "Bearer " + good}, "401 unauthorized: The request has several Authorization headers; send one."},
		{"another scheme", []string{"Basic dTpw"}, "401 unauthorized: The Authorization header must have"},
		{"no scheme", []string{good}, "401 unauthorized: The Authorization header must have"},
		{"empty header", []string{""}, "401 unauthorized: The Authorization header must have"},
		{"empty token", []string{"Bearer "}, "401 unauthorized: The Authorization header must have"},
		{"two tokens", []string{"Bearer " + good + " " + good}, refused},
		{"two tokens by a comma", []string{"Bearer " + good + ", Bearer " + good}, refused},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &http.Request{Header: http.Header{"Authorization": test.headers}}
			got := outcome(newSessions(t, options).Of(r))
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// Rates tell callers apart by tokens that are valid; with others one could be
// anybody.
func TestCaller(t *testing.T) {
	good, other := sign(t, `{"role":"member"}`), sign(t, `{"role":"other"}`)
	const here = "address 192.0.2.1"
	for _, test := range []struct {
		name    string
		headers []string
		want    string
	}{
		{"nobody", nil, here},
		{"a token", []string{"Bearer " + good}, "token " + good},
		{"spelled otherwise", []string{"BEARER   " + good}, "token " + good},
		{"another token", []string{"Bearer " + other}, "token " + other},
		{"a forged one", []string{"Bearer " + good + "x"}, here},
		{"an expired one", []string{"Bearer " + sign(t, `{"exp":1}`)}, here},
		{"no token", []string{"Bearer "}, here},
		{"another scheme", []string{"Basic " + good}, here},
		{"two", []string{"Bearer " + good, "Bearer " + other}, here},
	} {
		var log bytes.Buffer
		o := options
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		r := &http.Request{RemoteAddr: "192.0.2.1:1000", Header: http.Header{"Authorization": test.headers}}
		if got := newSessions(t, o).Caller(r); got != test.want {
			t.Errorf("%s: %s", test.name, got)
		}
		if log.Len() > 0 {
			t.Errorf("%s is refused already: %s", test.name, &log)
		}
	}
}

func TestWithoutAnonymousRole(t *testing.T) {
	o := options
	o.AnonymousRole = ""
	s := newSessions(t, o)
	if got, want := outcome(s.Anonymous(), nil), `role= request.jwt.claims=""`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := outcome(s.Token(sign(t, `{"sub":"1"}`))); !strings.HasPrefix(got, "role= ") {
		t.Errorf("a token without a role: %s", got)
	}
}

func TestWithoutSecret(t *testing.T) {
	var log bytes.Buffer
	o := Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	token := sign(t, `{"role":"member"}`)
	got := outcome(newSessions(t, o).Token(token))
	if want := "401 unauthorized: This server accepts no tokens; leave the Authorization header out."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(log.String(), "neither a secret nor keys are configured") || strings.Contains(log.String(), token) {
		t.Errorf("log: %s", &log)
	}
}

func TestRefusedOptions(t *testing.T) {
	for _, test := range []struct {
		name string
		o    Options
		want string
	}{
		{"short secret", Options{Secret: secret[1:]}, "the secret of tokens has 31 bytes; HS256 needs at least 32"},
		{"role claim", Options{RoleClaim: "a..b"}, `"a..b" is no path of a claim`},
		{"variable", Options{Variables: map[string]string{"app.x": ""}}, `"" is no path of a claim`},
		{"claims", Options{Variables: map[string]string{ClaimsVariable: "sub"}}, "session variable request.jwt.claims is set to all claims already"},
	} {
		_, err := NewSessions(test.o)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), secret[1:]) {
			t.Errorf("%s: the error shows the secret", test.name)
		}
	}
	if got, want := newSessions(t, options).Variables(), []string{ClaimsVariable, "app.flags", "app.tenant", "app.user_id"}; !slices.Equal(got, want) {
		t.Errorf("variables %v, want %v", got, want)
	}
}

func newSessions(t *testing.T, o Options) *Sessions {
	t.Helper()
	s, err := NewSessions(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outcome prints a session, or the error object that stands in its place.
func outcome(s exec.Session, err error) string {
	if err != nil {
		if e, ok := errors.AsType[*jsonapi.Error](err); ok {
			return fmt.Sprintf("%d %s: %s", e.Code.Status(), e.Code, e.Detail)
		}
		return "no jsonapi error: " + err.Error()
	}
	out := "role=" + s.Role
	for _, name := range slices.Sorted(maps.Keys(s.Vars)) {
		out += " " + name + "=" + quote(s.Vars[name])
	}
	return out
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func sign(t *testing.T, claims string) string {
	t.Helper()
	return signWith(t, jwt.SigningMethodHS256, []byte(secret), claims)
}

func signMap(t *testing.T, claims map[string]any) string {
	t.Helper()
	token, err := Sign(secret, claims)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func signWith(t *testing.T, method jwt.SigningMethod, key any, claims string) string {
	t.Helper()
	text := encode(`{"alg":"`+method.Alg()+`","typ":"JWT"}`) + "." + encode(claims)
	signature, err := method.Sign(text, key)
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(string(signature))
}

func signHeader(t *testing.T, header, claims string) string {
	t.Helper()
	text := encode(header) + "." + encode(claims)
	signature, err := jwt.SigningMethodHS256.Sign(text, []byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(string(signature))
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

func rsaKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
