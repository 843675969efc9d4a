// Package schema describes, immutably, what is served: models, their fields,
// keys and relationships, and the Postgres types of their columns.
//
// A Schema is made from a Catalog (what a database holds) by FromCatalog,
// which also gives everything its public name; the Catalog comes from live
// introspection (schema/introspect), from the generated file (Load) or from Go
// code. A View is the schema as one role may see it.
//
// It knows no request, no SQL statement and no connection.
package schema
