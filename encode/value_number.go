package encode

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// intOf reads a value of an integer type.
func intOf(t *schema.Type, f sqlgen.Format, raw []byte) (int64, error) {
	if f == sqlgen.Text {
		v, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return 0, broken(t, raw)
		}
		return v, nil
	}
	switch {
	case t.Kind == schema.Int2 && len(raw) == 2:
		return int64(int16(binary.BigEndian.Uint16(raw))), nil
	case t.Kind == schema.Int4 && len(raw) == 4:
		return int64(int32(binary.BigEndian.Uint32(raw))), nil
	case t.Kind == schema.Int8 && len(raw) == 8:
		return int64(binary.BigEndian.Uint64(raw)), nil
	}
	return 0, broken(t, raw)
}

// appendInt appends an integer. Small ones, as most are, take less time than by
// strconv, which goes through memory of its own.
func appendInt(dst []byte, v int64) []byte {
	switch {
	case v < 0 || v >= 1e8:
		return strconv.AppendInt(dst, v, 10)
	case v >= 1e4:
		dst = appendUpTo4(dst, v/1e4)
		return appendPair(appendPair(dst, v/100%100), v%100)
	default:
		return appendUpTo4(dst, v)
	}
}

// appendUpTo4 appends v, which has up to four digits.
func appendUpTo4(dst []byte, v int64) []byte {
	switch {
	case v >= 1000:
		return appendPair(appendPair(dst, v/100), v%100)
	case v >= 100:
		return appendPair(append(dst, byte('0'+v/100)), v%100)
	case v >= 10:
		return appendPair(dst, v)
	default:
		return append(dst, byte('0'+v))
	}
}

// floatBits returns the width of a float type.
func floatBits(t *schema.Type) int {
	if t.Kind == schema.Float4 {
		return 32
	}
	return 64
}

// floatOf reads a value of a float type.
func floatOf(t *schema.Type, f sqlgen.Format, raw []byte) (float64, error) {
	bits := floatBits(t)
	switch {
	case f == sqlgen.Text:
		v, err := strconv.ParseFloat(string(raw), bits)
		if err != nil {
			return 0, broken(t, raw)
		}
		return v, nil
	case bits == 32 && len(raw) == 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(raw))), nil
	case bits == 64 && len(raw) == 8:
		return math.Float64frombits(binary.BigEndian.Uint64(raw)), nil
	}
	return 0, broken(t, raw)
}

// appendFloat appends the shortest text that reads back at that width, in the
// form of ECMAScript's Number::toString, except that minus zero keeps its sign.
func appendFloat(dst []byte, v float64, bits int) []byte {
	if special, ok := specialFloat(v); ok {
		return append(dst, special...)
	}
	low, high := 1e-6, 1e21
	if bits == 32 {
		low, high = float64(float32(low)), float64(float32(high))
	}
	if abs := math.Abs(v); abs == 0 || low <= abs && abs < high {
		return strconv.AppendFloat(dst, v, 'f', -1, bits)
	}
	dst = strconv.AppendFloat(dst, v, 'e', -1, bits)
	// An exponent of one digit is written with two here: e-07.
	if end := len(dst); dst[end-4] == 'e' && dst[end-2] == '0' {
		dst[end-2] = dst[end-1]
		dst = dst[:end-1]
	}
	return dst
}

// specialFloat returns the name of a value that is no number of JSON.
func specialFloat(v float64) (string, bool) {
	switch {
	case math.IsNaN(v):
		return "NaN", true
	case math.IsInf(v, 1):
		return "Infinity", true
	case math.IsInf(v, -1):
		return "-Infinity", true
	}
	return "", false
}

// The signs of a numeric's binary form.
const (
	numericNegative         = 0x4000
	numericNaN              = 0xC000
	numericInfinity         = 0xD000
	numericNegativeInfinity = 0xF000
)

// appendNumeric appends a numeric from its binary form: the number of digits to
// base 10000, the weight of the first one, the sign, the display scale, the
// digits. Leading and trailing zeros are not among them.
func appendNumeric(dst []byte, t *schema.Type, raw []byte) ([]byte, error) {
	if len(raw) < 8 {
		return dst, broken(t, raw)
	}
	if len(dst) > MaxBytes { // a few bytes can be a hundred thousand digits
		return dst, tooLarge()
	}
	count := int(binary.BigEndian.Uint16(raw))
	weight := int(int16(binary.BigEndian.Uint16(raw[2:])))
	scale := int(binary.BigEndian.Uint16(raw[6:]))
	digits := raw[8:]
	if len(digits) != 2*count {
		return dst, broken(t, raw)
	}
	switch binary.BigEndian.Uint16(raw[4:]) {
	case numericNegative:
		dst = append(dst, '-')
	case numericNaN:
		return append(dst, "NaN"...), nil
	case numericInfinity:
		return append(dst, "Infinity"...), nil
	case numericNegativeInfinity:
		return append(dst, "-Infinity"...), nil
	}
	dst = appendWhole(dst, digits, weight)
	if scale == 0 {
		return dst, nil
	}
	dst = append(dst, '.')
	mark := len(dst)
	for place := -1; len(dst)-mark < scale; place-- {
		dst = appendPadded(dst, numericDigit(digits, weight, place), 4)
	}
	return dst[:mark+scale], nil
}

// appendWhole appends a numeric's integer part.
func appendWhole(dst []byte, digits []byte, weight int) []byte {
	if weight < 0 {
		return append(dst, '0')
	}
	dst = appendInt(dst, numericDigit(digits, weight, weight))
	for place := weight - 1; place >= 0; place-- {
		dst = appendPadded(dst, numericDigit(digits, weight, place), 4)
	}
	return dst
}

// numericDigit returns the digit that counts for 10000 to the power of place.
func numericDigit(digits []byte, weight, place int) int64 {
	i := 2 * (weight - place)
	if i < 0 || i >= len(digits) {
		return 0
	}
	return int64(binary.BigEndian.Uint16(digits[i:]))
}

// digitPairs has the two digits of each number below 100.
const digitPairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839" +
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// appendPair appends v, which is not negative, with a zero in front where it has
// one digit.
func appendPair(dst []byte, v int64) []byte {
	if uint64(v) >= 100 {
		return strconv.AppendInt(dst, v, 10)
	}
	return append(dst, digitPairs[2*v], digitPairs[2*v+1])
}

// putPair puts v, which is below 100, into the two bytes of dst.
func putPair(dst []byte, v uint32) {
	dst[0], dst[1] = digitPairs[2*v], digitPairs[2*v+1]
}

// appendPadded appends v, which is not negative, with zeros in front up to width.
func appendPadded(dst []byte, v int64, width int) []byte {
	for bound := int64(10); width > 1; width-- {
		if v < bound {
			for range width - 1 {
				dst = append(dst, '0')
			}
			break
		}
		bound *= 10
	}
	return appendInt(dst, v)
}
