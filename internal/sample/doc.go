// Package sample is a publishing site as a Postgres database: people, their
// profiles, posts, comments, tags, likes and revisions, with row-level security
// that reads the claims of a JSON web token from request.jwt.claims.
//
// Callers see published posts, their own drafts, and what hangs on either;
// revisions are for the author of the post; everybody changes only what is
// theirs. Without a token nobody sees an e-mail address or a revision. Among
// the columns is every kind of type that the server has a wire form for.
//
// It knows nothing of the server: it is SQL text and one function that runs it.
package sample
