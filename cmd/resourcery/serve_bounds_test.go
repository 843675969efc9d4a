package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/bearer"
	"github.com/resourcery/resourcery/internal/pgtest"
)

// lock has all that reads a table wait until the test ends.
func lock(t *testing.T, dsn, table string) {
	t.Helper()
	tx, err := connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE "+pgx.Identifier{table}.Sanitize()+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
}

// Each timeout answers a request that waits.
func TestServeTimeouts(t *testing.T) {
	for _, test := range []struct {
		name  string
		flags []string
		code  string
	}{
		{"request", []string{"--request-timeout", "300ms"}, "query-timeout"},
		{"statement", []string{"--statement-timeout", "300ms"}, "query-timeout"},
		{"acquire", []string{"--acquire-timeout", "300ms", "--max-conns", "1", "--statement-timeout", "3s"}, "database-unavailable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dsn := pgtest.Database(t, served)
			_, api := startServe(t, append([]string{"--dsn", dsn, "--allow-unsafe-role"}, test.flags...)...)
			if status, body := get(t, api+"/note", ""); status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			lock(t, dsn, "note")
			requests := 1
			if test.name == "acquire" {
				requests = 2 // one has the only connection
			}
			answers := make(chan string, requests)
			for range requests {
				go func() {
					answer, err := http.Get(api + "/note")
					if err != nil {
						answers <- err.Error()
						return
					}
					defer answer.Body.Close()
					body, err := io.ReadAll(answer.Body)
					answers <- fmt.Sprint(answer.StatusCode, answer.Header.Get("Retry-After") != "", string(body), err)
				}()
			}
			if got := <-answers; !strings.HasPrefix(got, "503 true") || !strings.Contains(got, test.code) {
				t.Errorf("got %s, want %s", got, test.code)
			}
		})
	}
}

// A caller is told by the token, else by the address; each has a rate.
func TestServeRate(t *testing.T) {
	const secret = "a secret of the tests that is long enough"
	_, api := startServe(t, "--dsn", pgtest.Database(t, served), "--allow-unsafe-role", "--jwt-secret", secret, "--rate-limit", "0.001", "--rate-burst", "2")
	var tokens []string
	for _, sub := range []string{"1", "2"} {
		token, err := bearer.Sign(secret, map[string]any{"sub": sub})
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	for i, c := range []struct {
		token  string
		status int
	}{
		{"", 200}, {"forged", 401}, {"", 429}, {"forged", 429}, {tokens[0] + "x", 429},
		{tokens[0], 200}, {tokens[0], 200}, {tokens[0], 429}, {tokens[1], 200},
	} {
		if status, body := get(t, api+"/note/1", c.token); status != c.status {
			t.Errorf("%d: %d %s", i, status, body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, _ := get(t, strings.TrimSuffix(api, "/api")+path, ""); status != 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

func TestServeMaxInFlight(t *testing.T) {
	dsn := pgtest.Database(t, served)
	_, api := startServe(t, "--dsn", dsn, "--allow-unsafe-role", "--max-in-flight", "1", "--statement-timeout", "5s")
	if status, body := get(t, api+"/note", ""); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	lock(t, dsn, "note")
	statuses := make(chan int, 2)
	for range 2 {
		go func() {
			answer, err := http.Get(api + "/note")
			if err != nil {
				statuses <- 0
				return
			}
			_ = answer.Body.Close() // nobody reads it
			statuses <- answer.StatusCode
		}()
	}
	if first, second := <-statuses, <-statuses; first != 429 || second != 503 {
		t.Errorf("%d, %d", first, second)
	}
}

// What Prometheus gets: numbers by method, form of the path and status, and
// nothing of what requests or rows say.
func TestServeMetrics(t *testing.T) {
	dsn := pgtest.Database(t, served)
	p, api := startServe(t, "--dsn", dsn, "--allow-unsafe-role", "--metrics-addr", "127.0.0.1:0", "--cors-origins", "https://app.example.org")
	p.stderr.await(t, "msg=metrics")
	match := regexp.MustCompile(`msg=metrics url=(\S+)`).FindStringSubmatch(p.stderr.String())
	if match == nil {
		t.Fatal(p.stderr.String())
	}
	for _, path := range []string{"/note", "/note/1", "/note/MARKER", "/MARKER?filter[MARKER]=MARKER", "/note/1/MARKER", "/MARKER//"} {
		get(t, api+path, "")
	}
	r, err := http.NewRequestWithContext(t.Context(), "MARKER", api+"/note", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(r); err != nil {
		t.Fatal(err)
	}
	status, text := get(t, match[1], "")
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	for _, line := range []string{
		`resourcery_http_requests_total{method="GET",route="/{type}",status="200"} 1`,
		`resourcery_http_requests_total{method="GET",route="/{type}",status="404"} 1`,
		`resourcery_http_requests_total{method="GET",route="/{type}/{id}",status="200"} 1`,
		`resourcery_http_requests_total{method="GET",route="/{type}/{id}",status="400"} 1`,
		`resourcery_http_requests_total{method="GET",route="/{type}/{id}/{relationship}",status="404"} 1`,
		`resourcery_http_requests_total{method="GET",route="other",status="404"} 1`,
		`resourcery_http_requests_total{method="other",route="/{type}",status="405"} 1`,
		`resourcery_http_request_duration_seconds_count{method="GET",route="/{type}"} 2`,
		`resourcery_http_requests_in_flight 0`,
		`resourcery_pool_connections{state="acquired"} 0`,
		`resourcery_pool_max_connections `,
		`resourcery_pool_acquires_total `,
		`go_goroutines `,
	} {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("no line %s", line)
		}
	}
	if strings.Contains(text, "MARKER") || strings.Contains(text, "note") {
		t.Errorf("names or values in\n%s", text)
	}
	if status, _ := get(t, strings.TrimSuffix(match[1], "metrics"), ""); status != 404 {
		t.Errorf("beside the metrics: %d", status)
	}
	if status, _ := get(t, strings.TrimSuffix(api, "/api")+"/metrics", ""); status != 404 {
		t.Errorf("metrics beside the API: %d", status)
	}
	p.stop(t)
	if p.code != 0 {
		t.Errorf("code %d\n%s", p.code, &p.stderr)
	}
}
