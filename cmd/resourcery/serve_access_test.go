package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/bearer"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
)

// send makes a request with a body and headers, and returns the answer's status.
func send(t *testing.T, method, url, body string, header map[string]string) (int, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode, answer.Header
}

// A signer signs tokens by a key pair and writes its public half.
type signer struct{ key *ecdsa.PrivateKey }

func newSigner(t *testing.T) signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signer{key}
}

func (s signer) write(t *testing.T, path string) {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: "a", Algorithm: "ES256", Use: "sig"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s signer) sign(t *testing.T, audience string) string {
	t.Helper()
	claims := jwt.MapClaims(sample.People()[0].Claims())
	claims["aud"] = []string{"elsewhere", audience}
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["kid"] = "a"
	text, err := token.SignedString(s.key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Tokens by keys of a file that changes while it is served, and beside them
// those by the secret; all meant for this server.
func TestServeKeys(t *testing.T) {
	const secret = "a secret of the tests that is long enough"
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	file := filepath.Join(t.TempDir(), "keys.json")
	old, renewed := newSigner(t), newSigner(t)
	old.write(t, file)
	t.Setenv("RESOURCERY_JWT_JWKS_FILE", file)
	t.Setenv("RESOURCERY_JWT_SECRET", secret)
	p, api := startServe(t, "--dsn", dsn, "--anon-role", sample.AnonRole, "--jwt-aud", "site")
	drafts := api + "/post?filter[published]=false"
	if status, body := get(t, drafts, old.sign(t, "site")); status != 200 || len(ids(t, body)) == 0 {
		t.Errorf("by the key: %d %s", status, body)
	}
	if status, _ := get(t, drafts, renewed.sign(t, "site")); status != 401 {
		t.Errorf("by a key that is not in the file: %d", status)
	}
	if status, _ := get(t, drafts, old.sign(t, "another")); status != 401 {
		t.Errorf("for another audience: %d", status)
	}
	claims := sample.People()[0].Claims()
	for aud, want := range map[string]int{"site": 200, "another": 401} {
		claims["aud"] = aud
		token, err := bearer.Sign(secret, claims)
		if err != nil {
			t.Fatal(err)
		}
		if status, body := get(t, drafts, token); status != want {
			t.Errorf("by the secret for %s: %d %s", aud, status, body)
		}
	}
	renewed.write(t, file)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if status, _ := get(t, drafts, renewed.sign(t, "site")); status == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the new key is not taken")
		}
	}
	p.stderr.await(t, "keys of tokens read anew")
	if status, _ := get(t, drafts, old.sign(t, "site")); status != 401 {
		t.Errorf("by the old key: %d", status)
	}
	if code, stdout, stderr := runCommand(t, "explain", "--dsn", dsn, "--anon-role", sample.AnonRole, "--jwt-aud", "site", "--token", renewed.sign(t, "site"), "GET /post"); code != 0 {
		t.Errorf("explain: %d\n%s%s", code, stdout, stderr)
	}
}

func TestServeCrossOrigin(t *testing.T) {
	const app = "https://app.example.org"
	_, api := startServe(t, "--dsn", pgtest.Database(t, served), "--allow-unsafe-role", "--cors-origins", "http://localhost:3000,"+app)
	status, header := send(t, "OPTIONS", api+"/note/1", "", map[string]string{
		"Origin": app, "Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "authorization,content-type,if-match",
	})
	if status != 204 || header.Get("Access-Control-Allow-Origin") != app || header.Get("Access-Control-Allow-Methods") != "PATCH" {
		t.Errorf("preflight: %d %v", status, header)
	}
	for path, want := range map[string]int{"/note/1": 200, "/note/99": 404} {
		status, header = send(t, "GET", api+path, "", map[string]string{"Origin": app})
		if status != want || header.Get("Access-Control-Allow-Origin") != app || !strings.Contains(strings.ToLower(header.Get("Access-Control-Expose-Headers")), "etag") {
			t.Errorf("%s: %d %v", path, status, header)
		}
	}
	if status, header = send(t, "GET", api+"/note/1", "", map[string]string{"Origin": "https://evil.org"}); status != 200 || header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %d %v", status, header)
	}
	if status, header = send(t, "OPTIONS", api+"/note/1", "", nil); status != 204 || !strings.Contains(header.Get("Allow"), "PATCH") {
		t.Errorf("no preflight: %d %v", status, header)
	}
}

// markers is a database whose rules quote what is written wherever they can.
const markers = `
CREATE TABLE note (id int PRIMARY KEY, body text NOT NULL UNIQUE CHECK (body <> 'MARKER check'), at date);
INSERT INTO note VALUES (1, 'MARKER taken');
CREATE FUNCTION speak() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF new.body = 'MARKER raise' THEN
		RAISE EXCEPTION 'MARKER message' USING DETAIL = 'MARKER detail', HINT = 'MARKER hint', ERRCODE = 'XX001';
	ELSIF new.body = 'MARKER call' THEN
		EXECUTE 'SELECT ' || quote_ident(new.body) || '()';
	ELSIF new.body = 'MARKER busy' THEN
		RAISE EXCEPTION 'MARKER message' USING ERRCODE = '53400';
	END IF;
	RETURN new;
END $$;
CREATE TRIGGER speak BEFORE INSERT OR UPDATE ON note FOR EACH ROW EXECUTE FUNCTION speak();
`

// Nothing that requests send or rows hold gets into the log of a server, unless
// it is asked to log values.
func TestServeLogsNoValues(t *testing.T) {
	dsn := pgtest.Database(t, markers)
	const secret = "MARKER of the tests that is long enough"
	token, err := bearer.Sign(secret, map[string]any{"sub": "MARKER"})
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range []bool{false, true} {
		flags := []string{"--dsn", dsn, "--allow-unsafe-role", "--jwt-secret", secret, "--rate-limit", "1000", "--cors-origins", "*"}
		if values {
			flags = append(flags, "--log-values")
		}
		p, api := startServe(t, flags...)
		seen := map[int]int{}
		for _, credential := range []string{token, token + "MARKER", "MARKER"} {
			header := map[string]string{
				"Authorization": "Bearer " + credential, "Content-Type": "application/vnd.api+json", "Cookie": "MARKER=MARKER",
				"If-None-Match": `"MARKER"`, "User-Agent": "MARKER", "Origin": "https://MARKER.example", "X-Own": "MARKER",
			}
			for _, r := range []struct{ method, path, body string }{
				{"GET", "/note?filter[body]=MARKER", ""},
				{"GET", "/note?filter[at]=MARKER", ""},
				{"GET", "/note?MARKER=MARKER&filter[MARKER]=MARKER&sort=MARKER", ""},
				{"GET", "/note?filter[body$matches]=MARKER(", ""},
				{"POST", "/note", `{"data":{"type":"note","id":2,"attributes":{"body":"MARKER taken"}}}`},
				{"POST", "/note", `{"data":{"type":"note","id":2,"attributes":{"body":"MARKER check"}}}`},
				{"POST", "/note", `{"data":{"type":"note","id":2,"attributes":{"body":"MARKER raise"}}}`},
				{"POST", "/note", `{"data":{"type":"note","id":2,"attributes":{"body":"MARKER call"}}}`},
				{"POST", "/note", `{"data":{"type":"note","id":2,"attributes":{"body":"MARKER busy"}}}`},
				{"POST", "/note", `{"data":{"type":"note","id":2,"attributes":{"body":"a","at":"MARKER"}}}`},
				{"POST", "/note", `{"data":{"type":"MARKER","MARKER":1`},
				{"PATCH", "/note/1", `{"data":{"type":"note","id":1,"attributes":{"body":"MARKER raise"}}}`},
				{"POST", "/operations", `{"atomic:operations":[{"op":"MARKER"}]}`},
				{"DELETE", "/note/1?MARKER=MARKER", ""},
			} {
				status, _ := send(t, r.method, api+r.path, r.body, header)
				seen[status/100]++
				if status >= 500 && credential != token {
					t.Errorf("%s %s: %d", r.method, r.path, status)
				}
			}
		}
		if seen[2] == 0 || seen[4] == 0 || seen[5] < 4 {
			t.Errorf("answers by status: %v", seen)
		}
		p.stop(t)
		if got := strings.Contains(p.stderr.String(), "MARKER"); got != values {
			t.Errorf("with values %t: %t\n%s", values, got, &p.stderr)
		}
		for _, never := range []string{token, secret, dsn} {
			if strings.Contains(p.stderr.String(), never) {
				t.Errorf("with values %t: a secret is in the log", values)
			}
		}
		if want := "SQLSTATE XX001, routine exec_stmt_raise (pl_exec.c:"; !values && !strings.Contains(p.stderr.String(), want) {
			t.Errorf("no %s in\n%s", want, &p.stderr)
		}
	}
}
