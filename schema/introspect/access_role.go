package introspect

import (
	"context"
	"fmt"

	"github.com/georgysavva/scany/v2/pgxscan"
)

// RoleAccess is what a role is.
type RoleAccess struct {
	OID         uint32   `db:"oid"`
	Name        string   `db:"name"`
	Assumable   bool     `db:"assumable"` // the login role may SET ROLE to it, or is it
	Superuser   bool     `db:"superuser"`
	BypassRLS   bool     `db:"bypass_rls"`
	CreateRole  bool     `db:"create_role"`
	Replication bool     `db:"replication"`
	Has         []string `db:"has"` // the roles whose privileges it has, itself among them
}

// A Membership makes one role a member of another.
type Membership struct {
	Member string `db:"member"`
	Role   string `db:"role"`
}

// roleColumns are those of RoleAccess; $1 are the OIDs of the roles that the
// login role may become.
const roleColumns = `
		SELECT r.oid, r.rolname::text AS name, r.oid = ANY ($1::oid[]) AS assumable, r.rolsuper AS superuser, r.rolbypassrls AS bypass_rls,
		       r.rolcreaterole AS create_role, r.rolreplication AS replication,
		       ARRAY(SELECT h.rolname::text FROM pg_catalog.pg_roles h WHERE pg_catalog.pg_has_role(r.oid, h.oid, 'USAGE') ORDER BY h.rolname) AS has
		FROM pg_catalog.pg_roles r`

// readRoles reads the login role and those that it may become, by what they
// were granted: a superuser may become anybody, which says nothing. Since
// Postgres 16 SET ROLE is granted apart from membership. The roles that come
// with Postgres are no roles to serve as; memberships tell of them.
func (r *accessReader) readRoles(ctx context.Context) error {
	var assumable []uint32
	err := pgxscan.Select(ctx, r.tx, &assumable, `
		WITH RECURSIVE assumable AS (
			SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = session_user
			UNION
			SELECT m.roleid FROM assumable a JOIN pg_catalog.pg_auth_members m ON m.member = a.oid
			WHERE coalesce((to_jsonb(m) ->> 'set_option')::bool, true))
		SELECT oid FROM assumable`)
	if err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	err = pgxscan.Select(ctx, r.tx, &r.access.Roles, roleColumns+`
		WHERE r.rolname = $2 OR r.oid = ANY ($1::oid[]) AND r.rolname !~ '^pg_'
		ORDER BY r.rolname <> session_user, r.rolname COLLATE "C"`, assumable, r.options.Role)
	if err != nil {
		return fmt.Errorf("read roles: %w", err)
	}
	for _, role := range r.access.Roles {
		r.roles = append(r.roles, role.OID)
	}
	err = pgxscan.Select(ctx, r.tx, &r.access.Memberships, `
		SELECT DISTINCT m.rolname::text AS member, g.rolname::text AS role
		FROM pg_catalog.pg_auth_members a
		JOIN pg_catalog.pg_roles m ON m.oid = a.member
		JOIN pg_catalog.pg_roles g ON g.oid = a.roleid
		ORDER BY 1, 2`)
	if err != nil {
		return fmt.Errorf("read memberships: %w", err)
	}
	return nil
}

// readOwners reads the roles in whose name views and functions do their work.
func (r *accessReader) readOwners(ctx context.Context) error {
	var names []string
	for _, rel := range r.access.Relations {
		names = append(names, rel.Owner)
	}
	for _, f := range r.access.Functions {
		names = append(names, f.Owner)
	}
	var rows []RoleAccess
	if err := pgxscan.Select(ctx, r.tx, &rows, roleColumns+` WHERE r.rolname = ANY ($2::text[])`, r.roles, names); err != nil {
		return fmt.Errorf("read owners: %w", err)
	}
	for _, o := range rows {
		r.access.Owners[o.Name] = o
	}
	return nil
}

// Bound reports whether row-level security, where it is enabled on the
// relation, applies to the role.
func (o *RoleAccess) Bound(rel *Relation) bool {
	return !o.Superuser && !o.BypassRLS && (rel.Forced || !o.Inherits(rel.Owner))
}

// Inherits reports whether the role has the privileges of another, or is it.
func (o *RoleAccess) Inherits(role string) bool {
	for _, h := range o.Has {
		if h == role {
			return true
		}
	}
	return false
}
