// Package blog is the data set of the benchmarks, users, posts, comments and
// tags under row-level security, and the requests that are measured on it.
//
// The rows are made inside Postgres and are the same every time. Everything
// that stands for the host of the API is here too: the session in whose name
// requests run, and the handler over the database.
//
// It measures nothing and knows no other way of answering the requests.
package blog
