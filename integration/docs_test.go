package integration

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/plan"
)

const (
	queryReference = "../docs/query.md"
	requestsAsked  = "../docs/requests.md"
	writing        = "../docs/writes.md"
)

// TestQueryReference prints the operator table of the query reference and
// compares; with -rewrite it writes it.
func TestQueryReference(t *testing.T) {
	text := readText(t, queryReference)
	head, rest, ok := strings.Cut(text, "<!-- operators")
	note, rest, noted := strings.Cut(rest, "-->\n")
	_, tail, ended := strings.Cut(rest, "<!-- end -->")
	if !ok || !noted || !ended {
		t.Fatalf("%s has no place for the operators", queryReference)
	}
	want := head + "<!-- operators" + note + "-->\n" + operatorTable(t) + "<!-- end -->" + tail
	switch {
	case want == text:
	case flag.Lookup("rewrite").Value.String() == "true":
		if err := os.WriteFile(queryReference, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs from the operator table; run `go test ./integration -run TestQueryReference -rewrite`", queryReference)
	}
}

func operatorTable(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("| operator | takes | finds | for | example |\n|---|---|---|---|---|\n")
	for _, op := range plan.Operators() {
		if op.Example == "" {
			t.Errorf("the operator %s has no example", op.Name)
		}
		fmt.Fprintf(&out, "| `$%s` | %s | %s | %s | `%s` |\n",
			op.Name, op.Takes, op.Doc, op.Kinds, strings.ReplaceAll(op.Example, "|", `\|`))
	}
	return out.String()
}

// TestDocumentedRequests sends every request that the documentation shows: each
// is answered by a document.
func TestDocumentedRequests(t *testing.T) {
	s := newSite(t, siteOptions{rest: httpapi.RESTOptions{AllowRegexp: true, AllowEstimates: true}})
	lines := documented(t, queryReference, `(?m)^GET (/.*)$`)
	for _, op := range plan.Operators() {
		lines = append(lines, "/post?"+op.Example)
	}
	lines = append(lines, documented(t, requestsAsked, "`GET (/[^`]*)`")...)
	if len(lines) < 100 {
		t.Fatalf("only %d requests are shown", len(lines))
	}
	for _, line := range lines {
		r := requests(t, "GET "+line)[0]
		resp, body := s.do(t, people["ann"], r)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d\n%s", line, resp.StatusCode, body)
			continue
		}
		checkSuccess(t, r.URL, body)
	}
}

// TestRequestsAsked looks for each request of docs/requests.md among those of
// its script.
func TestRequestsAsked(t *testing.T) {
	script := readText(t, "testdata/scripts/asked")
	rows := documented(t, requestsAsked, "(?m)^\\|.*\\| `GET (/[^`]*)` \\|")
	if len(rows) < 30 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, line := range rows {
		if !strings.Contains(script, "\n"+line+"\n") && !strings.Contains(script, "\nGET "+line+"\n") {
			t.Errorf("the script does not send %s", line)
		}
	}
}

// documented returns what the expression finds in a file.
func documented(t *testing.T, path, expression string) []string {
	t.Helper()
	var found []string
	for _, match := range regexp.MustCompile(expression).FindAllStringSubmatch(readText(t, path), -1) {
		found = append(found, match[1])
	}
	return found
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeExample is a request of the page about writing: its first line ends with
// the status that it is answered with.
var writeExample = regexp.MustCompile("(?s)```http\n(\\S+ \\S+)\\s+# (\\d+)\n(.*?)```")

// TestDocumentedWrites sends the requests of the page about writing, in order.
func TestDocumentedWrites(t *testing.T) {
	s := newSite(t, siteOptions{})
	examples := writeExample.FindAllStringSubmatch(readText(t, writing), -1)
	if len(examples) < 10 {
		t.Fatalf("%s has %d requests; is their form another?", writing, len(examples))
	}
	for _, e := range examples {
		r := requests(t, e[1]+"\n"+e[3])[0]
		resp, body := s.do(t, people["ann"], r)
		if got := fmt.Sprint(resp.StatusCode); got != e[2] {
			t.Errorf("%s: %s, want %s\n%s", e[1], got, e[2], body)
		}
	}
}
