package introspect

import (
	"context"
	"fmt"

	"github.com/georgysavva/scany/v2/pgxscan"

	"github.com/resourcery/resourcery/schema"
)

// RoleFacts are what decides whether a role may serve (contract 7.4).
type RoleFacts struct {
	Name       string `db:"name"`       // as asked for; the current role where none was
	Login      string `db:"login"`      // the role that the connection logged in as
	Exists     bool   `db:"exists"`     // false: nothing below is known
	Assumable  bool   `db:"assumable"`  // the login role may SET ROLE to it
	Superuser  bool   `db:"superuser"`  // row-level security does not apply to it
	BypassRLS  bool   `db:"bypass_rls"` // nor to this one
	TableFacts []TableFacts
}

// TableFacts are what row-level security does on one exposed table for a role.
type TableFacts struct {
	schema.Table `db:"-"`
	// Owned: the role owns the table, itself or as a member of the owner.
	Owned       bool `db:"owned"`
	RowSecurity bool `db:"row_security"` // enabled
	Forced      bool `db:"forced"`       // for the owner too
	Policies    int  `db:"policies"`
}

// Unforced returns the tables whose policies do not bind the role because it
// owns them: those that do not FORCE row-level security.
func (f *RoleFacts) Unforced() []schema.Table {
	var tables []schema.Table
	for _, t := range f.TableFacts {
		if t.Owned && !(t.RowSecurity && t.Forced) {
			tables = append(tables, t.Table)
		}
	}
	return tables
}

// WithoutPolicy returns the tables that no policy guards: row-level security
// is off, or it is on without a policy.
func (f *RoleFacts) WithoutPolicy() []schema.Table {
	var tables []schema.Table
	for _, t := range f.TableFacts {
		if !t.RowSecurity || t.Policies == 0 {
			tables = append(tables, t.Table)
		}
	}
	return tables
}

type tableFactsRow struct {
	Schema string `db:"schema"`
	Name   string `db:"name"`
	TableFacts
}

// Role reads the facts about a role and the schema's tables, join tables among
// them; views and foreign tables have no policies of their own and are left
// out. An empty role is the current one. A role that does not exist is no
// error: see Exists.
func Role(ctx context.Context, conn pgxscan.Querier, s *schema.Schema, role string) (*RoleFacts, error) {
	var f RoleFacts
	// Up to Postgres 15 every member may SET ROLE; since 16 it is granted apart.
	err := pgxscan.Get(ctx, conn, &f, `
		SELECT asked.name, session_user::text AS login, r.oid IS NOT NULL AS exists,
		       coalesce(r.rolsuper, false) AS superuser, coalesce(r.rolbypassrls, false) AS bypass_rls,
		       coalesce(pg_catalog.pg_has_role(session_user, r.oid,
		           CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END), false) AS assumable
		FROM (SELECT coalesce(nullif($1::text, ''), current_user::text) AS name) asked
		LEFT JOIN pg_catalog.pg_roles r ON r.rolname = asked.name`, role)
	if err != nil {
		return nil, fmt.Errorf("read role %q: %w", role, err)
	}
	if !f.Exists {
		return &f, nil
	}
	var schemas, names []string
	for _, t := range s.Catalog().Relations {
		schemas, names = append(schemas, t.Schema), append(names, t.Name)
	}
	var rows []tableFactsRow
	err = pgxscan.Select(ctx, conn, &rows, `
		SELECT t.schema, t.name, pg_catalog.pg_has_role($1::name, c.relowner, 'USAGE') AS owned,
		       c.relrowsecurity AS row_security, c.relforcerowsecurity AS forced,
		       (SELECT count(*) FROM pg_catalog.pg_policy p WHERE p.polrelid = c.oid) AS policies
		FROM unnest($2::text[], $3::text[]) WITH ORDINALITY t (schema, name, n)
		JOIN pg_catalog.pg_namespace n ON n.nspname = t.schema
		JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.name
		WHERE c.relkind IN ('r', 'p')
		ORDER BY t.n`, f.Name, schemas, names)
	if err != nil {
		return nil, fmt.Errorf("read the tables of role %q: %w", role, err)
	}
	for _, r := range rows {
		r.Table = schema.Table{Schema: r.Schema, Name: r.Name}
		f.TableFacts = append(f.TableFacts, r.TableFacts)
	}
	return &f, nil
}
