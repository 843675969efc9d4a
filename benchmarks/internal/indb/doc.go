// Package indb answers the reads of package blog with documents that Postgres
// makes: one statement with json_build_object and json_agg for each, whose one
// cell is the answer's body. Session, pipeline and prepared statements are as in
// the hand-written handler. The documents mean what the library's do; the
// blanks, and the order of members, are Postgres's.
package indb
