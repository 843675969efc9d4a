// Package encode writes results as JSON:API documents: bytes appended from raw
// column values by kind, with the annotations that tell clients of values that
// JSON has no type for. A document is appended whole, or, where it is a list
// without includes, written while its rows come.
//
// It knows no SQL and no HTTP.
package encode
