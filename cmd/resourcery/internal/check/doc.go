// Package check judges who may do what in a database, and what is unsafe or
// slow about serving it: facts of schema/introspect in, findings out, each with
// the SQL that mends it.
//
// It reads nothing from the database itself and runs none of its SQL.
package check
