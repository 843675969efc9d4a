// Package resourcery serves a Postgres database as JSON:API v1.1.
//
// A request becomes a syntax tree, the tree becomes a plan, the plan becomes a
// short pipeline of SQL statements, their rows become one document:
//
//	         parse            plan              sqlgen                exec                encode
//	URL ────────────▶ Request ──────▶ Plan ─────────────▶ Pipeline ─────────▶ Result ─────────▶ document
//	body                          ▲                                      ▲
//	                            schema  (immutable: models, fields, relationships, keys, privileges)
//	                            jsonapi (the wire's words, the error type)
//
// Package httpapi puts HTTP around it, cmd/resourcery a command around that.
package resourcery
