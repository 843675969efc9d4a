package encode

import (
	"testing"

	"github.com/resourcery/resourcery/sqlgen"
)

const date = `["Date"]`

var timeCases = []valueCase{
	{typ: "timestamptz", sql: "'2024-05-06 07:08:09+02'", want: `"2024-05-06T05:08:09.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'2000-01-01 00:00:00+00'", want: `"2000-01-01T00:00:00.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'1999-12-31 23:59:59.999999+00'", want: `"1999-12-31T23:59:59.999999Z"`, notes: date},
	{typ: "timestamptz", sql: "'1970-01-01 00:00:00.12+00'", want: `"1970-01-01T00:00:00.120Z"`, notes: date},
	{typ: "timestamptz", sql: "'1970-01-01 00:00:00.12345+00'", want: `"1970-01-01T00:00:00.12345Z"`, notes: date},
	{typ: "timestamptz", sql: "'1970-01-01 00:00:00.0001+00'", want: `"1970-01-01T00:00:00.0001Z"`, notes: date},
	{typ: "timestamptz", sql: "'1970-01-01 00:00:00.000001+00'", want: `"1970-01-01T00:00:00.000001Z"`, notes: date},
	{typ: "timestamptz", sql: "'1900-03-01 00:00:00+00'", want: `"1900-03-01T00:00:00.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'2000-02-29 12:00:00+00'", want: `"2000-02-29T12:00:00.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'9999-12-31 23:59:59.999+00'", want: `"9999-12-31T23:59:59.999Z"`, notes: date},
	{typ: "timestamptz", sql: "'10000-01-01 00:00:00+00'", want: `"+010000-01-01T00:00:00.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'294276-12-31 23:59:59.999999+00'", want: `"+294276-12-31T23:59:59.999999Z"`, notes: date},
	{typ: "timestamptz", sql: "'0001-01-01 00:00:00+00'", want: `"0001-01-01T00:00:00.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'0001-12-31 23:59:59+00 BC'", want: `"0000-12-31T23:59:59.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'0001-02-29 00:00:00+00 BC'", want: `"0000-02-29T00:00:00.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'0044-03-15 12:00:00+00 BC'", want: `"-000043-03-15T12:00:00.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'4714-11-24 00:00:00+00 BC'", want: `"-004713-11-24T00:00:00.000Z"`, notes: date},
	{typ: "timestamptz", sql: "'infinity'", want: `"infinity"`},
	{typ: "timestamptz", sql: "'-infinity'", want: `"-infinity"`},
	{typ: "timestamp", sql: "'2024-05-06 07:08:09'", want: `"2024-05-06T07:08:09.000Z"`, notes: date},
	{typ: "timestamp", sql: "'0044-03-15 12:00:00 BC'", want: `"-000043-03-15T12:00:00.000Z"`, notes: date},
	{typ: "timestamp", sql: "'294276-12-31 23:59:59.5'", want: `"+294276-12-31T23:59:59.500Z"`, notes: date},
	{typ: "timestamp", sql: "'infinity'", want: `"infinity"`},
	{typ: "timestamp", sql: "'-infinity'", want: `"-infinity"`},

	{typ: "date", sql: "'2024-02-29'", want: `"2024-02-29"`},
	{typ: "date", sql: "'0001-01-01'", want: `"0001-01-01"`},
	{typ: "date", sql: "'0001-01-01 BC'", want: `"0000-01-01"`},
	{typ: "date", sql: "'0044-03-15 BC'", want: `"-000043-03-15"`},
	{typ: "date", sql: "'4714-11-24 BC'", want: `"-004713-11-24"`},
	{typ: "date", sql: "'12024-02-29'", want: `"+012024-02-29"`},
	{typ: "date", sql: "'5874897-12-31'", want: `"+5874897-12-31"`},
	{typ: "date", sql: "'infinity'", want: `"infinity"`},
	{typ: "date", sql: "'-infinity'", want: `"-infinity"`},

	{typ: "time", sql: "'00:00'", want: `"00:00:00"`},
	{typ: "time", sql: "'15:04:05.999999'", want: `"15:04:05.999999"`},
	{typ: "time", sql: "'15:04:05.5'", want: `"15:04:05.5"`},
	{typ: "time", sql: "'15:04:05.000010'", want: `"15:04:05.00001"`},
	{typ: "time", sql: "'24:00'", want: `"24:00:00"`},
	{typ: "timetz", sql: "'15:04:05+02'", want: `"15:04:05+02:00"`},
	{typ: "timetz", sql: "'15:04:05.25-05:30'", want: `"15:04:05.25-05:30"`},
	{typ: "timetz", sql: "'15:04:05-00:00:01'", want: `"15:04:05-00:00:01"`},
	{typ: "timetz", sql: "'15:04:05+15:59:59'", want: `"15:04:05+15:59:59"`},
	{typ: "timetz", sql: "'24:00:00+00'", want: `"24:00:00+00:00"`},

	{typ: "interval", sql: "'0'", want: `"PT0S"`},
	{typ: "interval", sql: "'1 day 2 hours'", want: `"P1DT2H"`},
	{typ: "interval", sql: "'1 year 2 mons -3 days 4 hours 5 minutes 6.789 seconds'", want: `"P1Y2M-3DT4H5M6.789S"`},
	{typ: "interval", sql: "'-1 year -2 mons 3 days -04:05:06.789'", want: `"P-1Y-2M3DT-4H-5M-6.789S"`},
	{typ: "interval", sql: "'-0.000001 seconds'", want: `"PT-0.000001S"`},
	{typ: "interval", sql: "'14 months'", want: `"P1Y2M"`},
	{typ: "interval", sql: "'36 hours'", want: `"PT36H"`},
	{typ: "interval", sql: "'60 seconds'", want: `"PT1M"`},
	{typ: "interval", sql: "'-178000000 years'", want: `"P-178000000Y"`},
	{typ: "interval", sql: "'2562047788:00:54.775807'", want: `"PT2562047788H54.775807S"`},
}

// TestTimesAgree is TestNumbersAgree for dates and times: over the whole range
// of the calendar, and around every end of February in a thousand years.
func TestTimesAgree(t *testing.T) {
	agree(t, "timestamptz", "SELECT '4714-11-24 00:00:00+00 BC'::timestamptz + random() * interval '298989 years' FROM generate_series(1, 2000)")
	agree(t, "timestamptz", "SELECT '1850-01-01'::timestamptz + random() * interval '200 years' FROM generate_series(1, 2000)")
	agree(t, "timestamp", "SELECT '4714-11-24 00:00:00 BC'::timestamp + random() * interval '10000 years' FROM generate_series(1, 2000)")
	agree(t, "date", "SELECT make_date(year, 2, 27) + day FROM generate_series(-500, 500) year, generate_series(0, 3) day WHERE year <> 0")
	agree(t, "date", "SELECT '4714-11-24 BC'::date + (random() * 2000000000)::int4 FROM generate_series(1, 2000)")
	agree(t, "time", "SELECT '00:00'::time + random() * interval '1 day' FROM generate_series(1, 2000)")
	agree(t, "timetz", "SELECT timetz '00:00:00+00' + random() * interval '1 day' FROM generate_series(1, 2000)")
	agree(t, "interval", `SELECT make_interval(months => ((random() - 0.5) * 100)::int4, days => ((random() - 0.5) * 100)::int4 * (i % 2), secs => (random() - 0.5) * 10 ^ (i % 8))
		FROM generate_series(1, 2000) i`)
	agree(t, "tsrange", "SELECT tsrange(a, a + random() * interval '9000 years', '[]') FROM (SELECT '4000-01-01 BC'::timestamp + random() * interval '9000 years' a FROM generate_series(1, 2000)) x")
	agree(t, "tstzrange", "SELECT tstzrange(a, a + random() * interval '9000 years', '(]') FROM (SELECT '4000-01-01 BC'::timestamptz + random() * interval '9000 years' a FROM generate_series(1, 2000)) x")
	agree(t, "intervalrange", "SELECT intervalrange(a, a + interval '1 day') FROM (SELECT (random() - 0.5) * interval '2 years 3 days 4 hours' a FROM generate_series(1, 2000)) x")
}

// TestAppendIntervalInfinite is for servers from 17 on, which alone have
// infinite intervals.
func TestAppendIntervalInfinite(t *testing.T) {
	for raw, want := range map[string]string{
		"\x7f\xff\xff\xff\xff\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff": `"infinity"`,
		"\x80\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x80\x00\x00\x00": `"-infinity"`,
	} {
		if got, err := appendValue(nil, nil, valueTypes["interval"], sqlgen.Binary, []byte(raw)); err != nil || string(got) != want {
			t.Errorf("got %s and error %v, want %s", got, err, want)
		}
	}
}
