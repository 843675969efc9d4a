// Package bearer turns the bearer token of a request into the session that the
// request runs under: the role and the variables that its claims name
// (contract 11.3). Tokens are JSON web tokens signed with HS256 and a shared
// secret; every other algorithm is refused.
//
// It knows no database: whether a role may be taken is found out there.
package bearer
