// Package parse turns the URL of a request into syntax: what was asked, in the
// order and with the names in which it was asked.
//
// It unquotes and knows offsets. It knows no schema, no operator and no kind
// of value: names are not looked up and values are not split or converted.
package parse
