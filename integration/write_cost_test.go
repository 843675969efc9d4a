package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestManyUnknownAttributes gives a resource of many attributes tens of thousands
// of others that are nearly called so. What each may have meant is asked of those
// alone that the answer tells of.
func TestManyUnknownAttributes(t *testing.T) {
	var columns, names strings.Builder
	for i := range 100 {
		fmt.Fprintf(&columns, ", a_rather_long_attribute_name_%d text", i)
	}
	s := newSite(t, siteOptions{sql: `CREATE TABLE wide (id int PRIMARY KEY` + columns.String() + `); GRANT ALL ON wide TO reader;`})
	for i := range 50_000 {
		fmt.Fprintf(&names, `,"a_rather%05x":0`, i)
	}
	object := `{"type":"wide","attributes":{` + names.String()[1:] + `}}`
	for request, body := range map[string]string{
		"POST /wide":       `{"data":` + object + `}`,
		"POST /operations": `{"atomic:operations":[{"op":"add","data":` + object + `}]}`,
	} {
		start := time.Now()
		got := s.answer(t, request, body)
		took := time.Since(start)
		if n := strings.Count(got.body, `"invalid-payload"`); got.status != http.StatusBadRequest || n != 32 {
			t.Errorf("%s: status %d and %d errors\n%.300s", request, got.status, n, got.body)
		}
		if took > 5*time.Second {
			t.Errorf("%s: the answer took %v", request, took)
		}
	}
}

// TestLongNumbers gives numbers of few bytes and a hundred thousand digits, which
// are not stored, and reads such as are there already.
func TestLongNumbers(t *testing.T) {
	s := newSite(t, siteOptions{sql: `
CREATE TABLE item (id int PRIMARY KEY, ns numeric[], n numeric, j jsonb, name text);
INSERT INTO item (id, n) VALUES (1, 1e131071);
INSERT INTO item (id, ns) SELECT 2, array_agg(1e131071) FROM generate_series(1, 4000);
GRANT ALL ON item TO reader;`})
	const prefix = `{"data":{"type":"item","id":9,"attributes":{`
	for value, pointer := range map[string]string{
		`"n":1e131071`:        "/data/attributes/n",
		`"n":"1e-1001"`:       "/data/attributes/n",
		`"ns":["1","1e1001"]`: "/data/attributes/ns/1",
		`"j":{"a":[1e1001]}`:  "/data/attributes/j/a/0",
	} {
		got := s.answer(t, "POST /item", prefix+value+`}}}`)
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, `"invalid-value"`) || !strings.Contains(got.body, `"`+pointer+`"`) {
			t.Errorf("%s: %.300s", value, got)
		}
	}
	if got := s.answer(t, "POST /item", prefix+`"n":"1e1000","ns":["NaN",1e-1000],"j":1e1000}}}`); got.status != http.StatusCreated {
		t.Errorf("numbers of a thousand digits: %.300s", got)
	}
	if got := s.answer(t, "GET /item/1", ""); got.status != http.StatusOK || len(got.body) < 131_071 {
		t.Errorf("a number that is there: %.300s", got)
	}
	const tooLarge = "The answer would have more than 268435456 bytes"
	if got := s.answer(t, "GET /item/2", ""); got.status != http.StatusBadRequest || !strings.Contains(got.body, tooLarge) {
		t.Errorf("numbers of half a gigabyte: %.300s", got)
	}
	got := s.answer(t, "PATCH /item/2", `{"data":{"type":"item","id":2,"attributes":{"name":"x"}}}`)
	if got.status != http.StatusBadRequest || !strings.Contains(got.body, tooLarge) || !strings.Contains(got.body, "The write itself was done") {
		t.Errorf("a write beside them: %.300s", got)
	}
}
