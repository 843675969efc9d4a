// Package plan gives syntax its meaning: Build resolves every name against a
// role's view of the schema, converts every value to its field's kind, and
// refuses every client mistake that can be seen without the data.
//
// A plan is a shape and its values. The tree under Plan.Action is the shape:
// it holds pointers into the schema and slots, never a literal of the request.
// The literals are in Plan.Values. So whatever is made from the tree alone,
// SQL above all, cannot depend on a value.
//
// It composes no SQL and knows no connection.
package plan
