// Package metrics counts what a server does, for Prometheus: requests by method,
// form of the path and status, how long they take, how many are running, and the
// connections to the database.
//
// Labels come from sets that are known beforehand. No path, name or value of a
// request is ever one, so nothing of the data shows, and callers cannot make
// series.
package metrics
