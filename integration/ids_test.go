package integration

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/jsonapi"
)

// idsOf asks each path of the input and prints what it found: the ids of
// primary data in their order, or the errors. It is for scripts about which
// rows come back rather than about their form; without page parameters, the total must agree.
func (s *site) idsOf(t *testing.T, who caller, input string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(input) {
		path := strings.TrimSpace(line)
		r := requests(t, "GET "+path)[0]
		resp, body := s.do(t, who, r)
		fmt.Fprintf(&out, "= %s\n", path)
		if resp.StatusCode != 200 {
			out.WriteString(refusal(t, resp.StatusCode, body))
			continue
		}
		out.WriteString(ids(t, path, body) + "\n")
	}
	return out.String()
}

// ids prints the ids of a collection.
func ids(t *testing.T, path string, body []byte) string {
	t.Helper()
	var d struct {
		Data []struct{ ID json.RawMessage }
		Meta struct{ Total *int }
	}
	if err := json.Unmarshal(body, &d); err != nil {
		t.Fatalf("%s: %v in\n%s", path, err, body)
	}
	if d.Meta.Total != nil && *d.Meta.Total != len(d.Data) && !strings.Contains(path, "page[") {
		t.Errorf("%s: %d resources, but the total is %d", path, len(d.Data), *d.Meta.Total)
	}
	if len(d.Data) == 0 {
		return "none"
	}
	found := make([]string, len(d.Data))
	for i, r := range d.Data {
		found[i] = strings.Trim(string(r.ID), `"`)
	}
	return strings.Join(found, " ")
}

// refusal prints an answer's errors, one to a line.
func refusal(t *testing.T, status int, body []byte) string {
	t.Helper()
	var d struct {
		Errors []struct {
			Code, Detail string
			Source       jsonapi.Source
		}
	}
	if err := json.Unmarshal(body, &d); err != nil || len(d.Errors) == 0 {
		t.Fatalf("status %d without errors (%v):\n%s", status, err, body)
	}
	var out strings.Builder
	for _, e := range d.Errors {
		fmt.Fprintf(&out, "%d %s at %s: %s\n", status, e.Code, e.Source, e.Detail)
	}
	return out.String()
}
