package encode

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// The flags of a range's binary form.
const (
	rangeEmpty          = 0x01
	rangeLowerInclusive = 0x02
	rangeUpperInclusive = 0x04
	rangeLowerInfinite  = 0x08
	rangeUpperInfinite  = 0x10
)

// appendRange appends a range or multirange in Postgres's text form, which for
// those of timestamptz has UTC whatever the session's time zone.
func appendRange(dst []byte, t *schema.Type, f sqlgen.Format, raw []byte) ([]byte, error) {
	switch {
	case f == sqlgen.Text && !zoned(t):
		return append(dst, raw...), nil
	case f == sqlgen.Text && t.Multi:
		return appendMultirangeLiteral(dst, t, raw)
	case f == sqlgen.Text:
		return appendRangeLiteral(dst, t, raw)
	case t.Multi:
		return appendMultirange(dst, t, raw)
	default:
		return appendOneRange(dst, t, raw)
	}
}

// zoned reports whether the text form of a range depends on the time zone.
func zoned(t *schema.Type) bool {
	for t = t.Elem.Base(); t.Kind == schema.Range; {
		t = t.Elem.Base()
	}
	return t.Kind == schema.Timestamptz
}

// appendMultirange appends a multirange from its binary form: the number of
// ranges, then each one with its length.
func appendMultirange(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	if len(raw) < 4 {
		return dst, broken(t, raw)
	}
	count, rest := binary.BigEndian.Uint32(raw), raw[4:]
	dst = append(dst, '{')
	for i := range count {
		value, after, err := nextValue(t, rest)
		if err != nil {
			return dst, err
		}
		rest = after
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendOneRange(dst, t, value); err != nil {
			return dst, err
		}
	}
	if len(rest) > 0 {
		return dst, broken(t, raw)
	}
	return append(dst, '}'), nil
}

// appendOneRange appends a range, alone or of a multirange, from its binary
// form: flags, then the bounds that are finite.
func appendOneRange(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return dst, broken(t, raw)
	}
	flags, rest := raw[0], raw[1:]
	if flags&rangeEmpty != 0 {
		return append(dst, "empty"...), nil
	}
	var err error
	dst = append(dst, bracket(flags&rangeLowerInclusive, "[("))
	if flags&rangeLowerInfinite == 0 {
		if dst, rest, err = appendNextBound(dst, t, rest); err != nil {
			return dst, err
		}
	}
	dst = append(dst, ',')
	if flags&rangeUpperInfinite == 0 {
		if dst, rest, err = appendNextBound(dst, t, rest); err != nil {
			return dst, err
		}
	}
	if len(rest) > 0 {
		return dst, broken(t, raw)
	}
	return append(dst, bracket(flags&rangeUpperInclusive, "])")), nil
}

// bracket returns the first of two brackets for a bound that is inclusive.
func bracket(inclusive byte, brackets string) byte {
	if inclusive != 0 {
		return brackets[0]
	}
	return brackets[1]
}

func appendNextBound(dst []byte, t *schema.Type, raw []byte) (_, rest []byte, err error) {
	value, rest, err := nextValue(t, raw)
	if err != nil {
		return dst, nil, err
	}
	if value == nil {
		return dst, nil, broken(t, raw)
	}
	mark := len(dst)
	if dst, err = appendBound(dst, t.Elem.Base(), value); err != nil {
		return dst, nil, err
	}
	return quoteBoundFrom(dst, mark), rest, nil
}

// appendBound appends a value from its binary form in Postgres's text form. It
// is not meant for floats, which Postgres does not always print shortest, nor
// for arrays and composites: ranges over these come in text.
func appendBound(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	switch t.Kind {
	case schema.Bool:
		mark := len(dst)
		dst, err := appendBool(dst, t, raw)
		if err != nil {
			return dst, err
		}
		return dst[:mark+1], nil // t or f
	case schema.Timestamptz, schema.Timestamp:
		v, err := instantOf(t, sqlgen.Binary, raw)
		if err != nil {
			return dst, err
		}
		return appendPostgresInstant(dst, t, v), nil
	case schema.Date:
		v, err := daysOf(t, sqlgen.Binary, raw)
		if err != nil {
			return dst, err
		}
		return appendPostgresDate(dst, v), nil
	case schema.Timetz:
		v, east, err := zonedClockOf(t, sqlgen.Binary, raw)
		if err != nil {
			return dst, err
		}
		return appendOffset(appendClock(dst, v, 0), east, bareHours), nil
	case schema.Bytea:
		return hex.AppendEncode(append(dst, `\x`...), raw), nil
	default:
		return appendPlain(dst, t, sqlgen.Binary, raw)
	}
}

func appendPostgresInstant(dst []byte, t *schema.Type, v int64) []byte {
	if v == infinity || v == minusInfinity {
		return appendInfinity(dst, v)
	}
	days, micros := divide(v, microsPerDay)
	year, month, day := civil(days)
	dst = appendPostgresDay(dst, year, month, day)
	dst = appendClock(append(dst, ' '), micros, 0)
	if t.Kind == schema.Timestamptz {
		dst = append(dst, "+00"...)
	}
	return appendEra(dst, year)
}

func appendPostgresDate(dst []byte, days int64) []byte {
	if days == infinity || days == minusInfinity {
		return appendInfinity(dst, days)
	}
	year, month, day := civil(days)
	return appendEra(appendPostgresDay(dst, year, month, day), year)
}

// appendPostgresDay appends a date without its era, which comes after the time.
func appendPostgresDay(dst []byte, year, month, day int64) []byte {
	if year < 1 {
		year = 1 - year
	}
	dst = appendPadded(dst, year, 4)
	dst = appendPair(append(dst, '-'), month)
	return appendPair(append(dst, '-'), day)
}

func appendEra(dst []byte, year int64) []byte {
	if year < 1 {
		return append(dst, " BC"...)
	}
	return dst
}

// quoteBoundFrom quotes the bound that dst has from mark on, if Postgres would.
func quoteBoundFrom(dst []byte, mark int) []byte {
	end := len(dst)
	if end > mark && !bytes.ContainsAny(dst[mark:end], "\"\\()[], \t\n\v\f\r") {
		return dst
	}
	dst = append(dst, '"')
	for i := mark; i < end; i++ {
		if c := dst[i]; c == '"' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, dst[i])
	}
	return moveDown(append(dst, '"'), mark, end)
}
