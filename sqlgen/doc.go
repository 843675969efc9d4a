// Package sqlgen lowers plans to SQL. Compile takes the tree of a plan, which
// holds no value of the request, and gives the statements that answer it; what
// was compiled is kept under the shape's key.
//
// It sees no value, no session and no connection. Identifiers come from the
// schema alone and are quoted in one place.
package sqlgen
