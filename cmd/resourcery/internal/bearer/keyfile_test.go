package bearer

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// due has the file looked at again by the next token.
func (f *keyFile) due() {
	f.mu.Lock()
	f.checked = time.Time{}
	f.mu.Unlock()
}

// The file is read again when it has changed, whatever its times say; a broken
// one leaves the keys, and is told of once.
func TestKeysAreReadAnew(t *testing.T) {
	p := newPairs(t)
	var log bytes.Buffer
	o := options
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	o.KeyFile = writeSet(t, set(object(t, p.rsa)))
	s := newSessions(t, o)
	before, after := signWith(t, jwt.SigningMethodRS256, p.rsa, asMember), signWith(t, jwt.SigningMethodRS256, p.other, asMember)
	check := func(name string, old, new bool) {
		t.Helper()
		s.file.due()
		for token, want := range map[string]bool{before: old, after: new} {
			if got := outcome(s.Token(token)); strings.HasPrefix(got, "role=member ") != want {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	info, err := os.Stat(o.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(o.KeyFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(o.KeyFile, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	check("first", true, false)
	write(set(object(t, p.other)))
	check("changed", false, true)
	write(set(object(t, p.rsa))[:40])
	check("broken", false, true)
	check("still broken", false, true)
	if n := strings.Count(log.String(), "cannot be read anew"); n != 1 {
		t.Errorf("told of %d times:\n%s", n, &log)
	}
	if err := os.Remove(o.KeyFile); err != nil {
		t.Fatal(err)
	}
	check("gone", false, true)
	write(set(objectOf(t, p.rsa)))
	check("a private key", false, true)
	write(set(object(t, p.rsa), object(t, p.other)))
	check("both", true, true)
	// A link that is turned to another file, as those of mounted secrets are.
	other := filepath.Join(t.TempDir(), "others.json")
	if err := os.WriteFile(other, []byte(set(object(t, p.rsa))), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(o.KeyFile); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, o.KeyFile); err != nil {
		t.Fatal(err)
	}
	check("a link", true, false)
	if n := strings.Count(log.String(), "keys of tokens read anew"); n != 3 {
		t.Errorf("read anew %d times:\n%s", n, &log)
	}
}

// A file that has not changed is not looked at for each token.
func TestKeysAreKept(t *testing.T) {
	p := newPairs(t)
	o := options
	o.KeyFile = writeSet(t, set(object(t, p.rsa)))
	s := newSessions(t, o)
	if err := os.WriteFile(o.KeyFile, []byte(set(object(t, p.other))), 0o600); err != nil {
		t.Fatal(err)
	}
	s.file.mu.Lock()
	s.file.checked = time.Now().Add(time.Hour)
	s.file.mu.Unlock()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got := outcome(s.Token(signWith(t, jwt.SigningMethodRS256, p.rsa, asMember))); !strings.HasPrefix(got, "role=member ") {
				t.Error(got)
			}
		})
	}
	group.Wait()
	s.file.due()
	if got := outcome(s.Token(signWith(t, jwt.SigningMethodRS256, p.other, asMember))); !strings.HasPrefix(got, "role=member ") {
		t.Error(got)
	}
}

// Nothing that a token says gets into the log.
func TestLogHasNoTokens(t *testing.T) {
	p := newPairs(t)
	var log bytes.Buffer
	o := options
	o.Audience = "api"
	o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.KeyFile = writeSet(t, set(object(t, p.rsa)))
	s := newSessions(t, o)
	const marker = "MARKER"
	tokens := []string{
		marker, marker + "." + marker + "." + marker, "",
		signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"`+marker+`"}`, asMember),
		signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","kid":"`+marker+`"}`, asMember),
		signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","`+marker+`":1,"`+marker+`":2}`, asMember),
		signKid(t, jwt.SigningMethodRS256, p.rsa, `{"alg":"RS256","crit":["`+marker+`"]}`, asMember),
		signWith(t, jwt.SigningMethodRS256, p.other, `{"sub":"`+marker+`"}`),
		sign(t, `{"aud":"`+marker+`"}`), sign(t, `{"aud":{"`+marker+`":1}}`), sign(t, `{"aud":"api","exp":"`+marker+`"}`),
		sign(t, `{"aud":"api","nbf":99999999999,"sub":"`+marker+`"}`), sign(t, `{"aud":"api","exp":1,"sub":"`+marker+`"}`),
		sign(t, `{"aud":"api","`+marker+`":1,"`+marker+`":2}`), sign(t, `{"aud":"api","sub":"`+marker+`\u0000"}`),
		sign(t, `{"aud":"api","role":{"`+marker+`":1}}`), strings.Repeat(marker, maxToken),
	}
	for _, token := range tokens {
		if got := outcome(s.Token(token)); !strings.HasPrefix(got, "40") || strings.Contains(got, marker) {
			t.Errorf("%.80s: %s", token, got)
		}
	}
	for _, never := range []string{marker, encode(marker), "eyJ"} {
		if strings.Contains(log.String(), never) {
			t.Errorf("the log has %q:\n%s", never, &log)
		}
	}
	if n := strings.Count(log.String(), "token refused"); n != len(tokens)-1 { // a role that is none is a 403
		t.Errorf("%d lines for %d tokens:\n%s", n, len(tokens), &log)
	}
}
