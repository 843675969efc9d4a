package validation

import (
	"encoding/json"
	"strconv"
	"strings"
)

// What a number may cost: comparing 1e999999 exactly takes a million digits,
// and the text of the request is eight of them.
const (
	mostPlaces = 400
	mostDigits = 1000
)

// bounded returns the document with numbers that are cheap to compare: one
// that is further than mostPlaces digits from the point on either side becomes
// the one there. It changes the document.
func bounded(document any) any {
	switch v := document.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = bounded(member)
		}
	case []any:
		for i, element := range v {
			v[i] = bounded(element)
		}
	case json.Number:
		return boundedNumber(v)
	}
	return document
}

func boundedNumber(n json.Number) json.Number {
	text, negative := strings.CutPrefix(string(n), "-")
	sign := ""
	if negative {
		sign = "-"
	}
	mantissa, power := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, power = text[:i], text[i+1:]
	}
	if power == "" && len(text) <= mostPlaces {
		return n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	place := len(digits) - len(fraction)
	digits = strings.TrimRight(digits, "0")
	exponent, err := strconv.Atoi(power)
	if power != "" && err != nil { // out of range
		exponent = 1 << 40
		if power[0] == '-' {
			exponent = -exponent
		}
	}
	// The number is 0.digits times ten to the power of place.
	switch place += exponent; {
	case place > mostPlaces:
		return json.Number(sign + "1e" + strconv.Itoa(mostPlaces))
	case place < -mostPlaces:
		return json.Number(sign + "1e-" + strconv.Itoa(mostPlaces))
	case len(digits) > mostDigits:
		// The digit at the end keeps it apart from the number that is cut short.
		digits = digits[:mostDigits] + "1"
	}
	return json.Number(sign + "0." + digits + "e" + strconv.Itoa(place))
}
