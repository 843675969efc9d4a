package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/resourcery/resourcery/internal/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// output is what a running command has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await waits until the output holds a text.
func (o *output) await(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(o.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %q in the output:\n%s", text, o)
		}
	}
}

// A process is a command that runs within the test.
type process struct {
	stdout, stderr output
	cancel         context.CancelFunc
	done           chan struct{}
	code           int
}

// start runs a command until stop, or the test's end.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.code = run(ctx, args, &p.stdout, &p.stderr)
	}()
	t.Cleanup(func() { p.stop(t) })
	return p
}

// stop ends the command as a signal would, and waits.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.cancel()
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		t.Fatal("the command did not end")
	}
}

// ready waits for a text on standard output; a command that ends before fails
// the test.
func (p *process) ready(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(p.stdout.String(), text); time.Sleep(10 * time.Millisecond) {
		select {
		case <-p.done:
			t.Fatalf("the command ended with code %d\n%s\n%s", p.code, &p.stdout, &p.stderr)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready\n%s\n%s", &p.stdout, &p.stderr)
		}
	}
}

// output runs a command that ends by itself.
func runCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs output
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// get fetches a URL, with a bearer token where one is given.
func get(t *testing.T, url, token string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// ids returns the ids of a document's primary data.
func ids(t *testing.T, body string) []string {
	t.Helper()
	var document struct {
		Data []struct{ ID json.RawMessage }
	}
	if err := json.Unmarshal([]byte(body), &document); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	out := make([]string, len(document.Data))
	for i, d := range document.Data {
		out[i] = string(d.ID)
	}
	return out
}

func TestCommandLine(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string // on stderr
	}{
		{"unknown command", []string{"sreve"}, "resourcery: unknown argument; `resourcery --help` lists what there is\n"},
		{"unknown flag", []string{"serve", "--cors-origin"}, "resourcery: unknown flag: --cors-origin\n"},
		{"lost flag", []string{"serve", "postgres://u:s3cret@h/d"}, "resourcery: unknown argument; `resourcery serve --help` lists what there is\n"},
		{"no database", []string{"serve", "--addr", "127.0.0.1:0"}, "resourcery: no database is named; write --dsn postgres://user@host/database, or set RESOURCERY_DSN\n"},
		{"bad database", []string{"introspect", "--dsn", "postgres://u:s3cret:x@h:port/d"}, "resourcery: --dsn is no connection string of Postgres; "},
		{"page size", []string{"serve", "--page-size", "0"}, `resourcery: invalid argument "0" for "--page-size" flag: write a positive number, or Infinity`},
		{"page sizes", []string{"serve", "--addr", "127.0.0.1:0", "--max-page-size", "50"}, "resourcery: httpapi: RESTOptions.MaxPageSize is 50, less than PageSize, which is 100"},
		{"endpoint", []string{"serve", "--addr", "127.0.0.1:0", "--endpoint", "https://example.org/"}, `resourcery: --endpoint "https://example.org/" has no path; write one, such as https://example.org/api`},
		{"endpoint", []string{"serve", "--addr", "127.0.0.1:0", "--endpoint", "/api"}, `resourcery: --endpoint "/api" is no absolute URL`},
		{"reserved endpoint", []string{"serve", "--addr", "127.0.0.1:0", "--endpoint", "http://a/healthz"}, `resourcery: --endpoint "http://a/healthz" has the path of a check`},
		{"search language", []string{"serve", "--addr", "127.0.0.1:0", "--search-language", "a'b"}, `resourcery: httpapi: RESTOptions.SearchLanguage "a'b" is no name`},
		{"short secret", []string{"serve", "--addr", "127.0.0.1:0", "--jwt-secret", "s3cret"}, "resourcery: the secret of tokens has 6 bytes; HS256 needs at least 32"},
		{"keys", []string{"serve", "--addr", "127.0.0.1:0", "--jwt-jwks-file", "absent.json"}, "resourcery: the keys of tokens: absent.json: "},
		{"request timeout", []string{"serve", "--addr", "127.0.0.1:0", "--request-timeout", "-1s"}, "resourcery: --request-timeout -1s is no time to wait; write one such as 30s"},
		{"statement timeout", []string{"serve", "--addr", "127.0.0.1:0", "--statement-timeout", "-1s"}, "resourcery: --statement-timeout -1s is no time to wait"},
		{"acquire timeout", []string{"serve", "--addr", "127.0.0.1:0", "--acquire-timeout", "-1s"}, "resourcery: --acquire-timeout -1s is no time to wait"},
		{"timeout without a unit", []string{"serve", "--request-timeout", "30"}, `resourcery: invalid argument "30" for "--request-timeout" flag`},
		{"in flight", []string{"serve", "--addr", "127.0.0.1:0", "--max-in-flight", "-1"}, "resourcery: --max-in-flight -1 is no number of requests"},
		{"rate", []string{"serve", "--addr", "127.0.0.1:0", "--rate-limit", "-1"}, "resourcery: --rate-limit -1 is no rate"},
		{"rate", []string{"serve", "--addr", "127.0.0.1:0", "--rate-limit", "NaN"}, "resourcery: --rate-limit NaN is no rate"},
		{"burst", []string{"serve", "--addr", "127.0.0.1:0", "--rate-limit", "1", "--rate-burst", "-1"}, "resourcery: --rate-burst -1 is no number of requests"},
		{"burst without a rate", []string{"serve", "--addr", "127.0.0.1:0", "--rate-burst", "5"}, "resourcery: --rate-burst means nothing without --rate-limit"},
		{"connections", []string{"serve", "--addr", "127.0.0.1:0", "--dsn", "postgres://u:s3cret@h/d", "--max-conns", "-1"}, "resourcery: --max-conns -1 is no number of connections"},
		{"address", []string{"serve", "--addr", "nonsense"}, "resourcery: --addr nonsense: "},
		{"config", []string{"serve", "--config", "absent.yaml"}, "resourcery: read configuration: open absent.yaml: "},
		{"explain nothing", []string{"explain"}, "resourcery: explain takes one argument, in quotes"},
		{"explain a write", []string{"explain", "POST /post"}, "resourcery: POST requests cannot be explained, only those of the method GET\n"},
		{"explain half a request", []string{"explain", "/post"}, "resourcery: the request must have the form 'GET /post"},
		{"explain a bad path", []string{"explain", "GET /a/b/c/d/e"}, "resourcery: 404 invalid-path"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := runCommand(t, test.args...)
			if code != 1 || !strings.HasPrefix(stderr, test.want) {
				t.Errorf("code %d\ngot  %swant %s", code, stderr, test.want)
			}
			if strings.Contains(stdout+stderr, "s3cret") {
				t.Errorf("the secret is in the output: %s%s", stdout, stderr)
			}
		})
	}
}

// Help shows what flags are by default, not what the environment makes of them.
func TestHelpShowsNoSecret(t *testing.T) {
	t.Setenv("RESOURCERY_DSN", "postgres://u:s3cret@h/d")
	t.Setenv("RESOURCERY_JWT_SECRET", strings.Repeat("s3cret", 6))
	for _, command := range []string{"", "demo", "serve", "explain", "introspect"} {
		code, stdout, stderr := runCommand(t, strings.Fields(command+" --help")...)
		if code != 0 || strings.Contains(stdout+stderr, "s3cret") || !strings.Contains(stdout, "Usage:") {
			t.Errorf("%s: code %d\n%s%s", command, code, stdout, stderr)
		}
	}
}

// flagNames are those that `serve` has; what is not built is no flag.
func TestServeFlags(t *testing.T) {
	_, help, _ := runCommand(t, "serve", "--help")
	want := "dsn config schemas pgbouncer addr endpoint page-size max-page-size id-divider strict search-language allow-regexp allow-estimates anon-role jwt-secret jwt-jwks-file jwt-aud jwt-role-claim allow-unsafe-role " +
		"request-timeout statement-timeout acquire-timeout max-conns max-in-flight rate-limit rate-burst cors-origins metrics-addr log-values help"
	var got []string
	for _, match := range regexp.MustCompile(`(?m)^ +(?:-h, )?--([a-z-]+)`).FindAllStringSubmatch(help, -1) {
		got = append(got, match[1])
	}
	if fmt.Sprint(got) != fmt.Sprint(strings.Fields(want)) {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}
