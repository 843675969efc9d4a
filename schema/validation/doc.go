// Package validation checks the resource objects of writes against JSON
// Schemas, one for each model and operation: those that Generate makes of a
// schema, or a host's own. It finds what the database would refuse before the
// database is asked, all of it at once, and each fault with its place.
//
// What Generate makes never refuses what a table without triggers takes: where
// JSON Schema cannot say exactly what Postgres does, it says less. A trigger
// that fills columns in or mends values is not known; where there is one, the
// file is edited.
//
// It knows no requests: names that a model has not, read-only members and the
// text of values are for package plan to refuse.
package validation
