package plan

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var (
	errDuration      = errors.New("an ISO 8601 duration such as P1DT2H or PT0.5S, where only seconds have a fraction, of at most 6 digits")
	errDurationRange = errors.New("in the range of intervals")
)

// interval reads an ISO 8601 duration and returns it in the three parts that
// Postgres keeps: months, days and the time. Each part may have a minus, and so
// may the whole, which Postgres does not read. Years are 12 months and weeks 7
// days.
func interval(s string) (any, error) {
	if isInfinite(s) {
		return s, nil // for Postgres 17, which has infinite intervals; older ones refuse it
	}
	unsigned, negative := strings.CutPrefix(s, "-")
	body, ok := strings.CutPrefix(unsigned, "P")
	days, clock, timed := strings.Cut(body, "T")
	if !ok || body == "" || timed && clock == "" {
		return nil, errDuration
	}
	sign := int64(1)
	if negative {
		sign = -1
	}
	var d duration
	if err := d.add(days, dayUnits, sign); err != nil {
		return nil, err
	}
	if err := d.add(clock, clockUnits, sign); err != nil {
		return nil, err
	}
	if !fits(d[monthPart]) || !fits(d[dayPart]) {
		return nil, errDurationRange
	}
	return d.text(), nil
}

// A duration is what Postgres keeps of an interval, by part.
type duration [3]int64

const (
	monthPart = iota
	dayPart
	microPart
)

// A unit is one designator of a duration: which part it counts in, and how much.
type unit struct {
	letter byte
	part   int
	factor int64
}

// The designators before and after the T, in the order in which they come.
var (
	dayUnits   = []unit{{'Y', monthPart, 12}, {'M', monthPart, 1}, {'W', dayPart, 7}, {'D', dayPart, 1}}
	clockUnits = []unit{{'H', microPart, 3600e6}, {'M', microPart, 60e6}, {'S', microPart, 1e6}}
)

// add reads elements such as `-12D` to the end of the text.
func (d *duration) add(text string, units []unit, sign int64) error {
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return 'A' <= r && r <= 'Z' })
		if end < 0 {
			return errDuration
		}
		for len(units) > 0 && units[0].letter != text[end] {
			units = units[1:]
		}
		if len(units) == 0 {
			return errDuration
		}
		n, err := units[0].amount(text[:end])
		if err != nil {
			return err
		}
		part := &d[units[0].part]
		if *part, err = addExact(*part, sign*n); err != nil {
			return err
		}
		text, units = text[end+1:], units[1:]
	}
	return nil
}

// amount is a number times the unit's factor. Only of seconds it may have a
// fraction, whose six digits are microseconds.
func (u unit) amount(text string) (int64, error) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, pointed := strings.Cut(digits, ".")
	if !isDigits(whole) || pointed && (u.letter != 'S' || !isDigits(fraction) || len(fraction) > 6) {
		return 0, errDuration
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > math.MaxInt64/u.factor {
		return 0, errDurationRange
	}
	n *= u.factor
	if pointed {
		part, err := strconv.ParseInt(fraction+strings.Repeat("0", 6-len(fraction)), 10, 64)
		if err != nil {
			return 0, errDuration
		}
		if n, err = addExact(n, part); err != nil {
			return 0, err
		}
	}
	if negative {
		n = -n
	}
	return n, nil
}

// addExact refuses a sum that has no negative or no int64.
func addExact(a, b int64) (int64, error) {
	total := a + b
	if b > 0 && total < a || b < 0 && total > a || total == math.MinInt64 {
		return 0, errDurationRange
	}
	return total, nil
}

func fits(n int64) bool { return math.MinInt32 <= n && n <= math.MaxInt32 }

// text writes the parts with hours beside seconds, as Postgres 14 reads no
// number of 2^31 and more.
func (d duration) text() string {
	seconds := d[microPart] % 3600e6
	sign := ""
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	return fmt.Sprintf("P%dM%dDT%dH%s%d.%06dS", d[monthPart], d[dayPart], d[microPart]/3600e6, sign, seconds/1e6, seconds%1e6)
}
