package encode

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// valueSQL makes the types of the tests; valueTypes describes them.
const valueSQL = `
CREATE TYPE mood AS ENUM ('fine', 'so so', 'says "no"\', 'groß');
CREATE DOMAIN positive AS int4 CHECK (VALUE > 0);
CREATE DOMAIN matrix AS int8[];
CREATE DOMAIN address AS inet;
CREATE TYPE place AS (x float8, "the.y" int8, "at ""noon""" timestamptz);
CREATE TYPE stay AS (label text, place place, tags text[], moods mood[]);
CREATE TYPE host AS (name text, address address, seen timestamptz, on_date date, wakes timetz, up tstzrange,
	marks numeric[], blob bytea, doc jsonb, flag bool, ratio float4, id uuid, size int8, near place, took interval, boxes box[]);
CREATE TYPE visits AS (host inet, at tstzmultirange);
CREATE TYPE float4range AS RANGE (subtype = float4);
CREATE TYPE float8range AS RANGE (subtype = float8);
CREATE TYPE textrange AS RANGE (subtype = text, collation = "C");
CREATE TYPE timerange AS RANGE (subtype = time);
CREATE TYPE timetzrange AS RANGE (subtype = timetz);
CREATE TYPE intervalrange AS RANGE (subtype = interval);
CREATE TYPE bytearange AS RANGE (subtype = bytea, multirange_type_name = bytemultirange);
CREATE TYPE boolrange AS RANGE (subtype = bool);
CREATE TYPE uuidrange AS RANGE (subtype = uuid);
CREATE TYPE moodrange AS RANGE (subtype = mood);
CREATE TYPE spanrange AS RANGE (subtype = tstzrange);
CREATE TYPE spansrange AS RANGE (subtype = tstzmultirange);
CREATE TYPE inetrange AS RANGE (subtype = inet);
CREATE TYPE jsonbrange AS RANGE (subtype = jsonb);
`

// valueTypes are the types of the tests by the name that SQL has for them.
var valueTypes = func() map[string]*schema.Type {
	types := map[string]*schema.Type{}
	for kind, names := range map[schema.Kind]string{
		schema.Text: "text varchar bpchar name inet cidr tsvector point box macaddr", schema.Bool: "bool",
		schema.Int2: "int2", schema.Int4: "int4", schema.Int8: "int8", schema.Float4: "float4", schema.Float8: "float8",
		schema.Numeric: "numeric", schema.UUID: "uuid", schema.Timestamptz: "timestamptz", schema.Timestamp: "timestamp",
		schema.Date: "date", schema.Time: "time", schema.Timetz: "timetz", schema.Interval: "interval",
		schema.Bytea: "bytea", schema.JSON: "json", schema.JSONB: "jsonb",
	} {
		for name := range strings.FieldsSeq(names) {
			types[name] = &schema.Type{Kind: kind, Schema: "pg_catalog", Name: name}
		}
	}
	types["mood"] = &schema.Type{Kind: schema.Enum, Schema: "public", Name: "mood"}
	for pair := range strings.FieldsSeq(`int4range:int4 int8range:int8 numrange:numeric daterange:date tsrange:timestamp tstzrange:timestamptz
		float4range:float4 float8range:float8 textrange:text timerange:time timetzrange:timetz intervalrange:interval
		bytearange:bytea boolrange:bool uuidrange:uuid moodrange:mood inetrange:inet jsonbrange:jsonb`) {
		name, elem, _ := strings.Cut(pair, ":")
		types[name] = &schema.Type{Kind: schema.Range, Schema: "public", Name: name, Elem: types[elem]}
	}
	for pair := range strings.FieldsSeq(`int4multirange:int4 nummultirange:numeric datemultirange:date tsmultirange:timestamp tstzmultirange:timestamptz
		float8multirange:float8 textmultirange:text bytemultirange:bytea inetmultirange:inet`) {
		name, elem, _ := strings.Cut(pair, ":")
		types[name] = &schema.Type{Kind: schema.Range, Multi: true, Schema: "public", Name: name, Elem: types[elem]}
	}
	for name, elem := range map[string]string{"spanrange": "tstzrange", "spansrange": "tstzmultirange"} {
		types[name] = &schema.Type{Kind: schema.Range, Schema: "public", Name: name, Elem: types[elem]}
	}
	for name, elem := range types {
		types[name+"[]"] = &schema.Type{Kind: schema.Array, Schema: elem.Schema, Name: "_" + name, Elem: elem}
		if strings.HasSuffix(name, "[]") {
			delete(types, name+"[]")
		}
	}
	types["positive"] = &schema.Type{Kind: schema.Domain, Schema: "public", Name: "positive", Elem: types["int4"]}
	types["matrix"] = &schema.Type{Kind: schema.Domain, Schema: "public", Name: "matrix", Elem: types["int8[]"]}
	types["address"] = &schema.Type{Kind: schema.Domain, Schema: "public", Name: "address", Elem: types["inet"]}
	for _, composite := range []struct{ name, members string }{
		{"place", `x:float8|the.y:int8|at "noon":timestamptz`},
		{"stay", `label:text|place:place|tags:text[]|moods:mood[]`},
		{"host", `name:text|address:address|seen:timestamptz|on_date:date|wakes:timetz|up:tstzrange|marks:numeric[]|blob:bytea|doc:jsonb|` +
			`flag:bool|ratio:float4|id:uuid|size:int8|near:place|took:interval|boxes:box[]`},
		{"visits", "host:inet|at:tstzmultirange"},
	} {
		typ := &schema.Type{Kind: schema.Composite, Schema: "public", Name: composite.name}
		for member := range strings.SplitSeq(composite.members, "|") {
			name, of, _ := strings.Cut(member, ":")
			if types[of] == nil {
				panic(of)
			}
			typ.Members = append(typ.Members, schema.Member{Name: name, Type: types[of]})
		}
		types[composite.name] = typ
	}
	for _, name := range []string{"positive", "matrix", "address", "place", "stay", "host"} {
		types[name+"[]"] = &schema.Type{Kind: schema.Array, Schema: "public", Name: "_" + name, Elem: types[name]}
	}
	return types
}()

// connect connects to a database that has valueSQL's types, with the style
// settings of a session and a time zone of its own.
func connect(t testing.TB) *pgconn.PgConn {
	t.Helper()
	config, err := pgconn.ParseConfig(pgtest.Database(t, valueSQL))
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["DateStyle"] = "ISO"
	config.RuntimeParams["IntervalStyle"] = "iso_8601"
	config.RuntimeParams["extra_float_digits"] = "1"
	config.RuntimeParams["bytea_output"] = "hex"
	config.RuntimeParams["TimeZone"] = "America/St_Johns" // -03:30, and -03:30:52 before 1935
	conn, err := pgconn.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// fetch returns the values of a query's one column.
func fetch(t testing.TB, conn *pgconn.PgConn, f sqlgen.Format, sql string) [][]byte {
	t.Helper()
	result := conn.ExecParams(context.Background(), sql, nil, nil, nil, []int16{int16(f)}).Read()
	if result.Err != nil {
		t.Fatalf("%s: %v", sql, result.Err)
	}
	values := make([][]byte, len(result.Rows))
	for i, row := range result.Rows {
		values[i] = row[0]
	}
	return values
}

// formatsOf returns the formats in which values of the type can come: as parts
// of composites in text form all of them in text, and what a container may hold
// in binary form in binary.
func formatsOf(t *schema.Type) []sqlgen.Format {
	if readableInBinary(t) {
		return []sqlgen.Format{sqlgen.Text, sqlgen.Binary}
	}
	return []sqlgen.Format{sqlgen.Text}
}

func readableInBinary(t *schema.Type) bool {
	switch t = t.Base(); t.Kind {
	case schema.Text:
		return strings.Contains(" text varchar bpchar name ", " "+t.Name+" ")
	case schema.Range:
		return t.Elem.Kind != schema.Float4 && t.Elem.Kind != schema.Float8 && readableInBinary(t.Elem)
	case schema.Array:
		return readableInBinary(t.Elem)
	case schema.Composite:
		for _, m := range t.Members {
			if !readableInBinary(m.Type) {
				return false
			}
		}
	}
	return true
}

// A valueCase is a value in SQL and what clients see of it.
type valueCase struct {
	typ   string
	sql   string
	want  string
	notes string // annotations, with the path to the value left out; "" for none
}

func TestAppendValue(t *testing.T) {
	conn := connect(t)
	for _, group := range [][]valueCase{plainCases, numberCases, timeCases, containerCases, rangeCases} {
		for _, test := range group {
			t.Run(test.typ+" "+test.sql, func(t *testing.T) { checkValue(t, conn, test) })
		}
	}
}

func checkValue(t *testing.T, conn *pgconn.PgConn, test valueCase) {
	typ := valueTypes[test.typ]
	if typ == nil {
		t.Fatalf("no type %s", test.typ)
	}
	for _, format := range formatsOf(typ) {
		raw := fetch(t, conn, format, "SELECT ("+test.sql+")::"+test.typ)[0]
		var n annotations
		n.enter("v")
		got, err := appendValue([]byte("before "), &n, typ, format, raw)
		if err != nil {
			t.Fatalf("format %d: %v (from %q)", format, err, raw)
		}
		value := strings.TrimPrefix(string(got), "before ")
		if value != test.want {
			t.Errorf("format %d: got %s, want %s", format, value, test.want)
		}
		if !json.Valid([]byte(value)) {
			t.Errorf("format %d: no JSON: %s", format, value)
		}
		notes := "{" + strings.ReplaceAll(test.notes, `"/`, `"v.`) + "}"
		if strings.HasPrefix(test.notes, "[") {
			notes = `{"v":` + test.notes + "}"
		}
		if got := string(n.appendTo(nil)); got != notes {
			t.Errorf("format %d: annotated %s, want %s", format, got, notes)
		}
		if !n.empty() && !complex(typ) {
			t.Errorf("format %d: annotated, though the type is not complex", format)
		}
	}
}

var plainCases = []valueCase{
	{typ: "text", sql: "NULL", want: `null`},
	{typ: "int8", sql: "NULL", want: `null`},
	{typ: "int8[]", sql: "NULL", want: `null`},
	{typ: "place", sql: "NULL", want: `null`},

	{typ: "bool", sql: "true", want: `true`},
	{typ: "bool", sql: "false", want: `false`},

	{typ: "text", sql: "''", want: `""`},
	{typ: "text", sql: "'it''s \"quoted\" \\ / <b>&'", want: `"it's \"quoted\" \\ / <b>&"`},
	{typ: "text", sql: `E'\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10'`,
		want: `"\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010"`},
	{typ: "text", sql: `E'\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f \x7f'`,
		want: `"\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f ` + "\x7f" + `"`},
	{typ: "text", sql: "U&'\\2028\\2029 gr\\00fc\\00dfe \\+01f600\\FFFD'", want: "\"\u2028\u2029 grüße 😀\uFFFD\""},
	{typ: "varchar", sql: "'x'", want: `"x"`},
	{typ: "bpchar", sql: "'x'::char(3)", want: `"x  "`},
	{typ: "name", sql: "'pg_class'", want: `"pg_class"`},
	{typ: "inet", sql: "'10.0.0.1/8'", want: `"10.0.0.1/8"`},
	{typ: "cidr", sql: "'::/0'", want: `"::/0"`},
	{typ: "tsvector", sql: "'a:1 ''b\"c'':2'", want: `"'a':1 'b\"c':2"`},
	{typ: "point", sql: "'(1,2.5)'", want: `"(1,2.5)"`},
	{typ: "mood", sql: `'says "no"\'`, want: `"says \"no\"\\"`},
	{typ: "mood", sql: `'groß'`, want: `"groß"`},
	{typ: "uuid", sql: "'A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11'", want: `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`},

	{typ: "bytea", sql: `''`, want: `""`, notes: `[["custom","Bytes"]]`},
	{typ: "bytea", sql: `'\x00'`, want: `"AA=="`, notes: `[["custom","Bytes"]]`},
	{typ: "bytea", sql: `'\xfbff'`, want: `"+/8="`, notes: `[["custom","Bytes"]]`},
	{typ: "bytea", sql: `'Hello!'`, want: `"SGVsbG8h"`, notes: `[["custom","Bytes"]]`},

	{typ: "json", sql: `'{"a" : [1, null],  "a":"\u0000\ud83d\ude00" }'`, want: `{"a" : [1, null],  "a":"\u0000\ud83d\ude00" }`},
	{typ: "json", sql: "E'[\\n1e400,\\t-0.0]'", want: "[\n1e400,\t-0.0]"},
	{typ: "json", sql: `'null'`, want: `null`},
	{typ: "json", sql: `'""'`, want: `""`},
	{typ: "jsonb", sql: `'{"b":1.50,"a":[-0,1e5,12345678901234567890.000]}'`, want: `{"a": [0, 100000, 12345678901234567890.000], "b": 1.50}`},
	{typ: "jsonb", sql: `'"2024-01-01T00:00:00Z"'`, want: `"2024-01-01T00:00:00Z"`},
	{typ: "jsonb", sql: `'null'`, want: `null`},
	{typ: "jsonb", sql: `'{}'`, want: `{}`},

	{typ: "positive", sql: "7", want: `7`},
	{typ: "address", sql: "'::1'", want: `"::1"`},
}

func TestAppendValueRefusesWhatIsNone(t *testing.T) {
	for name, typ := range valueTypes {
		if base := typ.Base(); base.Kind == schema.Text || base.Kind == schema.Enum || base.Kind == schema.JSON || base.Kind == schema.Bytea {
			continue // any bytes are a value
		}
		_, err := appendValue(nil, nil, typ, sqlgen.Binary, []byte{})
		if err == nil {
			t.Errorf("%s: no error for an empty value in binary", name)
		} else if !strings.Contains(err.Error(), typ.Base().Name) {
			t.Errorf("%s: the error does not name the type: %v", name, err)
		}
	}
	for _, test := range []struct{ typ, text string }{
		{"bool", "x"}, {"int4", "1.5"}, {"float8", "one"}, {"timestamptz", "2024-01-01"}, {"timestamp", "2024-13-01 00:00:00"},
		{"timestamptz", "2024-01-01 00:00:00+"}, {"timestamptz", "2024-01-01 00:00:00+01:00:00:00"}, {"date", "01/02/2024"},
		{"date", "2024-01-01 00:00:00"}, {"time", "12:00"}, {"timetz", "12:00:00"}, {"bytea", `\001`}, {"bytea", `\x0`},
		{"int4[]", "1,2"}, {"int4[]", "{1,2"}, {"int4[]", "{1}}"}, {"text[]", `{"a`}, {"text[]", `{"a"b}`},
		{"place", "1,2,"}, {"place", "(1,2)"}, {"place", "(1,2,,)"}, {"place", "(1,2,"}, {"tstzrange", "[a,b]"}, {"tstzrange", "["}, {"tstzrange", "[,}"}, {"tstzrange", "(,),"},
		{"tstzmultirange", "(,)"}, {"tstzmultirange", "{"}, {"tstzmultirange", "{(,)"}, {"tstzmultirange", "{(,)(,)}"},
		{"tstzmultirange", "{(,),}"}, {"tstzmultirange", "{(,)}}"}, {"tstzmultirange", "{empty}"}, {"tstzmultirange", "{[a,b)}"},
	} {
		if got, err := appendValue(nil, nil, valueTypes[test.typ], sqlgen.Text, []byte(test.text)); err == nil {
			t.Errorf("%s %s: got %s, want an error", test.typ, test.text, got)
		} else if strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: the error quotes the value: %v", test.typ, err)
		}
	}
}

func TestAppendStringReplacesInvalidUTF8(t *testing.T) {
	got := string(appendString(nil, []byte("a\xffb\xe2\x82\"\xf0\x9f\x98\x80\xc0")))
	if want := "\"a\uFFFDb\uFFFD\uFFFD\\\"😀\uFFFD\""; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAppendValueAllocatesNothing(t *testing.T) {
	conn := connect(t)
	dst := make([]byte, 0, 4096)
	for _, test := range []struct{ typ, sql string }{
		{"text", `E'line\n"quoted" 😀'`}, {"bool", "true"}, {"int2", "1"}, {"int4", "-1"}, {"int8", "9223372036854775807"},
		{"float4", "0.1"}, {"float8", "1e300"}, {"float8", "'NaN'"}, {"numeric", "12345.678900"}, {"uuid", "gen_random_uuid()"},
		{"mood", "'fine'"}, {"timestamptz", "'2024-05-06 07:08:09.123456'"}, {"timestamp", "'-infinity'"}, {"date", "'0044-03-15 BC'"},
		{"time", "'01:02:03.5'"}, {"timetz", "'01:02:03+04'"}, {"interval", "'1 year -2 days 3.5 seconds'"}, {"bytea", `'\x0102'`},
		{"json", `'[1]'`}, {"jsonb", `'[1]'`}, {"tstzrange", "'[2024-01-01,)'"}, {"tstzmultirange", "'{[2024-01-01,2024-01-02),[2025-01-01,)}'"}, {"int8[]", "'{{1,2},{3,NULL}}'"}, {"place", "(1,2,now())"},
	} {
		typ := valueTypes[test.typ]
		for _, format := range formatsOf(typ) {
			if format == sqlgen.Text && (typ.Elem != nil || typ.Members != nil || typ.Kind == schema.Bytea) {
				continue // comes so only within others
			}
			raw := fetch(t, conn, format, "SELECT ("+test.sql+")::"+test.typ)[0]
			n := &annotations{path: make([]byte, 0, 256), values: make([]byte, 0, 1024)}
			allocations := testing.AllocsPerRun(100, func() {
				n.reset()
				mark := n.enter("v")
				if _, err := appendValue(dst, n, typ, format, raw); err != nil {
					t.Fatal(err)
				}
				n.leave(mark)
			})
			if allocations != 0 {
				t.Errorf("%s, format %d: %v allocations", test.typ, format, allocations)
			}
		}
	}
}

// FuzzAppendValue shows that no bytes lead to a panic, nor to what is no JSON
// where they were taken for a value.
func FuzzAppendValue(f *testing.F) {
	names := make([]string, 0, len(valueTypes))
	for name := range valueTypes {
		names = append(names, name)
	}
	for _, name := range names {
		f.Add(name, false, []byte("{1,2}"))
		f.Add(name, true, []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8})
	}
	f.Fuzz(func(t *testing.T, name string, binary bool, raw []byte) {
		typ, ok := valueTypes[name]
		if !ok {
			return
		}
		format := sqlgen.Text
		if binary {
			format = sqlgen.Binary
		}
		got, err := appendValue(nil, &annotations{}, typ, format, raw)
		if err == nil && !embeds(typ) && !json.Valid(got) {
			t.Errorf("%s %q: no JSON: %q", name, raw, got)
		}
	})
}

// embeds reports whether values of the type have parts that Postgres has
// checked and that are taken as they are.
func embeds(t *schema.Type) bool {
	switch t = t.Base(); t.Kind {
	case schema.JSON, schema.JSONB, schema.Numeric, schema.UUID, schema.Interval:
		return true
	case schema.Array:
		return embeds(t.Elem)
	case schema.Composite:
		for _, m := range t.Members {
			if embeds(m.Type) {
				return true
			}
		}
	}
	return false
}
