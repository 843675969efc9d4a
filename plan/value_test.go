package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/schema"
)

// TestValueGolden converts the values of the files, one to a line.
//
//	value TYPE   of a column v of the type: text, int4[], address
//	             length=n, precision=p, scale=s: the column's limits
//
// Annotations stand behind the value, with their paths from it:
//
//	["1", "2"] <- 0=bigint 1=BigInt
func TestValueGolden(t *testing.T) {
	golden.Run(t, "valuedata", func(t *testing.T, c *golden.Case) string {
		if c.Cmd != "value" {
			c.Fatalf(t, "unknown command %q", c.Cmd)
		}
		f := &schema.Field{Name: "v", Type: valueType(c.CmdArgs[0].Key)}
		for _, arg := range c.CmdArgs[1:] {
			limits := map[string]*int{"length": &f.Length, "precision": &f.Precision, "scale": &f.Scale}
			c.ScanArgs(t, arg.Key, limits[arg.Key])
		}
		var b strings.Builder
		for line := range strings.Lines(c.Input) {
			line = strings.TrimSpace(line)
			text, notes, _ := strings.Cut(line, " <- ")
			if !jsontext.Value(text).IsValid() {
				c.Fatalf(t, "%s is no JSON", text)
			}
			fmt.Fprintf(&b, "%s\n", line)
			value, problems := jsonValue(f, jsontext.Value(text), valueNotes(notes))
			switch {
			case len(problems) > 0:
				for _, p := range problems {
					fmt.Fprintf(&b, "  %v\n", p.at("/data/attributes/v"))
				}
			case value == nil:
				b.WriteString("  NULL\n")
			default:
				fmt.Fprintf(&b, "  %T %s\n", value, valueText(value))
			}
		}
		return b.String()
	})
}

// valueNotes reads `=Name` for the value itself, `0.since=Date` for a part.
func valueNotes(text string) []parse.Note {
	var notes []parse.Note
	for _, field := range strings.Fields(text) {
		path, name, _ := strings.Cut(field, "=")
		n := parse.Note{Name: name}
		if path != "" {
			n.Path = strings.Split(path, ".")
		}
		notes = append(notes, n)
	}
	return notes
}

// valueTypes are the types that are not Postgres's own. They are those of
// valueSchema.
var valueTypes = func() map[string]*schema.Type {
	mood := &schema.Type{Kind: schema.Enum, Name: "mood", Labels: []string{"sad", "so, so", `{"quoted\}`, "NULL"}}
	score := &schema.Type{Kind: schema.Domain, Name: "score", Elem: builtInType("int4")}
	email := &schema.Type{Kind: schema.Domain, Name: "email", Elem: builtInType("text")}
	triple := &schema.Type{Kind: schema.Domain, Name: "triple", Elem: arrayOf(builtInType("int4"))}
	address := &schema.Type{Kind: schema.Composite, Name: "address", Members: []schema.Member{
		{Name: "street", Type: builtInType("text")}, {Name: "zip", Type: builtInType("int4")}, {Name: "since", Type: builtInType("timestamptz")},
	}}
	route := &schema.Type{Kind: schema.Composite, Name: "route", Members: []schema.Member{
		{Name: "a/b~c", Type: email}, {Name: "home", Type: address}, {Name: "stops", Type: arrayOf(address)},
		{Name: "moods", Type: arrayOf(mood)}, {Name: "data", Type: builtInType("jsonb")}, {Name: "seen", Type: builtInType("int8")},
	}}
	single := &schema.Type{Kind: schema.Composite, Name: "single", Members: []schema.Member{{Name: "x", Type: builtInType("text")}}}
	types := map[string]*schema.Type{}
	for _, t := range []*schema.Type{mood, score, email, triple, address, route, single} {
		t.Schema = "public"
		types[t.Name] = t
	}
	return types
}()

const valueSchema = `
CREATE TYPE mood AS ENUM ('sad', 'so, so', '{"quoted\}', 'NULL');
CREATE DOMAIN score AS int4;
CREATE DOMAIN email AS text;
CREATE DOMAIN triple AS int4[];
CREATE TYPE address AS (street text, zip int4, since timestamptz);
CREATE TYPE route AS ("a/b~c" email, home address, stops address[], moods mood[], data jsonb, seen int8);
CREATE TYPE single AS (x text);
`

// valueKinds are the kinds of Postgres's own types; others are text.
var valueKinds = map[string]schema.Kind{
	"bool": schema.Bool, "int2": schema.Int2, "int4": schema.Int4, "int8": schema.Int8, "float4": schema.Float4,
	"float8": schema.Float8, "numeric": schema.Numeric, "uuid": schema.UUID, "timestamptz": schema.Timestamptz,
	"timestamp": schema.Timestamp, "date": schema.Date, "time": schema.Time, "timetz": schema.Timetz,
	"interval": schema.Interval, "bytea": schema.Bytea, "json": schema.JSON, "jsonb": schema.JSONB,
	"int4range": schema.Range, "int4multirange": schema.Range,
}

func builtInType(name string) *schema.Type {
	t := &schema.Type{Kind: schema.Text, Schema: "pg_catalog", Name: name}
	if k, ok := valueKinds[name]; ok {
		t.Kind = k
	}
	return t
}

func arrayOf(elem *schema.Type) *schema.Type {
	return &schema.Type{Kind: schema.Array, Schema: elem.Schema, Name: "_" + elem.Name, Elem: elem}
}

// valueType returns the type of a name as SQL has it.
func valueType(name string) *schema.Type {
	if elem, ok := strings.CutSuffix(name, "[]"); ok {
		return arrayOf(valueType(elem))
	}
	if t, ok := valueTypes[name]; ok {
		return t
	}
	return builtInType(name)
}

func TestJSONValueExtremes(t *testing.T) {
	nines := strings.Repeat("9", longestNumber)
	for _, test := range []struct {
		typ, json, want string // want: the value, or the problems
	}{
		{"numeric", nines, nines},
		{"numeric", `"` + nines + `"`, nines},
		{"numeric", nines + "9", "invalid-value"},
		{"jsonb", `{"a":[` + nines + "]}", `{"a":[` + nines + "]}"},
		{"jsonb", `{"a":[` + nines + "9]}", "invalid-value /a/0"},
		{"json", nines + "9", nines + "9"},
		{"numeric", `"1e1001"`, "invalid-value"},
		{"numeric[]", `["NaN","1e-1001"]`, "invalid-value /1"},
		{"jsonb", `{"c\u0000":1}`, "invalid-value /c\x00"},
		{"int8", nines, "invalid-value"},
		{"float8", nines, "invalid-value"},
		{"text[]", "[" + strings.Repeat(`"",`, 9999) + `""]`, "{" + strings.Repeat(`"",`, 9999) + `""}`},
	} {
		value, problems := jsonValue(&schema.Field{Name: "v", Type: valueType(test.typ)}, jsontext.Value(test.json), nil)
		got := fmt.Sprint(value)
		if problems != nil {
			got = strings.TrimSpace(problems[0].code.String() + " " + problems[0].pointer)
			if n := len(problems[0].detail); n > 500 {
				t.Errorf("%s %.20s: the detail has %d bytes", test.typ, test.json, n)
			}
		}
		if got != test.want {
			t.Errorf("%s %.20s: %.40s, want %.40s", test.typ, test.json, got, test.want)
		}
	}
}

// However much is wrong, the answer stays short, and is soon there.
func TestJSONValueStopsAtManyProblems(t *testing.T) {
	var objects, notes []string
	for i := range 50_000 {
		objects = append(objects, fmt.Sprintf(`{"unknown%d":1}`, i))
		notes = append(notes, fmt.Sprintf("%d.since=bigint", i))
	}
	slices.Reverse(notes)
	for _, test := range []struct{ typ, json string }{
		{"address[]", "[" + strings.Join(objects, ",") + "]"},
		{"int4[]", "[" + strings.Repeat(`"x",`, 50_000) + "1]"},
		{"int4[]", "[" + strings.Repeat("[],", 50_000) + "[]]"},
		{"jsonb", "[" + strings.Repeat(`"\u0000",`, 50_000) + "1]"},
		{"jsonb", "[" + strings.Repeat(`{"since":1},`, 50_000) + "1]"},
		{"address[]", "[" + strings.Repeat(`{"since":"2024-01-31T00:00:00Z"},`, 50_000) + "null]"},
	} {
		_, problems := jsonValue(&schema.Field{Name: "v", Type: valueType(test.typ)}, jsontext.Value(test.json), valueNotes(strings.Join(notes, " ")))
		if len(problems) != maxProblems {
			t.Errorf("%s %.20s: %d problems, want %d", test.typ, test.json, len(problems), maxProblems)
		}
	}
}

// Annotations of every element of a long array do not make it slow.
func TestJSONValueWithManyNotes(t *testing.T) {
	const n = 100_000
	notes := make([]parse.Note, n)
	for i := range notes {
		notes[i] = parse.Note{Path: []string{strconv.Itoa(i)}, Name: "bigint"}
	}
	v := jsontext.Value("[" + strings.Repeat(`"1",`, n-1) + `"1"]`)
	value, problems := jsonValue(&schema.Field{Name: "v", Type: valueType("int8[]")}, v, notes)
	if len(problems) > 0 || len(value.(string)) != 2*n+1 {
		t.Errorf("%v", problems)
	}
	if notes[10].Path[0] != "10" {
		t.Error("the notes of the caller were sorted")
	}
}

func BenchmarkJSONValue(b *testing.B) {
	for _, c := range []struct{ typ, json string }{
		{"text", `"a title of the usual length"`},
		{"int4", `12345`},
		{"timestamptz", `"2024-01-31T15:04:05.123Z"`},
		{"jsonb", `{"a":[1,2,{"b":"c"}],"d":"` + strings.Repeat("x", 400) + `"}`},
		{"text[]", `["one","two","three","four","five"]`},
		{"address", `{"street":"Main St 1","zip":12345,"since":"2024-01-31T15:04:05Z"}`},
	} {
		f := &schema.Field{Name: "v", Type: valueType(c.typ)}
		b.Run(c.typ, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				jsonValue(f, jsontext.Value(c.json), nil)
			}
		})
	}
}
