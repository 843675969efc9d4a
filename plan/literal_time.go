package plan

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// What Postgres can hold: from the first day of the Julian period, which is in
// 4714 BC of the calendar that ISO 8601 carries back, up to but not including.
var (
	firstDay     = time.Date(-4713, time.November, 24, 0, 0, 0, 0, time.UTC)
	timestampEnd = time.Date(294277, time.January, 1, 0, 0, 0, 0, time.UTC)
	dateEnd      = time.Date(5874898, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// errMalformed is what the parts say; the whole says what it should look like.
var (
	errMalformed = errors.New("malformed")
	errInstant   = errors.New("a time in ISO 8601 such as 2024-01-31T15:04:05.123Z, with at most 6 digits after the point")
	errTimetz    = errors.New("a time of day with an offset such as 15:04:05+02:00")
)

func timestamptz(s string) (any, error) {
	if isInfinite(s) {
		return s, nil
	}
	t, err := instant(s)
	if err != nil {
		return nil, err
	}
	return postgresTime(t, "+00"), nil
}

// timestamp takes the value as UTC and converts it, as Postgres would drop an
// offset without a word.
func timestamp(s string) (any, error) {
	if isInfinite(s) {
		return s, nil
	}
	t, err := instant(s)
	if err != nil {
		return nil, err
	}
	return postgresTime(t, ""), nil
}

func date(s string) (any, error) {
	if isInfinite(s) {
		return s, nil
	}
	c := cursor{s}
	day, err := c.day()
	switch {
	case errors.Is(err, errMalformed), err == nil && c.rest != "":
		return nil, errors.New("a date such as 2024-01-31")
	case err != nil:
		return nil, err
	case day.Before(firstDay) || !day.Before(dateEnd):
		return nil, errors.New("a date from -004713-11-24 (4714 BC) to +5874897-12-31")
	}
	year, era := postgresYear(day)
	return year + day.Format("-01-02") + era, nil
}

func timeOfDay(s string) (any, error) {
	c := cursor{s}
	at, ok := c.clock()
	if !ok || c.rest != "" {
		return nil, errors.New("a time of day such as 15:04:05.123456")
	}
	return postgresClock(at), nil
}

// timetz takes a value without an offset as UTC, not as the session's zone.
func timetz(s string) (any, error) {
	c := cursor{s}
	at, ok := c.clock()
	if ok && c.plusLost() {
		return nil, errPlusLost
	}
	offset, known := c.offset()
	if !ok || !known {
		return nil, errTimetz
	}
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	seconds := int(offset / time.Second)
	return fmt.Sprintf("%s%c%02d:%02d:%02d", postgresClock(at), sign, seconds/3600, seconds/60%60, seconds%60), nil
}

func isInfinite(s string) bool { return s == "infinity" || s == "-infinity" }

// errPlusLost is for the commonest slip with times in URLs.
var errPlusLost = errors.New("a time; in a URL the + of an offset is written %2B")

// instant reads a day, and a time of day and an offset where they are given;
// midnight and UTC stand for them.
func instant(s string) (time.Time, error) {
	c := cursor{s}
	t, err := c.day()
	if errors.Is(err, errMalformed) {
		return time.Time{}, errInstant
	}
	if err != nil {
		return time.Time{}, err
	}
	if c.rest != "" {
		separated := c.take("Tt ")
		at, ok := c.clock()
		if ok && c.plusLost() {
			return time.Time{}, errPlusLost
		}
		offset, known := c.offset()
		if !separated || !ok || !known {
			return time.Time{}, errInstant
		}
		t = t.Add(at - offset)
	}
	if t.Before(firstDay) || !t.Before(timestampEnd) {
		return time.Time{}, errors.New("a time from -004713-11-24T00:00:00Z (4714 BC) to +294276-12-31T23:59:59.999999Z")
	}
	return t, nil
}

// postgresTime writes an instant in the ISO form that Postgres reads in every
// DateStyle.
func postgresTime(t time.Time, zone string) string {
	year, era := postgresYear(t)
	return year + t.Format("-01-02 15:04:05.999999") + zone + era
}

// postgresYear turns the year 0 of ISO 8601 into 1 BC, -1 into 2 BC.
func postgresYear(t time.Time) (year, era string) {
	if y := t.Year(); y > 0 {
		return fmt.Sprintf("%04d", y), ""
	}
	return fmt.Sprintf("%04d", 1-t.Year()), " BC"
}

// postgresClock writes 24:00:00 as such, which a time.Time cannot.
func postgresClock(at time.Duration) string {
	seconds := int(at / time.Second)
	text := fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if micros := at % time.Second / time.Microsecond; micros != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%06d", micros), "0")
	}
	return text
}

// A cursor reads the parts of a date, time or duration off the front of a text.
type cursor struct{ rest string }

// day reads `2024-01-31`. A year with a sign has six or seven digits and counts
// 1 BC as 0 (contract, section 6).
func (c *cursor) day() (time.Time, error) {
	negative := strings.HasPrefix(c.rest, "-")
	low, high := 4, 4
	if c.take("+-") {
		low, high = 6, 7
	}
	year, okYear := c.number(low, high)
	okMonth := c.take("-")
	month, okDigits := c.number(2, 2)
	okDay := c.take("-")
	day, okEnd := c.number(2, 2)
	if !okYear || !okMonth || !okDigits || !okDay || !okEnd || negative && year == 0 {
		return time.Time{}, errMalformed
	}
	if negative {
		year = -year
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Month() != time.Month(month) || t.Day() != day {
		return time.Time{}, errors.New("a day of the calendar")
	}
	return t, nil
}

// clock reads `15:04`, `15:04:05` or `15:04:05.123456`, and 24:00 for the end
// of the day.
func (c *cursor) clock() (at time.Duration, ok bool) {
	hour, ok := c.number(2, 2)
	if !ok || !c.take(":") {
		return 0, false
	}
	minute, ok := c.number(2, 2)
	if !ok {
		return 0, false
	}
	second, micros := 0, 0
	if c.take(":") {
		if second, ok = c.number(2, 2); !ok {
			return 0, false
		}
		if c.take(".") {
			if micros, ok = c.micros(); !ok {
				return 0, false
			}
		}
	}
	at = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second + time.Duration(micros)*time.Microsecond
	return at, minute < 60 && second < 60 && at <= 24*time.Hour
}

// micros reads one to six digits after a point.
func (c *cursor) micros() (int, bool) {
	before := len(c.rest)
	n, ok := c.number(1, 6)
	for range 6 - (before - len(c.rest)) {
		n *= 10
	}
	return n, ok
}

// offset reads `Z`, `+02`, `+02:00`, `+0200` or `+02:00:30` to the end of the
// text; nothing is UTC.
func (c *cursor) offset() (offset time.Duration, ok bool) {
	if c.take("Zz") || c.rest == "" {
		return 0, c.rest == ""
	}
	negative := strings.HasPrefix(c.rest, "-")
	if !c.take("+-") {
		return 0, false
	}
	var parts [3]int
	for i := range parts {
		if i > 0 && c.rest == "" {
			break
		}
		colon := i > 0 && c.take(":")
		if parts[i], ok = c.number(2, 2); !ok || i == 2 && !colon {
			return 0, false
		}
	}
	// Postgres knows offsets of less than 16 hours.
	if c.rest != "" || parts[0] > 15 || parts[1] > 59 || parts[2] > 59 {
		return 0, false
	}
	offset = time.Duration(parts[0]*3600+parts[1]*60+parts[2]) * time.Second
	if negative {
		offset = -offset
	}
	return offset, true
}

// plusLost reports whether an offset follows whose + became a blank.
func (c *cursor) plusLost() bool {
	rest, ok := strings.CutPrefix(c.rest, " ")
	if !ok {
		return false
	}
	_, ok = (&cursor{"+" + rest}).offset()
	return ok
}

// take takes one byte if it is in the set.
func (c *cursor) take(set string) bool {
	if c.rest == "" || strings.IndexByte(set, c.rest[0]) < 0 {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

// number takes at most high digits and reports whether there were low of them.
func (c *cursor) number(low, high int) (n int, ok bool) {
	i := 0
	for ; i < min(high, len(c.rest)) && '0' <= c.rest[i] && c.rest[i] <= '9'; i++ {
		n = n*10 + int(c.rest[i]-'0')
	}
	c.rest = c.rest[i:]
	return n, i >= low
}
