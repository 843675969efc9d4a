package encode

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/sqlgen"
)

const (
	bigint  = `["bigint"]`
	number  = `["number"]`
	decimal = `[["custom","Decimal"]]`
)

var hundredDigits = strings.Repeat("1234567890", 10)

var numberCases = []valueCase{
	{typ: "int2", sql: "-32768", want: `-32768`},
	{typ: "int2", sql: "32767", want: `32767`},
	{typ: "int4", sql: "0", want: `0`},
	{typ: "int4", sql: "-2147483648", want: `-2147483648`},
	{typ: "int4", sql: "2147483647", want: `2147483647`},
	{typ: "int8", sql: "0", want: `"0"`, notes: bigint},
	{typ: "int8", sql: "-9223372036854775808", want: `"-9223372036854775808"`, notes: bigint},
	{typ: "int8", sql: "9223372036854775807", want: `"9223372036854775807"`, notes: bigint},

	{typ: "float4", sql: "0.1", want: `0.1`},
	{typ: "float4", sql: "16777216", want: `16777216`},
	{typ: "float4", sql: "'3.4028235e38'", want: `3.4028235e+38`},
	{typ: "float4", sql: "'1e-45'", want: `1e-45`},
	{typ: "float4", sql: "0.000001", want: `0.000001`},
	{typ: "float4", sql: "'1e21'", want: `1e+21`},
	{typ: "float4", sql: "'NaN'", want: `"NaN"`, notes: number},
	{typ: "float8", sql: "0.1", want: `0.1`},
	{typ: "float8", sql: "0", want: `0`},
	{typ: "float8", sql: "'-0'", want: `-0`},
	{typ: "float8", sql: "100", want: `100`},
	{typ: "float8", sql: "'1e20'", want: `100000000000000000000`},
	{typ: "float8", sql: "'1e21'", want: `1e+21`},
	{typ: "float8", sql: "'123456789012345680000'", want: `123456789012345680000`},
	{typ: "float8", sql: "'0.000001'", want: `0.000001`},
	{typ: "float8", sql: "'0.00000123'", want: `0.00000123`},
	{typ: "float8", sql: "'1e-7'", want: `1e-7`},
	{typ: "float8", sql: "'-1.5e-10'", want: `-1.5e-10`},
	{typ: "float8", sql: "'5e-324'", want: `5e-324`},
	{typ: "float8", sql: "'2.2250738585072014e-308'", want: `2.2250738585072014e-308`},
	{typ: "float8", sql: "'1.7976931348623157e308'", want: `1.7976931348623157e+308`},
	{typ: "float8", sql: "'NaN'", want: `"NaN"`, notes: number},
	{typ: "float8", sql: "'Infinity'", want: `"Infinity"`, notes: number},
	{typ: "float8", sql: "'-Infinity'", want: `"-Infinity"`, notes: number},

	{typ: "numeric", sql: "0", want: `"0"`, notes: decimal},
	{typ: "numeric", sql: "0.000", want: `"0.000"`, notes: decimal},
	{typ: "numeric", sql: "'-0'", want: `"0"`, notes: decimal},
	{typ: "numeric", sql: "1", want: `"1"`, notes: decimal},
	{typ: "numeric", sql: "10000", want: `"10000"`, notes: decimal},
	{typ: "numeric", sql: "100000001", want: `"100000001"`, notes: decimal},
	{typ: "numeric", sql: "-12.3400", want: `"-12.3400"`, notes: decimal},
	{typ: "numeric", sql: "0.1", want: `"0.1"`, notes: decimal},
	{typ: "numeric", sql: "0.00001", want: `"0.00001"`, notes: decimal},
	{typ: "numeric", sql: "10000.00010000", want: `"10000.00010000"`, notes: decimal},
	{typ: "numeric", sql: "1e20", want: `"100000000000000000000"`, notes: decimal},
	{typ: "numeric", sql: "1e100", want: `"1` + strings.Repeat("0", 100) + `"`, notes: decimal},
	{typ: "numeric", sql: "1e-100", want: `"0.` + strings.Repeat("0", 99) + `1"`, notes: decimal},
	{typ: "numeric", sql: "-" + hundredDigits + "." + hundredDigits, want: `"-` + hundredDigits + "." + hundredDigits + `"`, notes: decimal},
	{typ: "numeric", sql: "'NaN'", want: `"NaN"`, notes: decimal},
	{typ: "numeric", sql: "'Infinity'", want: `"Infinity"`, notes: decimal},
	{typ: "numeric", sql: "'-Infinity'", want: `"-Infinity"`, notes: decimal},
}

// TestNumbersAgree compares what is made of many binary values with what is
// made of the text that Postgres prints for them.
func TestNumbersAgree(t *testing.T) {
	agree(t, "numeric", "SELECT ((random() - 0.5) * 10::numeric ^ (i % 60 - 30))::numeric FROM generate_series(1, 2000) i")
	agree(t, "numeric", "SELECT round((i * 7919)::numeric / 10::numeric ^ (i % 12), i % 20) FROM generate_series(1, 2000) i")
	agree(t, "float8", "SELECT (random() - 0.5) * 10::float8 ^ (i % 600 - 300) FROM generate_series(1, 2000) i")
	agree(t, "float4", "SELECT ((random() - 0.5) * 10::float8 ^ (i % 60 - 30))::float4 FROM generate_series(1, 2000) i")
}

// agree checks that the values of a query's one column come out the same in
// binary and in text.
func agree(t *testing.T, typ, sql string) {
	t.Helper()
	conn := connect(t)
	// Twice the same values: random() would differ.
	create := "CREATE TEMP TABLE many AS SELECT q.v::" + typ + " AS v FROM (" + sql + ") AS q(v)"
	if err := conn.Exec(t.Context(), create).Close(); err != nil {
		t.Fatalf("%s: %v", create, err)
	}
	inBinary := fetch(t, conn, sqlgen.Binary, "SELECT v FROM many ORDER BY ctid")
	inText := fetch(t, conn, sqlgen.Text, "SELECT v FROM many ORDER BY ctid")
	for i, raw := range inBinary {
		got, err := appendValue(nil, nil, valueTypes[typ], sqlgen.Binary, raw)
		if err != nil {
			t.Fatalf("%s %s: %v", typ, inText[i], err)
		}
		want, err := appendValue(nil, nil, valueTypes[typ], sqlgen.Text, inText[i])
		if err != nil {
			t.Fatalf("%s %s: %v", typ, inText[i], err)
		}
		if string(got) != string(want) {
			t.Errorf("%s %s: %s from binary, %s from text", typ, inText[i], got, want)
		}
	}
	if len(inBinary) < 100 {
		t.Errorf("%s: no more than %d values", typ, len(inBinary))
	}
}

func TestAppendInt(t *testing.T) {
	values := []int64{math.MinInt64, math.MaxInt64}
	for power := int64(1); power <= 1e12; power *= 10 {
		values = append(values, power-1, power, power+1, 5*power/2, -power)
	}
	for _, v := range values {
		if got, want := string(appendInt([]byte("x"), v)), "x"+strconv.FormatInt(v, 10); got != want {
			t.Errorf("%d: got %s, want %s", v, got, want)
		}
	}
}
