package sqlgen

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/plan"
)

// A page deep in a list is found by its index: hardly a row is read that is not
// in the page, also by a plan that does not know the values.
func TestKeysetsEnterTheIndex(t *testing.T) {
	conn := connect(t, golden.SchemaSQL+`
		INSERT INTO "Post" (id, title, rating, "createdAt")
			SELECT n, 't' || n % 1000, nullif(n % 500, 0), '2026-01-01'::timestamptz + n * interval '1s' FROM generate_series(1, 50000) n;
		CREATE INDEX ON "Post" (rating, id);
		CREATE INDEX ON "Post" (title, id);
		CREATE INDEX ON "Post" ("createdAt" DESC, id DESC);
		ANALYZE "Post"`)
	if err := conn.PgConn().Exec(t.Context(), "SET plan_cache_mode = force_generic_plan").Close(); err != nil {
		t.Fatal(err)
	}
	s := golden.Schema(t)
	for _, c := range []struct {
		sort   string
		values []string
	}{
		{"id", []string{"25000"}},
		{"title", []string{"t500", "100"}},
		{"-title", []string{"t500", "100"}},
		{"-createdAt", []string{"2026-01-01T06:00:00Z", "25000"}},
		{"rating", []string{"400", "100"}},
		{"rating", []string{"NULL", "100"}},
		{"-rating", []string{"400", "100"}},
		{"-rating", []string{"NULL", "100"}},
	} {
		for _, name := range []string{"after", "before"} {
			url := withCursor(t, s, "/post?sort="+c.sort+"&page["+name+"]=CURSOR&page[size]=20&page[total]=none&fields[post]=", c.values)
			p, err := request.Plan(s.FullView(), url, plan.Options{})
			if err != nil {
				t.Fatal(err)
			}
			st := NewCompiler().Compile(p.Action).Statements[0]
			if read := discarded(t, conn.PgConn(), st, p.Values); read > 500 {
				t.Errorf("sort=%s, page[%s] with %v: %d rows were read and left out", c.sort, name, c.values, read)
			}
		}
	}
}

var removed = regexp.MustCompile(`Rows Removed by Filter: (\d+)`)

// discarded runs a statement and counts the rows that its filters left out.
func discarded(t *testing.T, conn *pgconn.PgConn, st *Statement, values []any) int {
	t.Helper()
	types, literals := make([]string, len(st.Params)), make([]string, len(st.Params))
	for i, p := range st.Params {
		types[i], literals[i] = typeName(p.Type), fmt.Sprintf("'%v'", values[p.Slot])
	}
	results, err := conn.Exec(context.Background(), fmt.Sprintf("PREPARE q (%s) AS %s; EXPLAIN (ANALYZE) EXECUTE q (%s); DEALLOCATE q",
		strings.Join(types, ", "), st.SQL, strings.Join(literals, ", "))).ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, st.SQL)
	}
	n := 0
	for _, row := range results[1].Rows {
		if m := removed.FindSubmatch(row[0]); m != nil {
			lines, err := strconv.Atoi(string(m[1]))
			if err != nil {
				t.Fatal(err)
			}
			n += lines
		}
	}
	return n
}
