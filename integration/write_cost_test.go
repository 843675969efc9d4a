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
