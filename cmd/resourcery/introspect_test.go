package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/validation"
)

func TestIntrospect(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	t.Chdir(t.TempDir())
	code, stdout, stderr := runCommand(t, "introspect", "--dsn", dsn)
	if code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
	if code, out, stderr := runCommand(t, "introspect", "--dsn", dsn, "--out", "resourcery.schema.json"); code != 0 || out != "" {
		t.Fatalf("code %d: %s%s", code, out, stderr)
	}
	file, err := os.ReadFile("resourcery.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(file) != stdout {
		t.Error("the file differs from standard output")
	}
	s, err := schema.Load("resourcery.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Model("post"); !ok {
		t.Error("the file has no type post")
	}
	var again bytes.Buffer
	if _, err := s.Catalog().WriteTo(&again); err != nil || again.String() != stdout {
		t.Errorf("written again it differs (%v)", err)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 1 {
		t.Errorf("files left: %v (%v)", entries, err)
	}
}

func TestIntrospectOverlay(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	t.Chdir(t.TempDir())
	overlay := func(text string) {
		t.Helper()
		if err := os.WriteFile("resourcery.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay("models:\n  Post: {type: articles}\n  Like: {hidden: true}\n")
	if code, _, stderr := runCommand(t, "introspect", "--dsn", dsn, "--out", "s.json"); code != 0 {
		t.Fatalf("code %d: %s", code, stderr)
	}
	s, err := schema.Load("s.json")
	if err != nil {
		t.Fatal(err)
	}
	for typ, want := range map[string]bool{"articles": true, "post": false, "like": false, "user": true} {
		if _, ok := s.Model(typ); ok != want {
			t.Errorf("type %s is served: %t", typ, ok)
		}
	}

	for _, test := range []struct{ text, want string }{
		{"models:\n  Psot: {type: articles}\n", "Psot"},
		{"models:\n  Post:\n    tpye: articles\n", "resourcery.yaml:3:5: "},
	} {
		overlay(test.text)
		code, _, stderr := runCommand(t, "introspect", "--dsn", dsn)
		if code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("code %d: %s", code, stderr)
		}
	}
}

// The JSON Schemas have the overlay's names, and are written beside the schema.
func TestIntrospectValidation(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	t.Chdir(t.TempDir())
	if err := os.WriteFile("resourcery.yaml", []byte("models:\n  Post: {type: articles}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runCommand(t, "introspect", "--dsn", dsn, "--validation", "resourcery.validation.json")
	if code != 0 || !strings.HasPrefix(stdout, "{\n  \"version\"") {
		t.Fatalf("code %d: %s%s", code, stdout, stderr)
	}
	set, err := validation.Load("resourcery.validation.json")
	if err != nil {
		t.Fatal(err)
	}
	data := []byte(`{"type": "articles", "attributes": {"title": "x", "viewCount": "many"}, "relationships": {"author": {"data": {"type": "user", "id": 1}}}}`)
	es := set.Check("articles", validation.Create, data)
	if len(es) != 1 || es[0].Source.Pointer != "/data/attributes/viewCount" {
		t.Errorf("got %v", es)
	}
	if es := set.Check("post", validation.Create, data); es != nil {
		t.Errorf("of the type that the overlay has renamed: %v", es)
	}
}

// A file that cannot be written leaves no half of one.
func TestIntrospectOutFails(t *testing.T) {
	dsn := pgtest.Database(t, sample.Script(sample.Small))
	out := filepath.Join(t.TempDir(), "absent", "s.json")
	for _, flag := range []string{"--out", "--validation"} {
		if code, _, stderr := runCommand(t, "introspect", "--dsn", dsn, flag, out); code != 1 || !strings.Contains(stderr, "write "+out+": ") {
			t.Errorf("%s: code %d: %s", flag, code, stderr)
		}
	}
}
