package exec_test

import (
	"bytes"
	"errors"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
)

// library has resources of several forms.
const library = `
CREATE TABLE author (id int PRIMARY KEY, "fullName" text NOT NULL, mentor_id int REFERENCES author);
CREATE TABLE book (id bigint PRIMARY KEY, "authorId" int REFERENCES author, title text NOT NULL, "pageCount" int);
CREATE TABLE tag (slug text PRIMARY KEY);
CREATE TABLE book_tag (book_id bigint REFERENCES book, tag_slug text REFERENCES tag, PRIMARY KEY (book_id, tag_slug));
CREATE TABLE loan ("bookId" bigint REFERENCES book, copy smallint, reader text, PRIMARY KEY ("bookId", copy));
INSERT INTO author VALUES (1, 'Ann', NULL), (2, 'Bob', 1);
INSERT INTO book VALUES (10, 1, 'First', 120), (11, 1, 'Second', NULL), (12, NULL, 'Third', 80);
INSERT INTO tag VALUES ('go'), ('sql');
INSERT INTO book_tag VALUES (10, 'go'), (10, 'sql'), (11, 'go');
INSERT INTO loan VALUES (10, 1, 'Cleo'), (10, 2, 'Dan');
`

type book struct {
	ID     int64  `db:"id"`
	Author *int32 `db:"authorId"`
	Title  string
	Pages  *int `db:"pageCount"`
}

func TestSelect(t *testing.T) {
	d := newDatabase(t, library)
	one, first := int32(1), 120
	third := 80
	books := []book{{ID: 10, Author: &one, Title: "First", Pages: &first}, {ID: 11, Author: &one, Title: "Second"}, {ID: 12, Title: "Third", Pages: &third}}
	type title struct{ Title string }
	type author struct {
		ID     int
		Name   string `db:"fullName"`
		Mentor *int   `db:"mentor_id"`
	}
	type linked struct {
		ID     int
		Author struct{ ID *int }
	}
	type tag struct{ ID string }
	type loan struct {
		Book   int64 `db:"bookId"`
		Copy   int16
		Reader string
	}
	for _, c := range []struct {
		url  string
		got  any
		want any
	}{
		{"/book", rows[book](t, d, reader, "/book"), books},
		{"/book, pointers", len(rows[*book](t, d, reader, "/book")), 3},
		{"/book?sort=-id&page[limit]=1", rows[book](t, d, reader, "/book?sort=-id&page[limit]=1"), books[2:]},
		{"/book?page[before]=&page[size]=1", rows[book](t, d, reader, "/book?page[before]=&page[size]=1"), books[2:]},
		{"/book?page[offset]=2", rows[book](t, d, reader, "/book?page[offset]=2"), books[2:]},
		{"/book?filter[author][fullName]=Ann", rows[book](t, d, reader, "/book?filter[author][fullName]=Ann"), books[:2]},
		{"/book?filter[title]=none", rows[book](t, d, reader, "/book?filter[title]=none"), []book(nil)},
		{"/book?fields[book]=title", rows[book](t, d, reader, "/book?fields[book]=title"), []book{{ID: 10, Title: "First"}, {ID: 11, Title: "Second"}, {ID: 12, Title: "Third"}}},
		{"/book, one column", rows[title](t, d, reader, "/book?sort=-title"), []title{{"Third"}, {"Second"}, {"First"}}},
		{"/book/11", rows[book](t, d, reader, "/book/11"), books[1:2]},
		{"/author", rows[author](t, d, reader, "/author"), []author{{ID: 1, Name: "Ann"}, {ID: 2, Name: "Bob", Mentor: new(1)}}},
		{"/author/2/mentor", rows[author](t, d, reader, "/author/2/mentor"), []author{{ID: 1, Name: "Ann"}}},
		{"/author/1/mentor", rows[author](t, d, reader, "/author/1/mentor"), []author(nil)}, // null in a document
		{"/author/1/books", rows[book](t, d, reader, "/author/1/books"), books[:2]},
		{"/author/2/books", rows[book](t, d, reader, "/author/2/books"), []book(nil)},
		{"/book/10/tags", rows[tag](t, d, reader, "/book/10/tags"), []tag{{"go"}, {"sql"}}},
		{"/tag/go/books", rows[book](t, d, reader, "/tag/go/books"), books[:2]},
		{"/book, linkage", rows[linked](t, d, reader, "/book?page[limit]=1&fields[book]=author"), []linked{{ID: 10, Author: struct{ ID *int }{new(1)}}}},
		{"/loan", rows[loan](t, d, reader, "/loan"), []loan{{10, 1, "Cleo"}, {10, 2, "Dan"}}},
		{"/loan/10_2", rows[loan](t, d, reader, "/loan/10_2"), []loan{{10, 2, "Dan"}}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %+v\nwant %+v", c.url, c.got, c.want)
		}
	}
}

func TestSelectNotFound(t *testing.T) {
	d := newDatabase(t, library)
	c := d.db.As(reader)
	for _, url := range []string{"/book/13", "/author/3/books", "/author/3/mentor", "/book/99/tags"} {
		got, err := exec.Select[identified](t.Context(), c, planned(t, c, d.schema, url))
		refusal(t, err, jsonapi.NotFound)
		if got != nil {
			t.Errorf("%s: %v", url, got)
		}
	}
}

// TestSelectRefused selects plans that structs cannot answer, and into structs
// that do not fit.
func TestSelectRefused(t *testing.T) {
	d := newDatabase(t, library)
	c := d.db.As(reader)
	for url, want := range map[string]string{
		"/book?include=author":           "select: the plan includes book.author; only its primary data could be returned",
		"/author/1/books?include=tags":   "select: the plan includes book.tags; only its primary data could be returned",
		"/book/10/relationships/tags":    "select: the plan reads a relationship; read the related resources instead",
		"/author/1/relationships/mentor": "select: the plan reads a relationship; read the related resources instead",
	} {
		_, err := exec.Select[identified](t.Context(), c, planned(t, c, d.schema, url))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", url, err, want)
		}
	}
	type unfit struct{ Title int }
	type null struct {
		Pages int `db:"pageCount"`
	}
	p := planned(t, c, d.schema, "/book")
	_, asInt := exec.Select[unfit](t.Context(), c, p)
	_, asNull := exec.Select[null](t.Context(), c, p)
	_, asScalar := exec.Select[int](t.Context(), c, p)
	for _, err := range []error{asInt, asNull, asScalar} {
		if err == nil || !strings.HasPrefix(err.Error(), "select: ") {
			t.Errorf("into what does not fit: %v", err)
		}
		if _, ok := errors.AsType[*jsonapi.Error](err); ok {
			t.Errorf("the caller's mistake became the client's: %v", err)
		}
	}
	// The connection serves on.
	if got := rows[book](t, d, reader, "/book"); len(got) != 3 {
		t.Errorf("afterwards: %v", got)
	}
}

// TestSelectFails meets what the database refuses while rows are read.
func TestSelectFails(t *testing.T) {
	d := newDatabase(t, `
CREATE TABLE ratio (id int PRIMARY KEY, ip inet);
INSERT INTO ratio SELECT i FROM generate_series(-5, 5) i;
ALTER TABLE ratio ENABLE ROW LEVEL SECURITY;
CREATE POLICY divided ON ratio USING (1 / id <> 7);
`)
	c := d.db.As(reader)
	_, err := exec.Select[identified](t.Context(), c, planned(t, c, d.schema, "/ratio"))
	if e := refusal(t, err, jsonapi.QueryError); e.ORMCode != "22012" {
		t.Errorf("ormCode %s", e.ORMCode)
	}
	_, err = exec.Select[identified](t.Context(), c, planned(t, c, d.schema, "/ratio?filter[ip]=nowhere"))
	if e := refusal(t, err, jsonapi.InvalidValue); e.Source.Parameter != "filter[ip]" {
		t.Errorf("source %v", e.Source)
	}
}

// TestSelectKinds scans every kind that has a Go type of its own.
func TestSelectKinds(t *testing.T) {
	d := newDatabase(t, `
CREATE TYPE mood AS ENUM ('fine', 'so so');
CREATE DOMAIN short AS varchar(5);
CREATE TABLE kind (
	id uuid PRIMARY KEY, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, b bool, t text, v varchar(9), c char(3),
	mood mood, short short, tz timestamptz, ts timestamp, d date, tm time, iv interval, bin bytea, j json, jb jsonb,
	ip inet, net cidr, ints int[], texts text[], times timestamptz[], r int4range);
INSERT INTO kind VALUES
	('00000000-0000-0000-0000-00000000002a', -2, 4, 9223372036854775807, 1.5, 0.1, 12.50, true, 'Zoë', '', 'ab',
	 'so so', 'abc', '2024-02-29 12:00:00.000001+02', '2024-02-29 12:00', '2024-02-29', '23:59:59.5', '1 mon 2 days 3 hours', '\x00ff', '{"a": 1}', '{"a": [1]}',
	 '::1', '10.0.0.0/8', '{1,2}', '{"a,b",""}', '{2024-01-01 00:00+00}', '[1,5)');
INSERT INTO kind (id) VALUES ('00000000-0000-0000-0000-00000000002b');
`)
	type kind struct {
		ID    string
		I2    *int16
		I4    *int32
		I8    *int64
		F4    *float32
		F8    *float64
		N     pgtype.Numeric
		B     *bool
		T     *string
		V     *string
		C     *string
		Mood  *string
		Short *string
		TZ    *time.Time
		TS    pgtype.Timestamp
		D     *time.Time
		Tm    pgtype.Time
		Iv    pgtype.Interval
		Bin   []byte
		J     map[string]int
		JB    map[string][]int
		IP    *netip.Addr
		Net   *netip.Prefix
		Ints  []int
		Texts []string
		Times []time.Time
		R     pgtype.Range[pgtype.Int4]
	}
	got := rows[kind](t, d, reader, "/kind")
	if len(got) != 2 {
		t.Fatalf("%d rows", len(got))
	}
	full, empty := got[0], got[1]
	at := time.Date(2024, 2, 29, 10, 0, 0, 1000, time.UTC)
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	if price, err := full.N.Float64Value(); err != nil || price.Float64 != 12.5 {
		t.Errorf("numeric: %v, %v", price, err)
	}
	for name, c := range map[string]struct{ got, want any }{
		"uuid":      {full.ID, "00000000-0000-0000-0000-00000000002a"},
		"int2":      {*full.I2, int16(-2)},
		"int4":      {*full.I4, int32(4)},
		"int8":      {*full.I8, int64(math.MaxInt64)},
		"float4":    {*full.F4, float32(1.5)},
		"float8":    {*full.F8, 0.1},
		"bool":      {*full.B, true},
		"text":      {*full.T, "Zoë"},
		"varchar":   {*full.V, ""},
		"char":      {*full.C, "ab "},
		"enum":      {*full.Mood, "so so"},
		"domain":    {*full.Short, "abc"},
		"timestamp": {full.TS.Time, time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)},
		"date":      {*full.D, day},
		"time":      {full.Tm.Microseconds, int64(86399_500_000)},
		"interval":  {full.Iv, pgtype.Interval{Months: 1, Days: 2, Microseconds: 3 * 3600 * 1_000_000, Valid: true}},
		"json":      {full.J, map[string]int{"a": 1}},
		"jsonb":     {full.JB, map[string][]int{"a": {1}}},
		"inet":      {full.IP.String(), "::1"},
		"cidr":      {full.Net.String(), "10.0.0.0/8"},
		"int[]":     {full.Ints, []int{1, 2}},
		"text[]":    {full.Texts, []string{"a,b", ""}},
		"range":     {full.R.Lower.Int32*10 + full.R.Upper.Int32, int32(15)},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %#v, want %#v", name, c.got, c.want)
		}
	}
	if !full.TZ.Equal(at) || len(full.Times) != 1 || !full.Times[0].Equal(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("timestamptz: %v, %v", full.TZ, full.Times)
	}
	if !bytes.Equal(full.Bin, []byte{0, 255}) {
		t.Errorf("bytea: %x", full.Bin)
	}
	if want := (kind{ID: "00000000-0000-0000-0000-00000000002b"}); !reflect.DeepEqual(empty, want) {
		t.Errorf("NULLs: %+v", empty)
	}
}

// TestExampleSelect runs what the example of Select shows.
func TestExampleSelect(t *testing.T) {
	d := newDatabase(t, library)
	db, s, err := OpenLibrary(t.Context(), d.pool)
	if err != nil {
		t.Fatal(err)
	}
	client := db.As(exec.Session{Role: reader.Role, Vars: map[string]string{"app.user_id": "1"}})
	got, err := Books(t.Context(), client, s, "filter[author][fullName]=Ann&sort=-title")
	if want := []Book{{ID: 11, Title: "Second"}, {ID: 10, Title: "First", Pages: new(120)}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if _, err := Books(t.Context(), client, s, "filter[author][nmae]=Ann"); err == nil {
		t.Error("a field that does not exist was accepted")
	}
}
