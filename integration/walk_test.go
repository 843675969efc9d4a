package integration

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/exec"
)

// walkSQL has rows with many equal and many missing sort keys, of kinds whose
// order has its own rules, and rows behind steps that lead nowhere.
const walkSQL = `
CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad');
CREATE TYPE spot AS (x int, y text);
CREATE TABLE owner (id int PRIMARY KEY, name text, rank int);
CREATE TABLE item (
	id int PRIMARY KEY, owner_id int REFERENCES owner,
	a int, b text, c timestamptz, d mood, e numeric, f float8, g bool, h bytea, i uuid, j jsonb, k int[], l date, m interval, n spot,
	o timetz, p inet, q char(3), r float4, s tstzrange, t text NOT NULL, u time, v timestamp
);
CREATE TABLE part (id bigint PRIMARY KEY, item_id int NOT NULL REFERENCES item);
CREATE TABLE pair (x int, y text, z int, PRIMARY KEY (x, y));
CREATE INDEX ON item (a, id);
INSERT INTO owner SELECT n, CASE WHEN n % 3 > 0 THEN 'o' || n % 2 END, nullif(n % 4, 0) FROM generate_series(1, 6) n;
INSERT INTO item SELECT n, CASE WHEN n % 5 > 0 THEN n % 6 + 1 END,
	nullif(n % 4, 0), nullif(chr(97 + n % 3), 'a'), CASE n % 6 WHEN 0 THEN NULL WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' WHEN 3 THEN '0044-03-15 BC' WHEN 4 THEN '12000-01-01' ELSE '2024-01-02 03:04:05.678901' END::timestamptz,
	(ARRAY['sad', 'ok', 'glad', NULL])[n % 4 + 1]::mood, (ARRAY[1.0, 1.00, 'NaN', NULL, -0.000000000000000000001])[n % 5 + 1],
	(ARRAY[0.1, '-0', 0, 'NaN', 'Infinity', '-Infinity', NULL, 1e-300])[n % 8 + 1], (ARRAY[true, false, NULL])[n % 3 + 1],
	(ARRAY['\x', '\x00ff', NULL])[n % 3 + 1]::bytea, CASE WHEN n % 3 > 0 THEN ('00000000-0000-4000-8000-00000000000' || n % 2)::uuid END,
	(ARRAY['1', '"1"', 'null', '{"a": [1, 2]}', NULL])[n % 5 + 1]::jsonb, (ARRAY['{}', '{1,NULL}', '{1,2}', NULL])[n % 4 + 1]::int[],
	(ARRAY['infinity', '2024-02-29', '0001-01-01 BC', NULL])[n % 4 + 1]::date, (ARRAY['1 mon', '30 days', '-2 days 03:04:05.6', NULL])[n % 4 + 1]::interval,
	CASE WHEN n % 3 > 0 THEN ROW(nullif(n % 2, 0), 'a,"b')::spot END, (ARRAY['01:00+01', '00:00+00', '24:00-02', NULL])[n % 4 + 1]::timetz,
	(ARRAY['10.0.0.1', '10.0.0.0/8', '::1', NULL])[n % 4 + 1]::inet, (ARRAY['a', 'ab', '', NULL])[n % 4 + 1],
	(ARRAY[0.1, 16777216, NULL])[n % 3 + 1], (ARRAY['[2024-01-01,2024-02-01)', 'empty', '(,)', NULL])[n % 4 + 1]::tstzrange,
	(ARRAY['', 'a, b', 'ü "x" \', E'tab\tand\nline'])[n % 4 + 1], (ARRAY['24:00', '00:00', '12:34:56.789', NULL])[n % 4 + 1]::time,
	(ARRAY['2024-01-02 03:04:05.6', 'infinity', NULL])[n % 3 + 1]::timestamp
	FROM generate_series(1, 40) n;
INSERT INTO part SELECT 10000000000 + n, 1 + n * n % 17 FROM generate_series(1, 30) n;
INSERT INTO pair SELECT n % 5, (ARRAY['', '%', 'a_b', 'é'])[n % 4 + 1], n % 2 FROM generate_series(1, 19) n;
`

// walked are the lists to walk, in their sorts.
func walked() []string {
	lists := []string{
		"/item", "/item?sort=-id", "/item?sort=a,-b,c", "/item?sort=-a,b,-c,d,-e", "/item?sort=-id,a",
		"/item?sort=owner.name,-owner.rank", "/item?sort=-owner.name,a", "/item?sort=owner,-a", "/item?sort=-owner.id,b",
		"/item?sort=parts$count", "/item?sort=-parts$count,a", "/item?sort=owner.items$count,-b", "/item?sort=-owner.items$count",
		"/item?sort=a&filter[b$isNull]=false", "/owner/2/items?sort=-a,b", "/owner/2/relationships/items?sort=d",
		"/pair", "/pair?sort=-z", "/pair?sort=-y,z", "/part?sort=-item.owner.name",
	}
	for c := 'a'; c <= 'v'; c++ {
		lists = append(lists, "/item?sort="+string(c), "/item?sort=-"+string(c))
	}
	return lists
}

// TestWalk reads lists page by page, in every style, forward and backward: each
// row comes exactly once, in the order of the list (contract 4.9 to 4.11).
func TestWalk(t *testing.T) {
	for _, keys := range []exec.Keys{exec.KeysInSession, exec.KeysBound} {
		s := newSite(t, siteOptions{sql: walkSQL, keys: keys})
		for _, list := range walked() {
			whole := s.page(t, list, "page[limit]=1000")
			if len(whole.ids) < 4 {
				t.Fatalf("%s has %d rows: too few to show anything", list, len(whole.ids))
			}
			for _, size := range []int{1, 3, len(whole.ids)} {
				for _, w := range []struct{ start, follow string }{
					{fmt.Sprintf("page[limit]=%d", size), "next"},
					{fmt.Sprintf("page[limit]=%d&page[total]=none", size), "next"},
					{fmt.Sprintf("page[limit]=%d&page[total]=2", size), "next"},
					{fmt.Sprintf("page[size]=%d", size), "next"},
					{fmt.Sprintf("page[size]=%d&page[after]=", size), "next"},
					{fmt.Sprintf("page[size]=%d&page[before]=&page[total]=none", size), "prev"},
				} {
					got := s.walk(t, list, w.start, w.follow)
					if !slices.Equal(got, whole.ids) {
						t.Errorf("%s by %s of pages with %s:\n%v, want\n%v", list, w.follow, w.start, got, whole.ids)
					}
				}
			}
			s.back(t, list, whole.ids)
			if t.Failed() {
				return
			}
		}
	}
}

// back walks from the last page to the first in the styles that link both.
func (s *site) back(t *testing.T, list string, want []string) {
	t.Helper()
	for _, start := range []string{"page[limit]=3", "page[size]=3&page[number]=1", "page[size]=3&page[after]="} {
		first := s.page(t, list, start)
		last := s.page(t, strings.TrimPrefix(first.links["last"], endpoint), "")
		got := s.follow(t, last, "prev")
		if !slices.Equal(got, want) {
			t.Errorf("%s back from %s:\n%v, want\n%v", list, first.links["last"], got, want)
		}
	}
}

// walk reads a list from a page on and returns the ids in the list's order.
func (s *site) walk(t *testing.T, list, start, follow string) []string {
	t.Helper()
	return s.follow(t, s.page(t, list, start), follow)
}

func (s *site) follow(t *testing.T, p walkPage, link string) []string {
	t.Helper()
	var ids []string
	for range 1000 {
		if link == "prev" {
			ids = append(slices.Clone(p.ids), ids...)
		} else {
			ids = append(ids, p.ids...)
		}
		next := p.links[link]
		if next == "" {
			return ids
		}
		if len(p.ids) == 0 {
			t.Fatalf("an empty page links %s", next)
		}
		p = s.page(t, strings.TrimPrefix(next, endpoint), "")
	}
	t.Fatal("the walk has no end")
	return nil
}

// A walkPage is the ids and the links of a document.
type walkPage struct {
	ids   []string
	links map[string]string
}

// page reads a list, with a page parameter added where it is not "".
func (s *site) page(t *testing.T, list, page string) walkPage {
	t.Helper()
	if page != "" {
		path, query, _ := strings.Cut(list, "?")
		list = path + "?" + strings.Trim(query+"&"+page, "&")
	}
	resp, body := s.request(t, people["reader"], list)
	if resp.StatusCode != 200 {
		t.Fatalf("%s: %d\n%s", list, resp.StatusCode, body)
	}
	var d struct {
		Data  []struct{ ID any }
		Links map[string]*string
	}
	if err := json.Unmarshal(body, &d); err != nil {
		t.Fatalf("%s: %v\n%s", list, err, body)
	}
	p := walkPage{links: make(map[string]string)}
	for _, r := range d.Data {
		p.ids = append(p.ids, fmt.Sprint(r.ID))
	}
	for name, link := range d.Links {
		if link != nil {
			p.links[name] = *link
		}
	}
	return p
}

// TestWalkWhileOthersWrite follows cursors while other clients insert and delete
// rows all over the list: what is there throughout comes exactly once.
func TestWalkWhileOthersWrite(t *testing.T) {
	s := newSite(t, siteOptions{sql: `
		CREATE TABLE item (id int PRIMARY KEY, a int, b text, stays bool NOT NULL);
		INSERT INTO item SELECT n, nullif(n % 7, 0), nullif(chr(97 + n % 3), 'a'), n % 2 = 0 FROM generate_series(1, 200) n;
	`})
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() { s.churn(t, w, stop) })
	}
	for _, sort := range []string{"id", "-id", "a", "-a,b", "b,-a", "-b"} {
		for _, w := range []struct{ start, follow string }{{"page[after]=", "next"}, {"page[before]=", "prev"}} {
			got := s.walk(t, "/item?fields[item]=&sort="+url.QueryEscape(sort), w.start+"&page[size]=9&page[total]=none", w.follow)
			seen := make(map[string]int)
			for _, id := range got {
				seen[id]++
			}
			for n := 2; n <= 200; n += 2 {
				if times := seen[fmt.Sprint(n)]; times != 1 {
					t.Errorf("sort=%s by %s: the row %d came %d times", sort, w.follow, n, times)
				}
			}
		}
	}
	close(stop)
	writers.Wait()
}

// churn deletes and inserts rows that do not stay.
func (s *site) churn(t *testing.T, writer int, stop <-chan struct{}) {
	conn, err := pgconn.Connect(t.Context(), s.dsn)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for n := writer; ; n += 2 {
		select {
		case <-stop:
			return
		default:
		}
		_, err := conn.Exec(t.Context(), fmt.Sprintf(`
			WITH gone AS (DELETE FROM item WHERE NOT stays AND id %% 10 = %[1]d %% 10 RETURNING 1)
			INSERT INTO item SELECT 1000 * (1 + %[2]d) + %[1]d %% 500, nullif(%[1]d %% 7, 0), nullif(chr(97 + %[1]d %% 3), 'a'), false
			ON CONFLICT DO NOTHING`, n, writer)).ReadAll()
		if err != nil {
			t.Errorf("another client: %v", err)
			return
		}
	}
}
