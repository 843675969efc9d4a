// Package jsonapi holds the wire's words: the error object and its codes, the
// sources that errors point at, the media type with its negotiation grammar,
// and the rules for member names.
//
// It knows no schema, no SQL and no HTTP server.
package jsonapi

// Version is the version of JSON:API that documents state.
const Version = "1.1"
