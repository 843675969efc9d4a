package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
	"github.com/resourcery/resourcery/internal/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// The whole program, on few rows and with slots that are too short to tell
// anything: that it gets to its end says that all contenders give the same
// answers.
func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results", "load")
	var stdout, stderr bytes.Buffer
	cmd := newCommand(&stdout, &stderr)
	cmd.SetArgs([]string{"--dsn", pgtest.Database(t, ""), "--size", "small", "--clients", "2", "--rounds", "1",
		"--slot", "20ms", "--delay", "2ms", "--out", out, "--profile", filepath.Join(t.TempDir(), "profiles")})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	text, err := os.ReadFile(out + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Answers) != len(blog.Workloads) {
		t.Errorf("%d workloads were compared, want %d", len(r.Answers), len(blog.Workloads))
	}
	// Four contenders, of which the last one only reads.
	if want := 4*len(blog.Workloads) - 2; len(r.Load) != want {
		t.Errorf("%d series, want %d", len(r.Load), want)
	}
	for _, s := range r.Load {
		if len(s.Rounds) != 1 || s.Rounds[0].Requests < s.Clients {
			t.Errorf("%s, %d clients, %s: rounds %+v", s.Workload, s.Clients, s.Contender, s.Rounds)
		}
	}
	for _, trip := range r.Trips {
		if trip.Far < 2*time.Millisecond {
			t.Errorf("%s, %s: %s, less than the delay", trip.Workload, trip.Contender, trip.Far)
		}
	}
	for _, s := range r.Streams {
		if s.Failed != "" {
			t.Errorf("streaming, %s: %s", s.Contender, s.Failed)
		}
	}
	report, err := os.ReadFile(out + ".md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"## Targets", "## Load", "between Go and Postgres", "## All comments in one answer"} {
		if !strings.Contains(string(report), part) {
			t.Errorf("the report has no %q", part)
		}
	}
	if stdout.String() != string(report) {
		t.Error("what is printed is not what is written")
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{
		{"--size", "huge"},
		{"--clients", "0"},
		{"--rounds", "0"},
		{"--slot", "0s"},
		{"--delay", "-1s"},
		{"--workloads", "W1,W9"},
		{"--dsn", "postgres://localhost/x", "--data", "/nowhere"},
		{"more"},
	} {
		cmd := newCommand(new(bytes.Buffer), new(bytes.Buffer))
		cmd.SetArgs(args)
		if err := cmd.ExecuteContext(t.Context()); err == nil {
			t.Errorf("%v was not refused", args)
		}
	}
}

// A comparison that finds nothing shows nothing, so it is shown what it must find.
func TestAnswerCompare(t *testing.T) {
	header := http.Header{"Vary": {"Accept"}}
	want := answer{200, header, []byte(`{"data":[{"id":1},{"id":2}],"n":null}`)}
	for _, c := range []struct {
		name        string
		got         answer
		byteForByte bool
		equal       bool
	}{
		{"the same", want, true, true},
		{"another order of members", answer{200, nil, []byte(`{"n": null, "data": [{"id": 1}, {"id": 2}]}`)}, false, true},
		{"the same, byte for byte", answer{200, header, []byte(`{"n": null, "data": [{"id": 1}, {"id": 2}]}`)}, true, false},
		{"another status", answer{201, header, want.body}, true, false},
		{"another header", answer{200, nil, want.body}, true, false},
		{"another order of elements", answer{200, nil, []byte(`{"n":null,"data":[{"id":2},{"id":1}]}`)}, false, false},
		{"a member more", answer{200, nil, []byte(`{"n":null,"m":1,"data":[{"id":1},{"id":2}]}`)}, false, false},
		{"another member", answer{200, nil, []byte(`{"m":null,"data":[{"id":1},{"id":2}]}`)}, false, false},
		{"an element less", answer{200, nil, []byte(`{"n":null,"data":[{"id":1}]}`)}, false, false},
		{"another kind", answer{200, nil, []byte(`{"n":null,"data":[{"id":"1"},{"id":2}]}`)}, false, false},
	} {
		if err := want.compare(c.got, c.byteForByte); (err == nil) != c.equal {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestTargets(t *testing.T) {
	at := func(perSecond float64) []sample { return []sample{{PerSecond: perSecond, CPU: 1, Allocs: 50}} }
	r := &record{Delay: "10ms", Ping: 10 * time.Millisecond, Load: []series{
		{"W1", 1, library, at(80)}, {"W1", 1, byHand, at(100)},
		{"W3", 1, library, at(100)}, {"W3", 1, byHand, at(100)}, {"W3", 1, inServer, at(20)},
	}, Trips: []trip{
		{"W1", library, 12 * time.Millisecond, 0, 12 * time.Millisecond},
		{"W3", library, 12 * time.Millisecond, 2 * time.Millisecond, 11 * time.Millisecond},
		{"W4", library, 12 * time.Millisecond, 2 * time.Millisecond, 13 * time.Millisecond},
	}}
	met := map[string]bool{}
	for _, target := range r.targets() {
		met[target.What] = target.Met
	}
	for what, want := range map[string]bool{
		"W1, requests/s against hand-written, 1 client":         false,
		"W3, requests/s against hand-written, 1 client":         true,
		"W3, requests/s against JSON in Postgres, 1 client":     true,
		"W1, Go CPU per request against hand-written, 1 client": true,
		"W1, allocations per request in process":                true,
		"W3, allocations per request in process":                true,
		"W1, trips of 10ms at p50":                              false,
		"W3, trips of 10ms at p50, less the time without":       true,
		"W4, trips of 10ms at p50, less the time without":       false,
	} {
		got, ok := met[what]
		if !ok {
			t.Errorf("there is no target %q", what)
		} else if got != want {
			t.Errorf("%s: met is %v, want %v", what, got, want)
		}
	}
	if len(met) != 9 {
		t.Errorf("%d targets, want 9: %v", len(met), met)
	}
}
