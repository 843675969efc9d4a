package plan

import (
	"encoding/base64"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/schema"
)

// literalCase is a text that is a value of its type: what literal makes of it,
// and how Postgres prints that in UTC with the ISO styles ("": just so).
type literalCase struct {
	text   string
	want   any
	stored string
}

// literalTypes are the types under test by their names in Postgres.
var literalTypes = map[string]*schema.Type{
	"bool":          {Kind: schema.Bool},
	"int2":          {Kind: schema.Int2},
	"int4":          {Kind: schema.Int4},
	"int8":          {Kind: schema.Int8},
	"float4":        {Kind: schema.Float4},
	"float8":        {Kind: schema.Float8},
	"numeric":       {Kind: schema.Numeric},
	"uuid":          {Kind: schema.UUID},
	"text":          {Kind: schema.Text},
	"inet":          {Kind: schema.Text},
	"int4range":     {Kind: schema.Range, Elem: &schema.Type{Kind: schema.Int4}},
	"post_status":   {Kind: schema.Enum, Labels: []string{"draft", "in review", "published"}},
	"positive":      {Kind: schema.Domain, Elem: &schema.Type{Kind: schema.Domain, Elem: &schema.Type{Kind: schema.Int4}}},
	"timestamptz":   {Kind: schema.Timestamptz},
	"timestamp":     {Kind: schema.Timestamp},
	"date":          {Kind: schema.Date},
	"time":          {Kind: schema.Time},
	"timetz":        {Kind: schema.Timetz},
	"interval":      {Kind: schema.Interval},
	"bytea":         {Kind: schema.Bytea},
	"json":          {Kind: schema.JSON},
	"jsonb":         {Kind: schema.JSONB},
	"int4[]":        {Kind: schema.Array, Elem: &schema.Type{Kind: schema.Int4}},
	"literal_point": {Kind: schema.Composite},
}

var accepted = map[string][]literalCase{
	"bool": {{"true", true, ""}, {"false", false, ""}},
	"int2": {{"0", int64(0), ""}, {"-0", int64(0), "0"}, {"007", int64(7), "7"}, {"32767", int64(32767), ""}, {"-32768", int64(-32768), ""}},
	"int4": {{"2147483647", int64(2147483647), ""}, {"-2147483648", int64(-2147483648), ""}},
	"int8": {{"9223372036854775807", int64(math.MaxInt64), ""}, {"-9223372036854775808", int64(math.MinInt64), ""}},
	"float4": {
		{"0.1", float64(float32(0.1)), "0.1"}, {"-.5e1", -5.0, "-5"}, {"3.4028235e38", float64(float32(math.MaxFloat32)), "3.4028235e+38"},
		{"1e-45", float64(float32(math.SmallestNonzeroFloat32)), "1e-45"}, {"NaN", math.NaN(), "NaN"}, {"-Infinity", math.Inf(-1), "-Infinity"},
	},
	"float8": {
		{"0.1", 0.1, "0.1"}, {"1.", 1.0, "1"}, {"-0", math.Copysign(0, -1), "-0"}, {"0e999", 0.0, "0"}, {"1E+2", 100.0, "100"},
		{"1.7976931348623157e308", math.MaxFloat64, "1.7976931348623157e+308"}, {"5e-324", math.SmallestNonzeroFloat64, "5e-324"},
		{"NaN", math.NaN(), "NaN"}, {"Infinity", math.Inf(1), "Infinity"},
	},
	"numeric": {
		{"1.50", "1.50", ""}, {"-0.000", "-0.000", "0.000"}, {".5", ".5", "0.5"}, {"5.", "5.", "5"}, {"1e3", "1e3", "1000"}, {"1.5E-3", "1.5E-3", "0.0015"},
		{"123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789", ""},
		{"NaN", "NaN", ""}, {"Infinity", "Infinity", ""}, {"-Infinity", "-Infinity", ""},
		{"1e131071", "1e131071", "1" + strings.Repeat("0", 131071)}, {"1e-16383", "1e-16383", "0." + strings.Repeat("0", 16382) + "1"},
	},
	"uuid": {
		{"018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d60", "018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d60", ""},
		{"018F2F3E-7A64-7C1B-9F2D-3C5B8A1E4D60", "018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d60", ""},
		{"018f2f3e7a647c1b9f2d3c5b8a1e4d60", "018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d60", ""},
	},
	"text":        {{"", "", ""}, {" a%_\\'\"\n€😀", " a%_\\'\"\n€😀", ""}},
	"inet":        {{"10.0.0.1/8", "10.0.0.1/8", ""}, {"::1", "::1", "::1/128"}},
	"int4range":   {{"[1,5)", "[1,5)", ""}, {"empty", "empty", ""}, {"(,3]", "(,3]", "(,4)"}},
	"post_status": {{"draft", "draft", ""}, {"in review", "in review", ""}},
	"positive":    {{"12", int64(12), ""}},
	"timestamptz": {
		{"2024-01-31T15:04:05Z", "2024-01-31 15:04:05+00", ""},
		{"2024-01-31t15:04:05z", "2024-01-31 15:04:05+00", ""},
		{"2024-01-31 15:04:05.123456Z", "2024-01-31 15:04:05.123456+00", ""},
		{"2024-01-31T15:04:05.120Z", "2024-01-31 15:04:05.12+00", ""},
		{"2024-01-31T15:04:05+02:00", "2024-01-31 13:04:05+00", ""},
		{"2024-01-31T15:04-0330", "2024-01-31 18:34:00+00", ""},
		{"2024-01-01T00:30+05:45:30", "2023-12-31 18:44:30+00", ""},
		{"2024-01-31T15:04+02", "2024-01-31 13:04:00+00", ""},
		{"2024-01-31T15:04:05", "2024-01-31 15:04:05+00", ""},
		{"2024-02-29", "2024-02-29 00:00:00+00", ""},
		{"2024-12-31T24:00:00Z", "2025-01-01 00:00:00+00", ""},
		{"0001-01-01", "0001-01-01 00:00:00+00", ""},
		{"0000-12-31T23:59:59Z", "0001-12-31 23:59:59+00 BC", ""},
		{"-000043-03-15", "0044-03-15 00:00:00+00 BC", ""},
		{"-004713-11-24T00:00:00Z", "4714-11-24 00:00:00+00 BC", ""},
		{"+010000-01-01T00:00:00Z", "10000-01-01 00:00:00+00", ""},
		{"+002024-01-01", "2024-01-01 00:00:00+00", ""},
		{"+294276-12-31T23:59:59.999999Z", "294276-12-31 23:59:59.999999+00", ""},
		{"+294277-01-01T00:30:00+01:00", "294276-12-31 23:30:00+00", ""},
		{"infinity", "infinity", ""}, {"-infinity", "-infinity", ""},
	},
	"timestamp": {
		{"2024-01-31T15:04:05+02:00", "2024-01-31 13:04:05", ""},
		{"2024-01-31T15:04:05.5", "2024-01-31 15:04:05.5", ""},
		{"2024-01-02", "2024-01-02 00:00:00", ""},
		{"-004713-11-24", "4714-11-24 00:00:00 BC", ""},
		{"+294276-12-31T23:59:59.999999", "294276-12-31 23:59:59.999999", ""},
		{"infinity", "infinity", ""},
	},
	"date": {
		{"2024-02-29", "2024-02-29", ""}, {"2024-01-02", "2024-01-02", ""}, {"0099-01-02", "0099-01-02", ""},
		{"0000-01-02", "0001-01-02 BC", ""}, {"-004713-11-24", "4714-11-24 BC", ""}, {"+010000-01-01", "10000-01-01", ""},
		{"+5874897-12-31", "5874897-12-31", ""}, {"infinity", "infinity", ""}, {"-infinity", "-infinity", ""},
	},
	"time": {
		{"15:04", "15:04:00", ""}, {"15:04:05", "15:04:05", ""}, {"00:00:00.000001", "00:00:00.000001", ""},
		{"23:59:59.999999", "23:59:59.999999", ""}, {"24:00:00", "24:00:00", ""}, {"01:02:03.500", "01:02:03.5", ""},
	},
	"timetz": {
		{"15:04:05+02:00", "15:04:05+02:00:00", "15:04:05+02"}, {"15:04:05", "15:04:05+00:00:00", "15:04:05+00"},
		{"15:04Z", "15:04:00+00:00:00", "15:04:00+00"}, {"15:04:05.25-0330", "15:04:05.25-03:30:00", "15:04:05.25-03:30"},
		{"24:00+15:59:59", "24:00:00+15:59:59", ""}, {"00:00:00-15:59", "00:00:00-15:59:00", "00:00:00-15:59"},
	},
	"interval": {
		{"P1DT2H", "P0M1DT2H0.000000S", "P1DT2H"}, {"P1Y2M3W4D", "P14M25DT0H0.000000S", "P1Y2M25D"},
		{"PT0S", "P0M0DT0H0.000000S", "PT0S"}, {"PT0.5S", "P0M0DT0H0.500000S", "PT0.5S"}, {"PT-0.000001S", "P0M0DT0H-0.000001S", "PT-0.000001S"},
		{"-P1DT-2H30M", "P0M-1DT1H1800.000000S", "P-1DT1H30M"}, {"PT1H-90M", "P0M0DT0H-1800.000000S", "PT-30M"},
		{"P2147483647D", "P0M2147483647DT0H0.000000S", "P2147483647D"}, {"P-178956970Y-8M", "P-2147483648M0DT0H0.000000S", "P-178956970Y-8M"},
		{"PT9223372036854.775807S", "P0M0DT2562047788H54.775807S", "PT2562047788H54.775807S"},
	},
	"bytea": {
		{"AA==", []byte{0}, `\x00`}, {"+/+/", []byte{0xfb, 0xff, 0xbf}, `\xfbffbf`}, {base64.StdEncoding.EncodeToString([]byte("é\x00")), []byte("é\x00"), `\xc3a900`},
	},
	"json":  {{`{"a": [1, "x", null]}`, `{"a": [1, "x", null]}`, ""}, {`null`, `null`, ""}},
	"jsonb": {{`{"a":1e2}`, `{"a":1e2}`, `{"a": 100}`}, {`"x"`, `"x"`, ""}},
}

var refused = map[string]struct {
	texts []string
	want  string // the sentence's end
}{
	"bool":    {[]string{"", "t", "TRUE", "1", "yes", " true"}, "true or false"},
	"int2":    {[]string{"", "-", "32768", "-32769", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "1_000", "--1", "٣"}, "a whole number from -32768 to 32767"},
	"int4":    {[]string{"abc", "2147483648", "99999999999999999999999"}, "a whole number from -2147483648 to 2147483647"},
	"int8":    {[]string{"9223372036854775808", "-9223372036854775809"}, "a whole number from -9223372036854775808 to 9223372036854775807"},
	"float4":  {[]string{"3.5e38", "-1e39", "1e-46"}, "in the range of a floating-point number of 32 bits"},
	"float8":  {[]string{"", ".", "e5", "1e", "1e+", "1e+-5", "nan", "inf", "+1", "0x1p3", "1_0", "1,5", " 1", "--1"}, "a number, NaN, Infinity or -Infinity"},
	"numeric": {[]string{"", "-", ".", "1e", "nan", "+Infinity", "1 ", "1.2.3", "1e1.5", "١"}, "a number, NaN, Infinity or -Infinity"},
	"uuid": {[]string{"", "018f2f3e", "{018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d60}", "018f2f3e7a64-7c1b-9f2d-3c5b8a1e4d60", "018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d6g", "018f-2f3e7a64-7c1b-9f2d-3c5b8a1e4d60", "018f2f3e-7a64-7c1b-9f2d-3c5b8a1e-d60"},
		"a UUID such as 018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d60"},
	"text":        {[]string{"a\x00b"}, "text without NUL characters"},
	"inet":        {[]string{"\xff"}, "text in UTF-8"},
	"post_status": {[]string{"", "Draft", "gone"}, "one of draft, in review, published"},
	"positive":    {[]string{"x"}, "a whole number from -2147483648 to 2147483647"},
	"timestamptz": {[]string{"", "now", "2024", "2024-01", "2024-1-31", "20240131", "2024-01-31T", "2024-01-31T15", "2024-01-31T15:4", "2024-01-31T15:04:", "2024-01-31T25:00",
		"2024-01-31T24:00:01", "2024-01-31T15:60", "2024-01-31T15:04:60", "2024-01-31T15:04:05.", "2024-01-31T15:04:05.1234567", "2024-01-31T15:04:05,5", "2024-01-31Z",
		"2024-01-31T15:04:05+1", "2024-01-31T15:04:05+16:00", "2024-01-31T15:04:05+02:60", "2024-01-31T15:04:05+02:00:", "2024-01-31T15:04:05+02:00:00:00", "2024-01-31T15:04:05Zx",
		"2024-01-31  15:04:05", "10000-01-01", "-0044-03-15", "-000000-01-01", "+02024-01-01", "2024-01-31 BC", "Infinity", "2024-01-31T15:04:05 Europe/Oslo"},
		"a time in ISO 8601 such as 2024-01-31T15:04:05.123Z, with at most 6 digits after the point"},
	"timestamp": {[]string{"2024-01-31T15:04:05 02:00", "2024-01-31T15:04 0200", "2024-01-31 15:04:05.5 01"}, "a time; in a URL the + of an offset is written %2B"},
	"date":      {[]string{"", "today", "31.01.2024", "2024-01-31T00:00:00Z", "2024-01-31 ", "+58748970-01-01", "2024/01/31"}, "a date such as 2024-01-31"},
	"time":      {[]string{"", "15", "15:04:05Z", "15:04:05+02:00", "24:00:00.000001", "15:04:05.1234567", "3:04 PM", "T15:04"}, "a time of day such as 15:04:05.123456"},
	"timetz":    {[]string{"", "15:04:05+16", "15:04:05 Z", "15:04:05+02:00:0", "25:00Z"}, "a time of day with an offset such as 15:04:05+02:00"},
	"interval": {[]string{"", "P", "PT", "P1DT", "1 day", "P1", "P1H", "PT1D", "P1.5D", "PT1.5H", "PT0,5S", "PT.5S", "PT1.S", "PT1.1234567S", "P1D1Y", "P1D2D", "p1d", "P--1D", "P1DT2HT3M", "--P1D", "P1D "},
		errDuration.Error()},
	"bytea":         {[]string{"", "AA", "AA=", "AB==", "-_-_", "AA==\n", "%%%%"}, "Base64 with padding, in the standard alphabet"},
	"json":          {[]string{"", "{", "{'a':1}", `{"a":1}x`, `"\ud800"`, "NaN"}, "valid JSON"},
	"jsonb":         {[]string{"undefined"}, "valid JSON"},
	"int4[]":        {[]string{"{1,2}"}, "comparable: a comparison with a whole array is not supported"},
	"literal_point": {[]string{"(1,2)"}, "comparable: a comparison with a whole object is not supported"},
}

func TestLiteral(t *testing.T) {
	for name, cases := range accepted {
		for _, c := range cases {
			got, err := literal(literalTypes[name], c.text)
			if err != nil {
				t.Errorf("%s: %.60q is not %v", name, c.text, err)
			} else if fmt.Sprintf("%T %[1]v", got) != fmt.Sprintf("%T %[1]v", c.want) {
				t.Errorf("%s: %.60q is %T %[3]v, want %T %[4]v", name, c.text, got, c.want)
			}
		}
	}
}

func TestLiteralRefused(t *testing.T) {
	for name, cases := range refused {
		for _, text := range cases.texts {
			if got, err := literal(literalTypes[name], text); err == nil {
				t.Errorf("%s: %q is %v, want it refused", name, text, got)
			} else if err.Error() != cases.want {
				t.Errorf("%s: %q is not %v; want %s", name, text, err, cases.want)
			}
		}
	}
}

func TestLiteralOutOfRange(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"float8", "1e309", "in the range of a floating-point number of 64 bits"},
		{"float8", "1e-325", "in the range of a floating-point number of 64 bits"},
		{"numeric", "1e131072", "a number of at most 131072 digits before the point and 16383 after it"},
		{"numeric", "1e-16384", "a number of at most 131072 digits before the point and 16383 after it"},
		{"numeric", "1e99999999999999999999", "a number of at most 131072 digits before the point and 16383 after it"},
		{"date", "2023-02-29", "a day of the calendar"},
		{"date", "1900-02-29", "a day of the calendar"},
		{"date", "2024-13-01", "a day of the calendar"},
		{"date", "2024-00-10", "a day of the calendar"},
		{"date", "2024-04-31", "a day of the calendar"},
		{"date", "-004713-11-23", "a date from -004713-11-24 (4714 BC) to +5874897-12-31"},
		{"date", "+5874898-01-01", "a date from -004713-11-24 (4714 BC) to +5874897-12-31"},
		{"timestamptz", "2024-02-30T00:00:00Z", "a day of the calendar"},
		{"timestamptz", "+294277-01-01", "a time from -004713-11-24T00:00:00Z (4714 BC) to +294276-12-31T23:59:59.999999Z"},
		{"timestamptz", "-004713-11-24T00:00:00+01:00", "a time from -004713-11-24T00:00:00Z (4714 BC) to +294276-12-31T23:59:59.999999Z"},
		{"timetz", "15:04:05 02:00", "a time; in a URL the + of an offset is written %2B"},
		{"interval", "P2147483648D", "in the range of intervals"},
		{"interval", "P178956971Y", "in the range of intervals"},
		{"interval", "PT9223372036854.775808S", "in the range of intervals"},
		{"interval", "PT2562047789H", "in the range of intervals"},
		{"interval", "P99999999999999999999D", "in the range of intervals"},
		{"bytea", "+/ /", "Base64; in a URL its + is written %2B"},
	} {
		if got, err := literal(literalTypes[c.name], c.text); err == nil {
			t.Errorf("%s: %q is %v, want it refused", c.name, c.text, got)
		} else if err.Error() != c.want {
			t.Errorf("%s: %q is not %v; want %s", c.name, c.text, err, c.want)
		}
	}
}

func TestLiteralListsLabelsInPart(t *testing.T) {
	var labels []string
	for i := range 25 {
		labels = append(labels, fmt.Sprint("l", i))
	}
	_, err := literal(&schema.Type{Kind: schema.Enum, Labels: labels}, "x")
	if err == nil || !strings.HasSuffix(err.Error(), "l18, l19 and 5 more") {
		t.Errorf("the detail is %v", err)
	}
}
