package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
)

const readmePath = "../../README.md"

// A block is a fenced block of the README.
type block struct{ language, text string }

func readBlocks(t *testing.T) []block {
	t.Helper()
	text, err := os.ReadFile(readmePath)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	for _, match := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllSubmatch(text, -1) {
		blocks = append(blocks, block{string(match[1]), string(match[2])})
	}
	return blocks
}

// The Go programs of the README are files that are compiled and tested.
func TestReadmeGo(t *testing.T) {
	files, err := filepath.Glob("internal/readme/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	compiled := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// The package comment is about the file's place, not about the example.
		_, program, _ := strings.Cut(string(text), "\npackage ")
		compiled["package "+program] = file
	}
	for _, b := range readBlocks(t) {
		if b.language != "go" {
			continue
		}
		if _, ok := compiled[b.text]; !ok {
			t.Errorf("no file under internal/readme is\n%s", b.text)
		}
		delete(compiled, b.text)
	}
	for _, file := range compiled {
		t.Errorf("%s is not in the README", file)
	}
}

// readmeDatabase is what the README's commands serve: the sample, and the role
// that they name.
const readmeDatabase = `
DO $$ BEGIN
	CREATE ROLE web_anon NOLOGIN;
	GRANT publishing_anon TO web_anon;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
`

// The commands of the README work, one after the other, in a directory with the
// README's configuration file.
func TestReadmeCommands(t *testing.T) {
	blocks := readBlocks(t)
	dsn := pgtest.Database(t, sample.Script(sample.Small)+readmeDatabase)
	t.Chdir(t.TempDir())
	seen := map[string]int{}
	for i, b := range blocks {
		switch b.language {
		case "sh":
			for line := range strings.Lines(strings.ReplaceAll(b.text, "\\\n", "")) {
				words := shellWords(t, strings.TrimSpace(line))
				seen[words[0]]++
				runReadme(t, words, dsn, blocks[i:])
			}
		case "yaml":
			if err := os.WriteFile("resourcery.yaml", []byte(b.text), 0o600); err != nil {
				t.Fatal(err)
			}
			runReadme(t, []string{"go", "run", "./cmd/resourcery", "serve"}, dsn, nil)
		case "go", "json":
		default:
			t.Errorf("a block of language %q", b.language)
		}
	}
	if seen["go"] < 5 || seen["curl"] < 2 {
		t.Errorf("commands of the README: %v", seen)
	}
}

// runReadme runs one line of the README; from are the blocks from its own on.
func runReadme(t *testing.T, words []string, dsn string, from []block) {
	t.Helper()
	line := strings.Join(words, " ")
	switch {
	case words[0] == "export" && strings.HasPrefix(words[1], "RESOURCERY_DSN=postgres://"):
		t.Setenv("RESOURCERY_DSN", dsn)
	case words[0] == "export" && strings.HasPrefix(words[1], "TOKEN="):
		// checkAnswer has the token of its own demo.
	case words[0] == "curl" && len(from) > 1 && from[1].language == "json":
		checkAnswer(t, words, from[1].text)
	case line == "go test ./...":
		// This is it.
	case line == "go run ./benchmarks/load":
		// Its own tests run it, on less.
	case line == "go run ./cmd/resourcery demo":
		startDemo(t)
	case strings.HasPrefix(line, "go run ./cmd/resourcery serve"):
		p := start(t, append(words[3:], "--addr", "127.0.0.1:0")...)
		p.ready(t, "resourcery listens on ")
		p.stop(t)
	case strings.HasPrefix(line, "go run ./cmd/resourcery "):
		if code, stdout, stderr := runCommand(t, words[3:]...); code != 0 {
			t.Errorf("%s: code %d\n%s%s", line, code, stdout, stderr)
		}
	default:
		t.Errorf("nothing checks the README's line: %s", line)
	}
}

// checkAnswer compares the answer that the README shows to a curl command with
// the demo's.
func checkAnswer(t *testing.T, words []string, shown string) {
	t.Helper()
	const address = "http://127.0.0.1:8080/"
	p, urls := startDemo(t)
	defer p.stop(t)
	base := urls[0][:strings.Index(urls[0], "/api")+1]
	token := tokenPattern.FindStringSubmatch(p.stdout.String())[1] // Ann's, who is the first
	for i, word := range words {
		words[i] = strings.ReplaceAll(strings.ReplaceAll(word, address, base), "$TOKEN", token)
	}
	status, body := curl(t, words)
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(shown)); err != nil {
		t.Fatalf("the README's answer: %v", err)
	}
	if got := strings.ReplaceAll(body, base, address); got != want.String() {
		t.Errorf("the demo answers %d\n%s\nthe README shows\n%s", status, got, &want)
	}
}

// curl does what a curl command says, as far as the README and the demo's guide
// need it.
func curl(t *testing.T, words []string) (status int, body string) {
	t.Helper()
	method, target, data, header := http.MethodGet, "", "", http.Header{}
	for rest := words[1:]; len(rest) > 0; rest = rest[1:] {
		switch word := rest[0]; {
		case word == "-g":
			continue
		case word == "-X" && len(rest) > 1:
			method = rest[1]
		case word == "-d" && len(rest) > 1:
			data = rest[1]
		case word == "-H" && len(rest) > 1:
			name, value, _ := strings.Cut(rest[1], ": ")
			header.Add(name, value)
		case strings.HasPrefix(word, "http://") && target == "":
			target = word
			continue
		default:
			t.Fatalf("%q of the command %q is nothing that this test can read", word, words)
		}
		rest = rest[1:]
	}
	r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
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

// shellWords splits a line as a shell does, as far as the README needs it:
// blanks and quotes; variables stay as they are.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	quotes := regexp.MustCompile(`'([^']*)'|"([^"]*)"`)
	if strings.ContainsAny(quotes.ReplaceAllString(line, ""), "'\"\\$|;&<>`") {
		t.Fatalf("the line %q is none that this test can read", line)
	}
	var words []string
	for _, match := range regexp.MustCompile(`(?:[^\s'"]|'[^']*'|"[^"]*")+`).FindAllString(line, -1) {
		words = append(words, quotes.ReplaceAllString(match, "$1$2"))
	}
	if len(words) == 0 {
		t.Fatalf("the line %q has no words", line)
	}
	return words
}

// Links to files lead to files.
func TestReadmeLinks(t *testing.T) {
	text, err := os.ReadFile(readmePath)
	if err != nil {
		t.Fatal(err)
	}
	prose := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAll(text, nil)
	for _, match := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllSubmatch(prose, -1) {
		link := string(match[1])
		if strings.HasPrefix(link, "https://") {
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(readmePath), link)); err != nil {
			t.Error(err)
		}
	}
}
