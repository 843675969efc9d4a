package integration

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
)

// payloads are texts that mean something to one of the languages on the way.
var payloads = []string{
	`'`, `''`, `"`, `\`, `\'`, "`", `;`, `--`, `/*`, `*/`, `#`, `'; DROP TABLE victim; --`, `"; DROP TABLE victim; --`, `x'); DELETE FROM victim; --`,
	`' OR '1'='1`, `' OR 1=1 --`, `1 OR 1=1`, `1; DELETE FROM victim`, `') UNION SELECT secret FROM victim --`, `1) UNION SELECT 1, secret FROM victim --`,
	`||(SELECT secret FROM victim)||`, `$1`, `$2::text`, `$$`, `$tag$`, `?`, `??`, `?|`, `:name`, `@x`, `E'\x27'`, `U&'\0027'`, `\x27`, `%27`, `%%`, `%s%n`,
	"\x00", "a\x00'b", "\u2019; DROP TABLE victim; --", "\u02bc", "\uff07 OR 1=1", "\u037e", "\ufeff'", "\u202e'", "\U0001f400'", "line\nbreak' --", "\r\nX: y", "tab\t'",
	`{{7*7}}`, `${7*7}`, `<script>`, `{"a": "'"}`, `["'", 1]`, `{a,"b\"",'c'}`, `{NULL}`, `(1,"'")`, `[1,'2')`, `a_b'_c`, `a%5Fb`, `../../etc`, `a][b`, `a$b$c`,
	`id`, `ctid`, `"thing"."label"`, `thing.label`, `pg_sleep(5)`, `(SELECT pg_sleep(5))`, `current_user`, `resourcery.k1`, `NULL`, `DEFAULT`, `0x1F`, `1e999`, `-0`, `\,`, `\\,'`,
	strings.Repeat("'", 2000), strings.Repeat("(", 500), strings.Repeat("not(", 300), strings.Repeat("a.", 300), strings.Repeat("[", 300),
}

// harmless are texts of the forms that payloads may have: one value, a list, a
// deeper path, numbers, documents.
var harmless = []string{
	"x", "x,y", "x,y,z", "", "0", "1", "1,2", "true", "false", "false,true", "1.5", "abc", "one", "label", "words", "word", "id", "a][b", "a.b", "@y", "x\\,y", "{a,b}", "{}", "[1,2)", "empty", "(1,x)",
	"00000000-0000-4000-8000-000000000001", "calm", "2024-01-01T00:00:00Z", "2024-01-01", "12:00", "12:00,13:00", "P1D", "AAEC", "{\"a\":1}", "[\"x\",1]", "x_y", "192.0.2.1", "10.0.0.0/8",
	"calm,glad", "2024-01-01,2024-01-02", "P1D,P2D", "AAEC,AAED", "192.0.2.1,192.0.2.2", "00000000-0000-4000-8000-000000000001,00000000-0000-4000-8000-000000000002", "reader", "none", "*",
}

// An injection is the site that payloads go to, and what its connections send.
type injection struct {
	site      *site
	overheard *overheard
	rows      string // all that the tables hold
}

func newInjection(t testing.TB) *injection {
	t.Helper()
	i := &injection{overheard: newOverheard()}
	i.site = newSite(t, siteOptions{
		sql: vulnerable, config: i.overheard.noted(exec.Configure),
		rest: httpapi.RESTOptions{AllowRegexp: true, AllowEstimates: true, SearchLanguage: "simple"},
	})
	return i
}

// TestInjection puts each payload in each place. No answer is a fault, Postgres
// gets the statements that it gets for harmless values and none that has a part
// of the payload, reads change nothing, and what is stored is the text itself.
func TestInjection(t *testing.T) {
	i := newInjection(t)
	i.rows = i.site.rows(t, everything)
	answered := make(map[int]int)
	for n, p := range places() {
		known := make(map[string]bool)
		for _, v := range harmless {
			i.send(t, p, v)
			maps.Copy(known, i.overheard.take())
		}
		for k, v := range payloads {
			if !sendable(p, v) || p.common && (k+n)%4 > 0 {
				continue
			}
			answer := i.send(t, p, v)
			answered[answer.Code]++
			for text := range i.overheard.take() {
				if !known[text] {
					t.Errorf("%s with %.60q runs a statement of no harmless value's: %s", p.name, v, text)
				}
			}
			i.judge(t, p, v, answer)
		}
		i.restore(t, p)
	}
	t.Log(answered)
	if answered[http.StatusOK] < 1000 || answered[http.StatusCreated] < 100 || answered[http.StatusBadRequest] < 1000 {
		t.Errorf("the answers are too much alike: %v", answered)
	}
}

// sendable reports whether a client could send the payload: headers end at a
// line break, no server hands control characters on, and JSON is UTF-8.
func sendable(p place, v string) bool {
	inHeader := slices.Contains([]string{"id of the request", "Accept", "profile", "If-None-Match", "If-Match", "If-Match, quoted", "Content-Type"}, p.name)
	if p.stores != "" && !utf8.ValidString(v) {
		return false
	}
	return !inHeader || !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' })
}

func (i *injection) send(t *testing.T, p place, v string) *httptest.ResponseRecorder {
	t.Helper()
	who := people["reader"]
	if p.who != nil {
		who = p.who(v)
	}
	return i.site.deliver(t, who, p.with(v))
}

// judge checks the answer to a payload, and what it has left.
func (i *injection) judge(t *testing.T, p place, v string, answer *httptest.ResponseRecorder) {
	t.Helper()
	switch {
	case answer.Code >= http.StatusInternalServerError:
		t.Errorf("%s with %.60q: %d\n%s", p.name, v, answer.Code, answer.Body)
	case answer.Code >= http.StatusBadRequest:
		checkErrors(t, answer.Code, answer.Body.Bytes())
	case p.stores != "":
		var d struct {
			Data struct{ Attributes map[string]any }
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &d); err != nil || d.Data.Attributes[p.stores] != v {
			t.Errorf("%s with %.60q is kept as %q, %v", p.name, v, d.Data.Attributes[p.stores], err)
		}
	}
	if strings.Contains(answer.Body.String(), "untouched") {
		t.Errorf("%s with %.60q shows the other table\n%s", p.name, v, answer.Body)
	}
}

// restore compares what reads have left, and takes back what writes have done.
func (i *injection) restore(t *testing.T, p place) {
	t.Helper()
	rows := i.site.rows(t, everything)
	if p.with("x").method == http.MethodGet {
		if rows != i.rows {
			t.Errorf("reads with a payload as %s have left\n%s", p.name, firstDifference(i.rows, rows))
		}
		return
	}
	if !strings.Contains(rows, "victim | (1,untouched)") {
		t.Errorf("writes with a payload as %s have left the other table as\n%s", p.name, rows)
	}
	i.site.asOwner(t, "CALL refill()")
}

// canary is in every text that FuzzInjection makes up, and in no statement.
const canary = "kanarienvogel"

// FuzzInjection puts any text in any place, with the canary in its middle and
// without it.
func FuzzInjection(f *testing.F) {
	all := slices.DeleteFunc(places(), func(p place) bool { return p.common })
	for n := range all {
		f.Add(uint16(n), "';", "--")
	}
	for n, v := range payloads {
		f.Add(uint16(n*7), v, "")
		f.Add(uint16(n*7+3), "", v)
	}
	i := newInjection(f)
	f.Fuzz(func(t *testing.T, n uint16, before, after string) {
		p := all[int(n)%len(all)]
		for _, v := range []string{before + canary + after, before + after} {
			if len(v) > 8<<10 || !sendable(p, v) {
				continue
			}
			answer := i.send(t, p, v)
			for text := range i.overheard.take() {
				if strings.Contains(strings.ToLower(text), canary) {
					t.Errorf("%s with %q runs %s", p.name, v, text)
				}
			}
			i.judge(t, p, v, answer)
			if answer.Code < http.StatusBadRequest && p.with(v).method != http.MethodGet {
				i.restore(t, p)
			}
		}
	})
}
