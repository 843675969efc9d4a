// Package evaluate answers plans from rows in memory, and does what they write:
// the reference that the way over Postgres is held against.
//
// It shares the types of plan and schema with the product, and nothing else: it
// refuses to know SQL, statements, and how documents are written. It compares
// values itself, text by its bytes (collation C), and looks every row of a table
// at where an index would do. Full text, regular expressions and the planner's
// estimates it cannot answer.
package evaluate
