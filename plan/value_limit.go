package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The longest number that a body may give to be stored: Postgres would take some
// that have a hundred thousand digits for six bytes.
const (
	longestNumber   = 1000 // characters
	highestExponent = 1000
)

// withinReason checks the text of a numeric that is to be stored.
func withinReason(s string) error {
	d, _ := splitDecimal(s)
	exponent, err := strconv.Atoi(d.exponent)
	if err != nil || len(s) > longestNumber || max(exponent, -exponent) > highestExponent {
		return fmt.Errorf("a number of at most %d characters with an exponent from -%d to %d", longestNumber, highestExponent, highestExponent)
	}
	return nil
}

// withinLength checks a text against varchar(n) or char(n). Blanks past the
// length are cut off by Postgres without a word, as SQL wants it.
func withinLength(s string, n int) error {
	if len(s) <= n || utf8.RuneCountInString(s) <= n || utf8.RuneCountInString(strings.TrimRight(s, " ")) <= n {
		return nil
	}
	return fmt.Errorf("text of at most %d characters", n)
}

// withinPrecision checks the text of a numeric against numeric(precision,scale):
// rounded to the scale, it must be less than 10 to the power of precision minus
// scale.
func withinPrecision(s string, precision, scale int) error {
	if s == "NaN" {
		return nil
	}
	d, ok := splitDecimal(s)
	if !ok {
		return errors.New("a finite number")
	}
	digits, magnitude := d.significant()
	allowed := precision - scale
	switch {
	case digits == "" || magnitude < allowed:
		return nil
	case magnitude == allowed && !roundsUp(digits, precision):
		return nil
	case allowed > 0:
		return fmt.Errorf("a number of at most %d digits before the point", allowed)
	default:
		return fmt.Errorf("a number below 1e%d", allowed)
	}
}

// significant returns the digits from the first that is not 0 on, "" for zero,
// and where the point stands: the number is 0.digits times 10 to the power of
// magnitude.
func (d decimal) significant() (digits string, magnitude int) {
	exponent, err := strconv.Atoi(d.exponent)
	if err != nil {
		panic("plan: the exponent of a numeric is no number") // numeric has read it
	}
	all := d.whole + d.fraction
	digits = strings.TrimLeft(all, "0")
	return digits, len(d.whole) + exponent - (len(all) - len(digits))
}

// roundsUp reports whether rounding digits to the first n of them makes one
// digit more of them: 99.95 becomes 100.0.
func roundsUp(digits string, n int) bool {
	return len(digits) > n && strings.Trim(digits[:n], "9") == "" && digits[n] >= '5'
}
