// Package exec opens a database and runs pipelines in it under a session: its
// role and its variables. Every read is one round trip, one implicit
// transaction and one snapshot.
//
// It maps what the database refuses to errors, and nothing else: after a plan
// was built no client mistake is left to find. It knows no HTTP and no JSON.
package exec
