package handmade

import "strconv"

// plain tells the bytes that stand in a JSON string as they are.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return t
}()

// appendString appends text of Postgres, which is valid UTF-8, as a JSON string.
func appendString(b, s []byte) []byte {
	b = append(b, '"')
	start := 0
	for i, c := range s {
		if plain[c] {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			const hex = "0123456789abcdef"
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		}
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// appendTime appends microseconds since the year 2000 as a quoted ISO time.
func appendTime(b []byte, micros int64) []byte {
	const day = 86_400_000_000
	days := micros / day
	clock := micros % day
	if clock < 0 {
		days, clock = days-1, clock+day
	}
	// Howard Hinnant's civil_from_days, from the first of March of the year 0.
	z := days + 730_425
	era := z / 146_097
	doe := z - era*146_097
	yoe := (doe - doe/1460 + doe/36_524 - doe/146_096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d, m, y := doy-(153*mp+2)/5+1, mp+3, yoe+era*400
	if m > 12 {
		m, y = m-12, y+1
	}
	b = append(b, '"', byte('0'+y/1000), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10), '-')
	b = append(two(b, m), '-')
	b = append(two(b, d), 'T')
	seconds := clock / 1_000_000
	b = append(two(b, seconds/3600), ':')
	b = append(two(b, seconds/60%60), ':')
	b = append(two(b, seconds%60), '.')
	f := clock % 1_000_000
	b = append(b, byte('0'+f/100_000), byte('0'+f/10_000%10), byte('0'+f/1000%10))
	if rest := f % 1000; rest != 0 {
		b = append(b, byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return append(b, 'Z', '"')
}

func two(b []byte, n int64) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

func appendInt(b []byte, n int32) []byte { return strconv.AppendInt(b, int64(n), 10) }

func appendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }
