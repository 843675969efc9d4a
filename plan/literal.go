package plan

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/schema"
)

// literal checks the text of a value, unquoted, against a type and returns
// what goes to Postgres (contract 4.8, section 6): bool, int64, float64,
// []byte for bytea, and else a string in a text form that Postgres reads alike
// whatever the session's TimeZone, DateStyle and IntervalStyle are. Types with
// a text form of their own, such as inet and ranges, are left for Postgres to
// check. Empty text is a value of text alone (contract 4.3).
//
// The error's text completes the sentence `"abc" is not ...`.
func literal(t *schema.Type, s string) (any, error) {
	t = t.Base()
	switch t.Kind {
	case schema.Text, schema.Range:
		return plainText(s)
	case schema.Bool:
		return boolean(s)
	case schema.Int2:
		return integer(s, 16)
	case schema.Int4:
		return integer(s, 32)
	case schema.Int8:
		return integer(s, 64)
	case schema.Float4:
		return float(s, 32)
	case schema.Float8:
		return float(s, 64)
	case schema.Numeric:
		return numeric(s)
	case schema.UUID:
		return uuid(s)
	case schema.Enum:
		return label(t, s)
	case schema.Timestamptz:
		return timestamptz(s)
	case schema.Timestamp:
		return timestamp(s)
	case schema.Date:
		return date(s)
	case schema.Time:
		return timeOfDay(s)
	case schema.Timetz:
		return timetz(s)
	case schema.Interval:
		return interval(s)
	case schema.Bytea:
		return bytea(s)
	case schema.JSON, schema.JSONB:
		return jsonText(s)
	case schema.Array:
		return nil, errors.New("comparable: a comparison with a whole array is not supported")
	case schema.Composite:
		return nil, errors.New("comparable: a comparison with a whole object is not supported")
	default:
		panic(fmt.Sprintf("plan: no literals of kind %d", t.Kind))
	}
}

func plainText(s string) (any, error) {
	switch {
	case !utf8.ValidString(s):
		return nil, errors.New("text in UTF-8")
	case strings.ContainsRune(s, 0):
		return nil, errors.New("text without NUL characters")
	}
	return s, nil
}

func boolean(s string) (any, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, errors.New("true or false")
}

func integer(s string, bits int) (any, error) {
	if isDigits(strings.TrimPrefix(s, "-")) {
		if n, err := strconv.ParseInt(s, 10, bits); err == nil {
			return n, nil
		}
	}
	highest := int64(math.MaxInt64) >> (64 - bits)
	return nil, fmt.Errorf("a whole number from %d to %d", -highest-1, highest)
}

// float refuses what would become infinite or, unlike zero itself, zero, as
// Postgres does.
func float(s string, bits int) (any, error) {
	switch s {
	case "NaN":
		return math.NaN(), nil
	case "Infinity":
		return math.Inf(1), nil
	case "-Infinity":
		return math.Inf(-1), nil
	}
	d, ok := splitDecimal(s)
	if !ok {
		return nil, errors.New("a number, NaN, Infinity or -Infinity")
	}
	f, err := strconv.ParseFloat(s, bits)
	if err != nil || f == 0 && strings.Trim(d.whole+d.fraction, "0") != "" {
		return nil, fmt.Errorf("in the range of a floating-point number of %d bits", bits)
	}
	return f, nil
}

// The digits that a numeric may have before and after its point.
const (
	numericWhole    = 131072
	numericFraction = 16383
)

func numeric(s string) (any, error) {
	if s == "NaN" || s == "Infinity" || s == "-Infinity" {
		return s, nil
	}
	d, ok := splitDecimal(s)
	if !ok {
		return nil, errors.New("a number, NaN, Infinity or -Infinity")
	}
	exponent, err := strconv.Atoi(d.exponent)
	if err != nil || len(strings.TrimLeft(d.whole, "0"))+exponent > numericWhole || len(d.fraction)-exponent > numericFraction {
		return nil, fmt.Errorf("a number of at most %d digits before the point and %d after it", numericWhole, numericFraction)
	}
	return s, nil
}

// A decimal is a number's parts: digits, digits, and an exponent with its sign.
type decimal struct{ whole, fraction, exponent string }

// splitDecimal reads `-12.5e-3`; digits may be missing on one side of the point.
func splitDecimal(s string) (d decimal, ok bool) {
	mantissa, d := strings.TrimPrefix(s, "-"), decimal{exponent: "0"}
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		mantissa, d.exponent = mantissa[:i], mantissa[i+1:]
		unsigned := d.exponent
		if strings.HasPrefix(unsigned, "+") || strings.HasPrefix(unsigned, "-") {
			unsigned = unsigned[1:]
		}
		if !isDigits(unsigned) {
			return d, false
		}
	}
	d.whole, d.fraction, _ = strings.Cut(mantissa, ".")
	return d, isDigits(d.whole + d.fraction)
}

// isDigits reports whether s is one or more ASCII digits.
func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// uuid returns the form of RFC 9562; 32 digits without hyphens are read too.
func uuid(s string) (any, error) {
	digits := s
	if len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		digits = s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	}
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) != 16 {
		return nil, errors.New("a UUID such as 018f2f3e-7a64-7c1b-9f2d-3c5b8a1e4d60")
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

// label keeps the detail short where an enum has labels by the hundred.
func label(t *schema.Type, s string) (any, error) {
	const listed = 20
	switch n := len(t.Labels); {
	case slices.Contains(t.Labels, s):
		return s, nil
	case n > listed:
		return nil, fmt.Errorf("one of %s and %d more", strings.Join(t.Labels[:listed], ", "), n-listed)
	default:
		return nil, fmt.Errorf("one of %s", strings.Join(t.Labels, ", "))
	}
}

var (
	errBase64         = errors.New("Base64 with padding, in the standard alphabet")
	errBase64PlusLost = errors.New("Base64; in a URL its + is written %2B")
)

// bytea reads padded standard Base64. The decoder would pass over line breaks.
func bytea(s string) (any, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	switch {
	case strings.Contains(s, " "):
		return nil, errBase64PlusLost
	case err != nil || s == "" || strings.ContainsAny(s, "\r\n"):
		return nil, errBase64
	}
	return b, nil
}

func jsonText(s string) (any, error) {
	if !jsontext.Value(s).IsValid() {
		return nil, errors.New("valid JSON")
	}
	return s, nil
}
