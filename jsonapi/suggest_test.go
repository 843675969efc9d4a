package jsonapi_test

import (
	"strings"
	"testing"

	"github.com/resourcery/resourcery/jsonapi"
)

func TestNearest(t *testing.T) {
	fields := []string{"id", "name", "title", "createdAt", "updatedAt", "größe"}
	for _, c := range []struct{ name, want string }{
		{"nmae", "name"},          // swapped neighbours are one edit
		{"Title", "title"},        // another case is none
		{"tite", "title"},         // left out
		{"tiitle", "title"},       // inserted
		{"creatdAt", "createdAt"}, // the nearest of two alike
		{"grösse", "größe"},       // letters, not bytes
		{"name", "name"},
		{"di", "id"},
		{"colour", ""},
		{"x", ""},
		{"", ""},
		{strings.Repeat("name", 10_000), ""},
	} {
		got, ok := jsonapi.Nearest(c.name, fields)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Nearest(%.20q) = %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
	if got, ok := jsonapi.Nearest("name", nil); ok {
		t.Errorf("Nearest of no candidates = %q", got)
	}
}

func TestNearestPrefersTheFirst(t *testing.T) {
	if got, _ := jsonapi.Nearest("cat", []string{"bat", "rat"}); got != "bat" {
		t.Errorf("Nearest = %q, want the first of equals", got)
	}
}
