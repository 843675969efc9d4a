// Package handmade answers the requests of package blog as somebody would who
// writes each handler by hand and wants it fast: pgx without reflection, every
// statement prepared once per connection, all of a request in one pipeline with
// one Sync under the same session variables and role, values in their binary
// form, JSON appended to pooled buffers. Its documents are those of the library,
// byte for byte.
//
// What it leaves out is what a handler may that knows its requests: it serves
// these paths and parameters and refuses all others with a line of text, takes
// one order of parameters for granted, negotiates no media type, gives no
// error objects, and on writes looks neither at the names nor at the kinds of
// members that it does not know, nor whether a linked row is visible. Reads of
// one statement have no isolation level set, as they see one snapshot anyway.
package handmade
