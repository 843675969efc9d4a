package validation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/validation"
)

// Values in JSON, by what requests may write for a kind.
var (
	integers = []string{
		"0", "1", "-1", "2", "3", "4", "5", "6", "7", "8", "-3", "-4", "-5", "-6", "10", "11", "100", "32767", "32768", "-32768", "-32769",
		"2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
		`"0"`, `"-3"`, `"007"`, `"32768"`, `"99999999999999999999"`, `""`, `"x"`, "1.5", "null",
	}
	numbers = []string{
		"0", "1", "-1", "0.5", "1.5", "1.6", "-0.001", "-0.004", "-0.005", "-0.01", "0.001", "4.9", "4.99", "5", "5.4", "9.5", "10", "10.4", "10.5", "11", "99.99", "99.994", "99.995",
		"99.999", "100", "-100.001", "999.4", "999.5", "999.94", "999.95", "1000", "-1e3", "9999.994", "9999.995", "10000", "1e2", "1E+4", "1e300", "1e400", "1e500", "1e-7", "1e-300", "-1e-500",
		`"0"`, `"-0.001"`, `"1."`, `".5"`, `"1e2"`, `"NaN"`, `"Infinity"`, `"-Infinity"`, `"x"`, "null",
	}
	texts = []string{
		`""`, `" "`, `"  "`, `"x"`, `"x "`, `"a"`, `"ab"`, `"abc"`, `"abc  "`, `"abc          "`, `"  abc"`, `"abcd"`, `"abcd "`, `"abcde"`, `"b'c"`, `"äöüß"`, `"äöüß€"`, `"😀😀😀"`, `"A"`, `"B"`, `"AB.1"`, `"AB."`,
		`"AB.1 "`, `"AB1"`, `"a-1"`, `"a-"`, `"a\nb"`, `"a-1\n"`, `"abc\n"`, `"\t"`, `"happy"`, `"sad"`, `"angry"`, `"ok"`, "null",
	}
	uuids  = []string{`"018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d60"`, `"018F2F3E7A647C1B9F2D3C5B8A1E4D60"`, `"018f"`, "null"}
	arrays = []string{
		"[]", "null", "[1]", "[null]", `["1", 2]`, "[[1], [2]]", "[[[1]]]", "[[1, 2], [3, 4]]", `["a"]`, `["sad", "ok"]`, `[["sad"]]`, `["bad"]`, `["ab", "a "]`, "[1.5]", "[99999999999]",
		`[{"zip": 1}]`, `[{"street": null, "zip": "2"}, null]`, `[[{"zip": 1}]]`, `{"zip": 1}`,
	}
	textArrays = []string{"[]", "null", `["a", null]`, `["ab", "a "]`, `["abc"]`, `[["a"], ["b"]]`, "{}"}
	objects    = []string{"{}", "null", `{"zip": 1, "street": "x"}`, `{"zip": "1", "street": null}`, `{"zip": 1.5}`, `{"zip": 99999999999}`, `{"other": 1}`}
	anything   = []string{"null", "1", "1e400", `"x"`, "true", "[]", "{}", `[{"a": null}]`}
)

func candidates(f *schema.Field) []string {
	switch f.Type.Base().Kind {
	case schema.Int2, schema.Int4, schema.Int8:
		return integers
	case schema.Float4, schema.Float8, schema.Numeric:
		return numbers
	case schema.Bool:
		return []string{"true", "false", "null"}
	case schema.UUID:
		return uuids
	case schema.Array:
		if f.Type.Base().Elem.Kind == schema.Text {
			return textArrays // Postgres would take numbers too, requests have none for text
		}
		return arrays
	case schema.Composite:
		return objects
	case schema.JSON, schema.JSONB:
		return anything
	case schema.Bytea:
		return []string{`""`, `"AQI="`, `"AQIDBAUG"`, "null"}
	case schema.Timestamptz, schema.Date, schema.Interval, schema.Range:
		return []string{`"2020-01-01"`, `"infinity"`, `"P1D"`, `"[1,5)"`, `"empty"`, `"x"`, "null"}
	default:
		return texts
	}
}

// Generated schemas refuse nothing that the database takes, value by value and
// in whole rows; and much of what it does not take.
func TestDatabaseTakesNoMore(t *testing.T) {
	conn, s := open(t, read(t, "testdata/rules.sql"), rulesModels)
	set, _ := generated(t, s)
	taken, caught, left := 0, 0, 0
	for _, typ := range []string{"kinds", "rules"} {
		m, _ := s.Model(typ)
		for _, f := range m.Attributes {
			if f.ReadOnly {
				continue
			}
			for _, value := range candidates(f) {
				data := []byte(fmt.Sprintf(`{"attributes": {%q: %s}}`, f.Name, value))
				refusal := insert(t, conn, m.Table.Name, map[string]string{f.Column: value})
				for _, op := range []validation.Operation{validation.Create, validation.Update} {
					switch es := set.Check(typ, op, data); {
					case refusal == nil && es != nil:
						t.Errorf("%s %s: %s is refused, but Postgres takes it: %v", typ, f.Name, value, es)
					case refusal == nil:
						taken++
					case es != nil:
						caught++
					default:
						left++
					}
				}
			}
		}
	}
	t.Logf("taken by both: %d, refused by both: %d, left to Postgres: %d", taken, caught, left)
	if taken < 1000 || caught < 500 {
		t.Error("too few values to show anything")
	}
	testRows(t, conn, s, set)
}

// testRows inserts random rows that the checks of the single values let pass.
func testRows(t *testing.T, conn *pgx.Conn, s *schema.Schema, set *validation.Set) {
	m, _ := s.Model("rules")
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 400 {
		row := map[string]string{}
		var members []string
		for _, f := range m.Attributes {
			values := candidates(f)
			if value := values[random.IntN(len(values))]; random.IntN(12) == 0 {
				row[f.Column] = value
				members = append(members, fmt.Sprintf("%q: %s", f.Name, value))
			}
		}
		if len(row) == 0 || insert(t, conn, "rules", row) != nil {
			continue
		}
		taken++
		if es := set.Check("rules", validation.Create, []byte(`{"attributes": {`+strings.Join(members, ", ")+`}}`)); es != nil {
			t.Errorf("%s is refused, but Postgres takes it: %v", members, es)
		}
	}
	if taken < 24 {
		t.Errorf("Postgres took %d rows only", taken)
	}
}

// insert puts a row into the table, its values converted as Postgres converts
// JSON, and returns the refusal.
func insert(t *testing.T, conn *pgx.Conn, table string, row map[string]string) error {
	t.Helper()
	ctx := context.Background()
	var columns, types []string
	document := map[string]json.RawMessage{}
	for column, value := range row {
		var typ string
		err := conn.QueryRow(ctx, `SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = $1::text::regclass AND attname = $2`, table, column).Scan(&typ)
		if err != nil {
			t.Fatal(err)
		}
		column = pgx.Identifier{column}.Sanitize()
		columns, types = append(columns, column), append(types, column+" "+typ)
		document[strings.Trim(column, `"`)] = json.RawMessage(value)
	}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Join(columns, ", ")
	_, err = conn.Exec(ctx, fmt.Sprintf(`INSERT INTO %s (%s) SELECT %s FROM json_to_record($1) AS r(%s)`, table, list, list, strings.Join(types, ", ")), string(text))
	return err
}
