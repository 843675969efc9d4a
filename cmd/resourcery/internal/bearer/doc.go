// Package bearer turns the bearer token of a request into the session that the
// request runs under: the role and the variables that its claims name
// (contract 11.3). Tokens are JSON web tokens. Those signed with HS256 are
// verified by a shared secret, those signed with RS256, PS256, ES256 and their
// longer forms or with EdDSA by the public keys of a file; which of the two is
// asked depends on the algorithm alone, so that a public key never stands in for
// a secret.
//
// It knows no database: whether a role may be taken is found out there. It asks
// no other server for keys either.
package bearer
