package sqlgen

import (
	"testing"

	"github.com/resourcery/resourcery/schema"
)

func TestFormatOf(t *testing.T) {
	builtIn := func(kind schema.Kind, name string) *schema.Type {
		return &schema.Type{Kind: kind, Schema: "pg_catalog", Name: name}
	}
	of := func(kind schema.Kind, elem *schema.Type) *schema.Type {
		return &schema.Type{Kind: kind, Schema: "public", Name: "t", Elem: elem}
	}
	row := func(members ...*schema.Type) *schema.Type {
		t := &schema.Type{Kind: schema.Composite, Schema: "public", Name: "t"}
		for _, m := range members {
			t.Members = append(t.Members, schema.Member{Name: m.Name, Type: m})
		}
		return t
	}
	multi := func(elem *schema.Type) *schema.Type {
		return &schema.Type{Kind: schema.Range, Multi: true, Schema: "public", Name: "t", Elem: elem}
	}
	text, inet, int4 := builtIn(schema.Text, "text"), builtIn(schema.Text, "inet"), builtIn(schema.Int4, "int4")
	citext := &schema.Type{Kind: schema.Text, Schema: "public", Name: "citext"}
	own := &schema.Type{Kind: schema.Text, Schema: "public", Name: "text"}

	inText, inBinary := Text, Binary
	tests := []struct {
		name string
		typ  *schema.Type
		want Format
	}{
		{"text", text, inText},
		{"inet", inet, inText},
		{"bool", builtIn(schema.Bool, "bool"), inBinary},
		{"int2", builtIn(schema.Int2, "int2"), inBinary},
		{"int4", int4, inBinary},
		{"int8", builtIn(schema.Int8, "int8"), inBinary},
		{"float4", builtIn(schema.Float4, "float4"), inBinary},
		{"float8", builtIn(schema.Float8, "float8"), inBinary},
		{"numeric", builtIn(schema.Numeric, "numeric"), inText},
		{"uuid", builtIn(schema.UUID, "uuid"), inBinary},
		{"enum", &schema.Type{Kind: schema.Enum, Schema: "public", Name: "e"}, inText},
		{"timestamptz", builtIn(schema.Timestamptz, "timestamptz"), inBinary},
		{"timestamp", builtIn(schema.Timestamp, "timestamp"), inBinary},
		{"date", builtIn(schema.Date, "date"), inBinary},
		{"time", builtIn(schema.Time, "time"), inBinary},
		{"timetz", builtIn(schema.Timetz, "timetz"), inBinary},
		{"interval", builtIn(schema.Interval, "interval"), inBinary},
		{"bytea", builtIn(schema.Bytea, "bytea"), inBinary},
		{"json", builtIn(schema.JSON, "json"), inText},
		{"jsonb", builtIn(schema.JSONB, "jsonb"), inText},
		{"domain over int4", of(schema.Domain, int4), inBinary},
		{"domain over text", of(schema.Domain, text), inText},

		{"int4[]", of(schema.Array, int4), inBinary},
		{"text[]", of(schema.Array, text), inBinary},
		{"citext[]", of(schema.Array, citext), inBinary},
		{"numeric[]", of(schema.Array, builtIn(schema.Numeric, "numeric")), inBinary},
		{"jsonb[]", of(schema.Array, builtIn(schema.JSONB, "jsonb")), inBinary},
		{"inet[]", of(schema.Array, inet), inText},
		{"array of a type of one's own", of(schema.Array, own), inText},
		{"array of a domain over inet", of(schema.Array, of(schema.Domain, inet)), inText},
		{"domain over inet[]", of(schema.Domain, of(schema.Array, inet)), inText},

		{"int4range", of(schema.Range, int4), inBinary},
		{"int4range[]", of(schema.Array, of(schema.Range, int4)), inBinary},
		{"range of floats", of(schema.Range, builtIn(schema.Float8, "float8")), inText},
		{"range of inet", of(schema.Range, inet), inText},
		{"int4multirange", multi(int4), inBinary},
		{"tstzmultirange[]", of(schema.Array, multi(builtIn(schema.Timestamptz, "timestamptz"))), inBinary},
		{"multirange of floats", multi(builtIn(schema.Float8, "float8")), inText},
		{"composite with a multirange of inet", row(multi(inet)), inText},
		{"range of ranges", of(schema.Range, of(schema.Range, int4)), inBinary},
		{"range of ranges of floats", of(schema.Range, of(schema.Range, builtIn(schema.Float8, "float8"))), inText},
		{"range of arrays", of(schema.Range, of(schema.Array, int4)), inText},
		{"array of ranges of inet", of(schema.Array, of(schema.Range, inet)), inText},

		{"composite", row(int4, text, of(schema.Array, text)), inBinary},
		{"composite with inet", row(int4, inet), inText},
		{"composite with inet[]", row(int4, of(schema.Array, inet)), inText},
		{"composite within", row(row(text, inet)), inText},
		{"array of composites", of(schema.Array, row(int4)), inBinary},
		{"array of composites with inet", of(schema.Array, row(inet)), inText},
		{"composite of no members", row(), inBinary},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := formatOf(test.typ); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
