package encode

import (
	"encoding/binary"
	"math"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// Instants are microseconds, dates are days, both since 2000-01-01 as in
// Postgres. These two stand for its infinities, in dates as well.
const (
	infinity      = math.MaxInt64
	minusInfinity = math.MinInt64
)

const (
	microsPerSecond = 1_000_000
	secondsPerDay   = 86_400
	microsPerDay    = secondsPerDay * microsPerSecond
)

// instantOf reads a timestamp; one without time zone is taken as UTC.
func instantOf(t *schema.Type, f sqlgen.Format, raw []byte) (int64, error) {
	if f == sqlgen.Text {
		if v, ok := parseInstant(raw); ok {
			return v, nil
		}
		return 0, broken(t, raw)
	}
	if len(raw) != 8 {
		return 0, broken(t, raw)
	}
	return int64(binary.BigEndian.Uint64(raw)), nil
}

// daysOf reads a date.
func daysOf(t *schema.Type, f sqlgen.Format, raw []byte) (int64, error) {
	if f == sqlgen.Text {
		if v, ok := parseDays(raw); ok {
			return v, nil
		}
		return 0, broken(t, raw)
	}
	if len(raw) != 4 {
		return 0, broken(t, raw)
	}
	switch v := int32(binary.BigEndian.Uint32(raw)); v {
	case math.MaxInt32:
		return infinity, nil
	case math.MinInt32:
		return minusInfinity, nil
	default:
		return int64(v), nil
	}
}

// clockOf reads a time as microseconds since midnight; 24:00 is a time too.
func clockOf(t *schema.Type, f sqlgen.Format, raw []byte) (int64, error) {
	if f == sqlgen.Text {
		if v, rest, ok := parseClock(raw); ok && len(rest) == 0 {
			return v, nil
		}
		return 0, broken(t, raw)
	}
	if len(raw) != 8 {
		return 0, broken(t, raw)
	}
	return int64(binary.BigEndian.Uint64(raw)), nil
}

// zonedClockOf reads a time with its offset in seconds east of UTC.
func zonedClockOf(t *schema.Type, f sqlgen.Format, raw []byte) (micros, east int64, err error) {
	if f == sqlgen.Text {
		micros, rest, ok := parseClock(raw)
		if ok {
			east, ok = parseOffset(rest)
		}
		if !ok {
			return 0, 0, broken(t, raw)
		}
		return micros, east, nil
	}
	if len(raw) != 12 {
		return 0, 0, broken(t, raw)
	}
	west := int64(int32(binary.BigEndian.Uint32(raw[8:])))
	return int64(binary.BigEndian.Uint64(raw)), -west, nil
}

// appendInstant appends ISO 8601 in UTC with 3 to 6 fraction digits.
func appendInstant(dst []byte, v int64) []byte {
	if v == infinity || v == minusInfinity {
		return appendInfinity(dst, v)
	}
	days, micros := divide(v, microsPerDay)
	year, month, day := civil(days)
	if year < 0 || year > 9999 {
		dst = append(appendDate(dst, days), 'T')
		return append(appendClock(dst, micros, 3), 'Z')
	}
	mark := len(dst)
	dst = append(dst, instantForm...)
	text := (*[len(instantForm)]byte)(dst[mark:])
	seconds, fraction := uint32(micros/microsPerSecond), uint32(micros%microsPerSecond)
	putPair(text[0:2], uint32(year)/100)
	putPair(text[2:4], uint32(year)%100)
	putPair(text[5:7], uint32(month))
	putPair(text[8:10], uint32(day))
	putPair(text[11:13], seconds/3600)
	putPair(text[14:16], seconds/60%60)
	putPair(text[17:19], seconds%60)
	putPair(text[20:22], fraction/10_000)
	putPair(text[22:24], fraction/100%100)
	putPair(text[24:26], fraction%100)
	end := mark + len("0000-00-00T00:00:00.000000")
	for width := 6; width > 3 && dst[end-1] == '0'; width-- {
		end--
	}
	return append(dst[:end], 'Z')
}

// instantForm is an instant of four-digit years with all its digits to be put in.
const instantForm = "0000-00-00T00:00:00.000000Z"

// appendDate appends a date of ISO 8601. Years outside of 0 to 9999 have a sign
// and six digits, seven where it takes them; the year before 1 is 0.
func appendDate(dst []byte, days int64) []byte {
	if days == infinity || days == minusInfinity {
		return appendInfinity(dst, days)
	}
	year, month, day := civil(days)
	switch {
	case year < 0:
		dst = appendPadded(append(dst, '-'), -year, 6)
	case year > 9999:
		dst = appendPadded(append(dst, '+'), year, 6)
	default:
		dst = appendPair(appendPair(dst, year/100), year%100)
	}
	dst = appendPair(append(dst, '-'), month)
	return appendPair(append(dst, '-'), day)
}

func appendInfinity(dst []byte, v int64) []byte {
	if v < 0 {
		dst = append(dst, '-')
	}
	return append(dst, "infinity"...)
}

// appendClock appends a time of day with at least that many fraction digits.
func appendClock(dst []byte, micros int64, least int) []byte {
	seconds := micros / microsPerSecond
	dst = appendPair(dst, seconds/3600)
	dst = appendPair(append(dst, ':'), seconds/60%60)
	dst = appendPair(append(dst, ':'), seconds%60)
	return appendFraction(dst, micros%microsPerSecond, least)
}

// appendFraction appends a fraction of a second, without the zeros at its end
// that exceed the least number of digits.
func appendFraction(dst []byte, micros int64, least int) []byte {
	if micros == 0 && least == 0 {
		return dst
	}
	dst = appendPair(append(dst, '.'), micros/10_000)
	dst = appendPair(dst, micros/100%100)
	dst = appendPair(dst, micros%100)
	for width := 6; width > least && dst[len(dst)-1] == '0'; width-- {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// An offsetForm says how an offset from UTC without minutes is written.
type offsetForm uint8

const (
	wholeMinutes offsetForm = iota + 1 // +02:00, as ISO 8601 has it
	bareHours                          // +02, as Postgres has it
)

// appendOffset appends an offset from UTC, given in seconds.
func appendOffset(dst []byte, east int64, form offsetForm) []byte {
	sign := byte('+')
	if east < 0 {
		sign, east = '-', -east
	}
	dst = appendPair(append(dst, sign), east/3600)
	if form == wholeMinutes || east%3600 != 0 {
		dst = appendPair(append(dst, ':'), east/60%60)
	}
	if east%60 != 0 {
		dst = appendPair(append(dst, ':'), east%60)
	}
	return dst
}

// appendInterval appends an interval as Postgres prints it with IntervalStyle
// iso_8601: each unit with a sign of its own.
func appendInterval(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	if len(raw) != 16 {
		return dst, broken(t, raw)
	}
	micros := int64(binary.BigEndian.Uint64(raw))
	days := int64(int32(binary.BigEndian.Uint32(raw[8:])))
	months := int64(int32(binary.BigEndian.Uint32(raw[12:])))
	switch {
	case micros == 0 && days == 0 && months == 0:
		return append(dst, "PT0S"...), nil
	case micros == math.MaxInt64 && days == math.MaxInt32 && months == math.MaxInt32:
		return appendInfinity(dst, infinity), nil
	case micros == math.MinInt64 && days == math.MinInt32 && months == math.MinInt32:
		return appendInfinity(dst, minusInfinity), nil
	}
	dst = append(dst, 'P')
	dst = appendUnit(dst, months/12, 'Y')
	dst = appendUnit(dst, months%12, 'M')
	dst = appendUnit(dst, days, 'D')
	if micros == 0 {
		return dst, nil
	}
	dst = append(dst, 'T')
	minutes := micros / (60 * microsPerSecond)
	dst = appendUnit(dst, minutes/60, 'H')
	dst = appendUnit(dst, minutes%60, 'M')
	return appendSeconds(dst, micros%(60*microsPerSecond)), nil
}

// appendUnit appends one part of an interval unless it is 0.
func appendUnit(dst []byte, v int64, unit byte) []byte {
	if v == 0 {
		return dst
	}
	return append(appendInt(dst, v), unit)
}

func appendSeconds(dst []byte, micros int64) []byte {
	if micros == 0 {
		return dst
	}
	if micros < 0 {
		dst, micros = append(dst, '-'), -micros
	}
	dst = appendInt(dst, micros/microsPerSecond)
	return append(appendFraction(dst, micros%microsPerSecond, 0), 'S')
}

// divide divides so that the remainder is not negative.
func divide(v, by int64) (quotient, remainder int64) {
	quotient, remainder = v/by, v%by
	if remainder < 0 {
		return quotient - 1, remainder + by
	}
	return quotient, remainder
}

// The calendar is the Gregorian one at all times, as in Postgres. Years are
// counted from March here, so that a leap day is the last of its year; an era
// is the 400 years after which the calendar repeats.
const (
	daysPerEra  = 146_097
	daysToMarch = 60 - daysPerEra*5 // from 2000-01-01 to 0000-03-01
)

// civil returns the date that is that many days after 2000-01-01; the year
// before 1 is 0.
func civil(days int64) (year, month, day int64) {
	era, inEra := divide(days-daysToMarch, daysPerEra)
	yearOfEra := (inEra - inEra/1460 + inEra/36_524 - inEra/146_096) / 365
	dayOfYear := inEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	march := (5*dayOfYear + 2) / 153 // months since March
	year, month, day = era*400+yearOfEra, march+3, dayOfYear-(153*march+2)/5+1
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// daysFromCivil is the inverse of civil.
func daysFromCivil(year, month, day int64) int64 {
	march := month - 3
	if march < 0 {
		year, march = year-1, march+12
	}
	era, yearOfEra := divide(year, 400)
	dayOfYear := (153*march+2)/5 + day - 1
	return era*daysPerEra + 365*yearOfEra + yearOfEra/4 - yearOfEra/100 + dayOfYear + daysToMarch
}
