// Package parse turns the URL of a request and the document that it brings into
// syntax: what was asked, in the order and with the names in which it was asked.
//
// It unquotes, knows offsets in URLs and pointers into documents. It knows no schema, no operator and no kind
// of value: names are not looked up and values are not split or converted.
package parse
