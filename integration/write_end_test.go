package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
)

// What aborts a transaction cannot be disarmed: not by variables that somebody
// has set, for the database or on a connection of a pooler.
func TestAbortsCannotBeDisarmed(t *testing.T) {
	s := newSite(t, siteOptions{})
	for _, reason := range []string{"unreadable", "refused", "unseen", "required", "detached", "failed", "probe"} {
		s.run(t, fmt.Sprintf(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I SET "resourcery.abort.%s" = ''1''', current_database()); END $$`, reason))
	}
	s.run(t, `CREATE TABLE note (id int PRIMARY KEY, body text);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY add ON note FOR INSERT WITH CHECK (true);
CREATE POLICY change ON note FOR UPDATE USING (true);
CREATE POLICY see ON note FOR SELECT USING (body <> 'hidden');
GRANT ALL ON note TO publishing_member;
INSERT INTO note VALUES (1, 'seen')`)
	s.schema = introspected(t, newPool(t, s.dsn, nil), "")
	s.serve(t, httpapi.RESTOptions{})
	s.pool.Reset() // its connections know nothing of the variables
	for _, c := range []struct {
		request, body string
		status        int
	}{
		{"POST /operations", `{"atomic:operations": [
			{"op": "update", "data": {"type": "note", "id": 1, "attributes": {"body": "kept"}}},
			{"op": "remove", "ref": {"type": "note", "id": 7777}}]}`, http.StatusNotFound},
		{"POST /note", `{"data": {"type": "note", "id": 2, "attributes": {"body": "hidden"}}}`, http.StatusForbidden},
		{"PATCH /note/1", `{"data": {"type": "note", "id": 1, "attributes": {"body": "hidden"}}}`, http.StatusForbidden},
	} {
		r := requests(t, c.request+"\n"+c.body)[0]
		if resp, body := s.do(t, people["ann"], r); resp.StatusCode != c.status {
			t.Errorf("%s: %d, want %d\n%s", c.request, resp.StatusCode, c.status, body)
		}
		if got := s.rows(t, "SELECT * FROM note"); got != "1 | seen\n" {
			t.Errorf("%s has left %s", c.request, got)
		}
	}
}

// A write whose answer is too large to be given has been done, and says so; one
// that fails later has not.
func TestWriteWithoutAnswer(t *testing.T) {
	s := newSite(t, siteOptions{sql: `
CREATE TABLE doc (id int PRIMARY KEY, title text UNIQUE, body text);
INSERT INTO doc SELECT i, i::text, repeat(md5(i::text), 1000000 / 32) FROM generate_series(1, 30) i;
GRANT ALL ON doc TO reader;
`, open: func(o *exec.Options) { o.MaxResultBytes = 8 << 20 }})
	var operations []string
	for i := 1; i <= 30; i++ {
		operations = append(operations, fmt.Sprintf(`{"op": "update", "data": {"type": "doc", "id": %d, "attributes": {"title": "new %d"}}}`, i, i))
	}
	send := func(operations ...string) (int, string) {
		r := requests(t, `POST /operations
{"atomic:operations": [`+strings.Join(operations, ", ")+`]}`)[0]
		resp, body := s.do(t, people["reader"], r)
		return resp.StatusCode, string(body)
	}
	changed := func() string { return strings.TrimSpace(s.rows(t, "SELECT count(*) FROM doc WHERE title LIKE 'new%'")) }

	clash := `{"op": "update", "data": {"type": "doc", "id": 30, "attributes": {"title": "new 1"}}}`
	if status, body := send(append(operations, clash)...); status != http.StatusConflict || changed() != "0" {
		t.Errorf("a clash after a large answer: %d, %s changed\n%s", status, changed(), body)
	}
	absent := `{"op": "remove", "ref": {"type": "doc", "id": 77}}`
	if status, body := send(append(operations, absent)...); status != http.StatusNotFound || changed() != "0" {
		t.Errorf("an absent resource after a large answer: %d, %s changed\n%s", status, changed(), body)
	}
	status, body := send(operations...)
	if status != http.StatusBadRequest || !strings.Contains(body, "The write itself was done") || changed() != "30" {
		t.Errorf("a large answer: %d, %s changed\n%s", status, changed(), body)
	}
}

// A schema that is out of date keeps answers from being read, and nothing else.
func TestWriteUnderAnOldSchema(t *testing.T) {
	s := newSite(t, siteOptions{sql: `
CREATE TABLE base (id int PRIMARY KEY, name text, n int);
CREATE TABLE other (id int PRIMARY KEY);
INSERT INTO base VALUES (1, 'old', 1);
INSERT INTO other VALUES (1);
GRANT ALL ON base, other TO reader;
`})
	s.run(t, "ALTER TABLE base ALTER COLUMN n TYPE bigint")
	change := `{"op": "update", "data": {"type": "base", "id": 1, "attributes": {"name": "new"}}}`
	for _, c := range []struct {
		operation, name string
		status          int
		done            bool
	}{
		{`{"op": "remove", "ref": {"type": "other", "id": 77}}`, "old", http.StatusNotFound, false},
		{`{"op": "add", "data": {"type": "other", "id": 1}}`, "old", http.StatusConflict, false},
		{`{"op": "remove", "ref": {"type": "other", "id": 1}}`, "new", http.StatusInternalServerError, true},
	} {
		r := requests(t, `POST /operations
{"atomic:operations": [`+change+`, `+c.operation+`]}`)[0]
		resp, body := s.do(t, people["reader"], r)
		if resp.StatusCode != c.status || strings.Contains(string(body), "was done") != c.done {
			t.Errorf("%s: %d, want %d\n%s", c.operation, resp.StatusCode, c.status, body)
		}
		if got := strings.TrimSpace(s.rows(t, "SELECT name FROM base")); got != c.name {
			t.Errorf("%s has left %s", c.operation, got)
		}
	}
}
