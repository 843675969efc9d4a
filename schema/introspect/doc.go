// Package introspect reads what a database holds from Postgres's system
// catalogues: tables, columns, keys, foreign keys and types, the privileges of
// a role, what a role may pass over, and what guards all that. It is the only
// place that mentions pg_catalog.
//
// It gives nothing a name and leaves out only what is never served (contract
// 1.2): schema.FromCatalog decides about the rest.
package introspect
