package sample

import "strconv"

// The roles of the sample. They belong to the cluster, not to the database.
const (
	// LoginRole is the one that a server connects as. It may read nothing
	// until it takes one of the other two.
	LoginRole = "resourcery_demo"
	// AnonRole is for callers without a token.
	AnonRole = "publishing_anon"
	// MemberRole is for callers with one.
	MemberRole = "publishing_member"
)

// Person is a user of the site for whom a token can be made.
type Person struct {
	ID   int
	Name string
}

// People are the users that both sizes have, each with posts and drafts.
func People() []Person {
	return []Person{{1, "Ann"}, {2, "Bob"}, {3, "Cleo"}}
}

// Claims are those that the policies expect in request.jwt.claims. The caller
// owns the map.
func (p Person) Claims() map[string]any {
	return map[string]any{"sub": strconv.Itoa(p.ID), "role": MemberRole, "name": p.Name}
}
