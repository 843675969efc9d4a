package encode

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/sqlgen"
)

func TestAppendID(t *testing.T) {
	conn := connect(t)
	type part struct{ typ, sql string }
	tests := []struct {
		key     []part
		divider string
		text    string
		json    string
	}{
		{[]part{{"int4", "7"}}, "_", `7`, `7`},
		{[]part{{"int2", "-1"}}, "_", `-1`, `-1`},
		{[]part{{"positive", "7"}}, "_", `7`, `7`},
		{[]part{{"int8", "7"}}, "_", `7`, `"7"`},
		{[]part{{"text", `'a_b%c/"d"'`}}, "_", `a_b%c/"d"`, `"a_b%c/\"d\""`},
		{[]part{{"text", `''`}}, "_", ``, `""`},
		{[]part{{"uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"}}, "_", `a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11`, `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`},
		{[]part{{"numeric", "1.50"}}, "_", `1.50`, `"1.50"`},
		{[]part{{"bool", "true"}}, "_", `true`, `"true"`},
		{[]part{{"float8", "0.1"}}, "_", `0.1`, `"0.1"`},
		{[]part{{"float8", "'-Infinity'"}}, "_", `-Infinity`, `"-Infinity"`},
		{[]part{{"date", "'2024-01-01'"}}, "_", `2024-01-01`, `"2024-01-01"`},
		{[]part{{"timestamptz", "'2024-01-01 00:00:00+00'"}}, "_", `2024-01-01T00:00:00.000Z`, `"2024-01-01T00:00:00.000Z"`},
		{[]part{{"timetz", "'12:00+01'"}}, "_", `12:00:00+01:00`, `"12:00:00+01:00"`},
		{[]part{{"interval", "'1 day'"}}, "_", `P1D`, `"P1D"`},
		{[]part{{"bytea", `'\xfbff'`}}, "_", `+/8=`, `"+/8="`},
		{[]part{{"mood", `'says "no"\'`}}, "_", `says "no"\`, `"says \"no\"\\"`},
		{[]part{{"inet", "'::1'"}}, "_", `::1`, `"::1"`},
		{[]part{{"tstzrange", "'[2024-01-01 00:00:00+00,)'"}}, "_", `["2024-01-01 00:00:00+00",)`, `"[\"2024-01-01 00:00:00+00\",)"`},
		{[]part{{"int8[]", "'{1,2}'"}}, "_", `["1","2"]`, `"[\"1\",\"2\"]"`},

		{[]part{{"int4", "1"}, {"int4", "2"}}, "_", `1_2`, `"1_2"`},
		{[]part{{"text", "''"}, {"text", "''"}}, "_", `_`, `"_"`},
		{[]part{{"text", "'a_b'"}, {"text", "'50%'"}, {"text", "'%5F'"}}, "_", `a%5Fb_50%25_%255F`, `"a%5Fb_50%25_%255F"`},
		{[]part{{"text", "'a_b'"}, {"text", "'c,d'"}}, ",", `a_b,c%2Cd`, `"a_b,c%2Cd"`},
		{[]part{{"text", "'a_'"}, {"text", "'_b'"}}, "__", `a%5F__%5Fb`, `"a%5F__%5Fb"`},
		{[]part{{"text", "'a~'"}, {"text", "'é·»'"}}, "·", `a~·é%C2%B7»`, `"a~·é%C2%B7»"`},
		{[]part{{"text", `E'"\n'`}, {"date", "'2024-01-01'"}}, "-", "\"\n-2024%2D01%2D01", `"\"\n-2024%2D01%2D01"`},
	}
	for _, test := range tests {
		st, values, plain := &sqlgen.Statement{}, [][]byte(nil), []string(nil)
		for _, p := range test.key {
			typ, format := valueTypes[p.typ], sqlgen.Text
			if formats := formatsOf(typ); len(formats) > 1 {
				format = sqlgen.Binary
			}
			raw := fetch(t, conn, format, "SELECT ("+p.sql+")::"+p.typ)[0]
			st.ID = append(st.ID, len(st.Columns))
			st.Columns = append(st.Columns, sqlgen.Column{Type: typ, Format: format})
			values = append(values, raw)
			text, err := appendPlain(nil, typ, format, raw)
			if err != nil {
				t.Fatal(err)
			}
			plain = append(plain, string(text))
		}
		rows := exec.NewRows(len(values), values)
		key := newIDKey(st, st.ID, &Options{Divider: test.divider})
		text, err := key.appendText([]byte("%_ before "), &rows, 0)
		if got := strings.TrimPrefix(string(text), "%_ before "); err != nil || got != test.text {
			t.Errorf("%v: got %s and error %v, want %s", test.key, got, err, test.text)
		}
		id, err := key.append([]byte(`"\ before `), &rows, 0)
		got := strings.TrimPrefix(string(id), `"\ before `)
		if err != nil || got != test.json {
			t.Errorf("%v: got %s and error %v, want %s", test.key, got, err, test.json)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%v: no JSON: %s", test.key, got)
		}
		if len(test.key) > 1 {
			checkParts(t, test.text, test.divider, plain)
		}
	}
}

// checkParts takes a compound id apart again.
func checkParts(t *testing.T, id, divider string, want []string) {
	t.Helper()
	parts := strings.Split(id, divider)
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil || len(parts) != len(want) || plain != want[i] {
			t.Errorf("%q reads back as %q, want %q (%v)", id, parts, want, err)
			return
		}
	}
}

// keyOf is a key of an int4 and, if there are two, a text.
func keyOf(o Options, values ...[]byte) (*idKey, *exec.Rows) {
	st := &sqlgen.Statement{Columns: []sqlgen.Column{{Type: valueTypes["int4"], Format: sqlgen.Binary}, {Type: valueTypes["text"]}}}
	key, rows := newIDKey(st, []int{0, 1}[:len(values)], &o), exec.NewRows(len(values), values)
	return &key, &rows
}

func TestAppendIDAsString(t *testing.T) {
	key, rows := keyOf(Options{StringIDs: true}, []byte{0, 0, 0, 7})
	if got, err := key.append(nil, rows, 0); err != nil || string(got) != `"7"` {
		t.Errorf("got %s and error %v", got, err)
	}
}

func TestAppendIDRefusesNull(t *testing.T) {
	key, rows := keyOf(Options{}, []byte{0, 0, 0, 7}, nil)
	if got, err := key.append(nil, rows, 0); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}

// Paths have ids as url.PathEscape writes them, whatever bytes these are.
func TestEscapeSegment(t *testing.T) {
	for c := range 256 {
		for _, id := range []string{string([]byte{byte(c)}), "a" + string([]byte{byte(c)}) + "b/é"} {
			if got, want := string(escapeSegmentFrom([]byte("/%"+id), 2)), "/%"+url.PathEscape(id); got != want {
				t.Errorf("%q: got %s, want %s", id, got, want)
			}
		}
	}
}

func TestAppendIDAllocatesNothing(t *testing.T) {
	dst := make([]byte, 0, 256)
	key, rows := keyOf(Options{Divider: "_"}, []byte{0, 0, 0, 7}, []byte(`a_"b"%`))
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := key.append(dst, rows, 0); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}
