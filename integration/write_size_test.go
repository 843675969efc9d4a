package integration

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestLargeBodies writes a value as large as a body may be, and reads it back;
// the next larger body is refused (contract 5.1).
func TestLargeBodies(t *testing.T) {
	s := newSite(t, siteOptions{sql: `
		CREATE TABLE page (id int PRIMARY KEY, body text, data jsonb);
		GRANT ALL ON page TO reader;`})
	const limit = 1 << 20
	const before, after = `{"data":{"type":"page","id":1,"attributes":{"body":"`, `"}}}`
	room := limit - len(before) - len(after)
	text := strings.Repeat("é", room/2) + strings.Repeat("x", room%2)

	status, answer := s.post(t, "/page", before+text+after)
	if status != http.StatusCreated {
		t.Fatalf("a body of %d bytes: status %d", limit, status)
	}
	var document struct {
		Data struct{ Attributes struct{ Body string } }
	}
	if err := json.Unmarshal(answer, &document); err != nil {
		t.Fatal(err)
	}
	if document.Data.Attributes.Body != text {
		t.Errorf("what came back is not what was written: %d bytes, not %d", len(document.Data.Attributes.Body), len(text))
	}
	if got := s.rows(t, "SELECT octet_length(body) FROM page"); got != "1048520\n" {
		t.Errorf("stored were %s bytes", got)
	}
	if status, answer = s.post(t, "/page", before+text+after+" "); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of %d bytes: status %d, %.200s", limit+1, status, answer)
	}
}

// post sends one body as the role reader.
func (s *site) post(t *testing.T, path, body string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/vnd.api+json")
	setBody(r, body)
	resp, answer := s.do(t, people["reader"], r)
	return resp.StatusCode, answer
}
