package encode

import "bytes"

// The parsers of this file read what Postgres prints with DateStyle ISO, which
// values within composites in text form have.

// parseInstant reads a timestamp, in UTC where it has no offset.
func parseInstant(s []byte) (micros int64, ok bool) {
	if v, ok := parseInfinity(s); ok {
		return v, true
	}
	s, era := parseEra(s)
	days, s, ok := parseDate(s, era)
	if !ok || len(s) == 0 || s[0] != ' ' {
		return 0, false
	}
	micros, s, ok = parseClock(s[1:])
	if !ok {
		return 0, false
	}
	var east int64
	if len(s) > 0 {
		if east, ok = parseOffset(s); !ok {
			return 0, false
		}
	}
	return days*microsPerDay + micros - east*microsPerSecond, true
}

// parseDays reads a date.
func parseDays(s []byte) (days int64, ok bool) {
	if v, ok := parseInfinity(s); ok {
		return v, true
	}
	s, era := parseEra(s)
	days, s, ok = parseDate(s, era)
	return days, ok && len(s) == 0
}

func parseInfinity(s []byte) (v int64, ok bool) {
	switch string(s) {
	case "infinity":
		return infinity, true
	case "-infinity":
		return minusInfinity, true
	}
	return 0, false
}

// An era says how years are counted.
type era uint8

const (
	commonEra era = iota
	beforeCommonEra
)

func parseEra(s []byte) ([]byte, era) {
	if rest, ok := bytes.CutSuffix(s, []byte(" BC")); ok {
		return rest, beforeCommonEra
	}
	return s, commonEra
}

// parseDate reads year, month and day and returns what follows them.
func parseDate(s []byte, e era) (days int64, rest []byte, ok bool) {
	year, s, ok := parseNumber(s, "-")
	if !ok {
		return 0, nil, false
	}
	month, s, ok := parseNumber(s, "-")
	if !ok {
		return 0, nil, false
	}
	day, s, ok := parseNumber(s, "")
	if !ok || month < 1 || month > 12 {
		return 0, nil, false
	}
	if e == beforeCommonEra {
		year = 1 - year
	}
	return daysFromCivil(year, month, day), s, true
}

// parseClock reads hours, minutes, seconds and their fraction.
func parseClock(s []byte) (micros int64, rest []byte, ok bool) {
	hours, s, ok := parseNumber(s, ":")
	if !ok {
		return 0, nil, false
	}
	minutes, s, ok := parseNumber(s, ":")
	if !ok {
		return 0, nil, false
	}
	seconds, s, ok := parseNumber(s, "")
	if !ok {
		return 0, nil, false
	}
	micros = (hours*3600 + minutes*60 + seconds) * microsPerSecond
	if len(s) == 0 || s[0] != '.' {
		return micros, s, true
	}
	fraction, rest, ok := parseNumber(s[1:], "")
	for width := len(s) - 1 - len(rest); width < 6; width++ {
		fraction *= 10
	}
	return micros + fraction, rest, ok
}

// parseOffset reads an offset from UTC to its end, in seconds.
func parseOffset(s []byte) (east int64, ok bool) {
	if len(s) == 0 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	sign := int64(1)
	if s[0] == '-' {
		sign = -1
	}
	s = s[1:]
	for unit := int64(3600); ; unit /= 60 {
		v, rest, ok := parseNumber(s, "")
		if !ok || unit == 0 {
			return 0, false
		}
		east += v * unit
		if len(rest) == 0 {
			return sign * east, true
		}
		if rest[0] != ':' {
			return 0, false
		}
		s = rest[1:]
	}
}

// parseNumber reads digits and the text that has to follow them.
func parseNumber(s []byte, then string) (v int64, rest []byte, ok bool) {
	i := 0
	for i < len(s) && i < 18 && '0' <= s[i] && s[i] <= '9' {
		v = 10*v + int64(s[i]-'0')
		i++
	}
	if i == 0 || !bytes.HasPrefix(s[i:], []byte(then)) {
		return 0, nil, false
	}
	return v, s[i+len(then):], true
}
