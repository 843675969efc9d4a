// Package httpapi serves the API over HTTP: it routes, negotiates, asks the
// host who is calling, runs the request through the stages, and answers with a
// document or with error objects.
//
// NewHost makes the handler, REST the style that it serves. The handler expects
// the whole path of a request and takes the path of RESTOptions.Endpoint off by
// itself, so it is mounted where the endpoint says and nothing is stripped in
// front of it:
//
//	// Endpoint: "https://example.org/api"
//	mux.Handle("/api/", handler)   // net/http
//	router.Mount("/api", handler)  // chi, which leaves the path as it is
//
// Where a proxy in front takes a prefix off, put the prefix on again before the
// handler, as links name the endpoint's path in any case.
//
// A request that writes is one transaction, and its answer says what came of it.
// Its body is read once the host has said who is calling, whole and within
// Limits.MaxBodyBytes. A client that leaves while the database is at work may
// find the write done or not, never half of it.
//
// What an answer holds depends on who asks. The handler says `Vary: Accept`,
// gives documents of single resources an ETag that tells what each caller may
// read apart, and says nothing of caches: a host that tells callers apart by a
// header or a cookie adds the `Vary` or `Cache-Control` that goes with it, for
// instance in a middleware. The same goes for CORS and compression.
//
// The package has no operator, no SQL and no column value. The codes of errors,
// their status and titles come from jsonapi; none is chosen here.
package httpapi
