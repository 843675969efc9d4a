package introspect

import (
	"context"
	"fmt"

	"github.com/georgysavva/scany/v2/pgxscan"

	"github.com/resourcery/resourcery/schema"
)

// A Relation is a table or view: who owns it, who may do what with it, and what
// guards it.
type Relation struct {
	OID uint32
	schema.Table
	Relation    schema.Relation // 0: neither table nor view
	Exposed     bool
	Owner       string
	RowSecurity bool
	Forced      bool // for the owner too
	// Invoker: a view that asks for the privileges and policies of its caller,
	// not of its owner.
	Invoker    bool
	Reads      []uint32               // of a view: the relations that its query reads
	Columns    []Column               // in column order
	Privileges map[string]TableAccess // by role
	Grants     []Grant                // those of columns included, each once
	Policies   []Policy
	Defaults   []Default
	Indexes    []Index
	References []Reference
}

// A Column is one column of a relation.
type Column struct {
	Number     int16
	Name       string
	TypeSchema string
}

// TableAccess is what a role may do with a relation, as far as privileges go.
type TableAccess struct {
	Select, Insert, Update []string // columns
	Delete, Truncate       bool
}

// Any reports whether there is anything that the role may do.
func (t TableAccess) Any() bool {
	return len(t.Select)+len(t.Insert)+len(t.Update) > 0 || t.Delete || t.Truncate
}

// A Policy is one policy of row-level security.
type Policy struct {
	Name       string
	Command    string // SELECT, INSERT, UPDATE, DELETE or ALL
	Permissive bool
	Roles      []string // empty: PUBLIC
	Using      Expression
	Check      Expression
}

// Column returns the name of a column.
func (rel *Relation) Column(number int16) string {
	for _, c := range rel.Columns {
		if c.Number == number {
			return c.Name
		}
	}
	return ""
}

type policyRow struct {
	Relation   uint32   `db:"relation"`
	Name       string   `db:"name"`
	Command    string   `db:"command"`
	Permissive bool     `db:"permissive"`
	Roles      []string `db:"roles"`
	UsingTree  *string  `db:"using_tree"`
	UsingText  *string  `db:"using_text"`
	CheckTree  *string  `db:"check_tree"`
	CheckText  *string  `db:"check_text"`
	using      Expression
	check      Expression
}

func (r *accessReader) names() (schemas, names []string) {
	for _, t := range r.options.Relations {
		schemas, names = append(schemas, t.Schema), append(names, t.Name)
	}
	return schemas, names
}

// readPolicies reads the policies of the exposed tables. It comes before the
// relations, as policies read tables that are not exposed.
func (r *accessReader) readPolicies(ctx context.Context) error {
	schemas, names := r.names()
	err := pgxscan.Select(ctx, r.tx, &r.policies, `
		SELECT p.polrelid AS relation, p.polname::text AS name, p.polpermissive AS permissive,
		       CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END AS command,
		       ARRAY(SELECT r.rolname::text FROM pg_catalog.pg_roles r WHERE r.oid = ANY (p.polroles) ORDER BY 1) AS roles,
		       p.polqual::text AS using_tree, pg_catalog.pg_get_expr(p.polqual, p.polrelid) AS using_text,
		       p.polwithcheck::text AS check_tree, pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) AS check_text
		FROM unnest($1::text[], $2::text[]) t (schema, name)
		JOIN pg_catalog.pg_namespace n ON n.nspname = t.schema
		JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.name
		JOIN pg_catalog.pg_policy p ON p.polrelid = c.oid
		ORDER BY p.polname`, schemas, names)
	if err != nil {
		return fmt.Errorf("read policies: %w", err)
	}
	for i := range r.policies {
		p := &r.policies[i]
		if p.using, err = r.analyse(p.UsingTree, p.UsingText, p.Relation); err != nil {
			return fmt.Errorf("read policy %q: %w", p.Name, err)
		}
		if p.check, err = r.analyse(p.CheckTree, p.CheckText, p.Relation); err != nil {
			return fmt.Errorf("read policy %q: %w", p.Name, err)
		}
	}
	return nil
}

type relationRow struct {
	OID         uint32   `db:"oid"`
	Schema      string   `db:"schema"`
	Name        string   `db:"name"`
	Kind        string   `db:"kind"`
	Exposed     bool     `db:"exposed"`
	Owner       string   `db:"owner"`
	RowSecurity bool     `db:"row_security"`
	Forced      bool     `db:"forced"`
	Invoker     bool     `db:"invoker"`
	Reads       []uint32 `db:"reads"`
}

// readRelations reads the exposed relations, those that views read from, at
// every depth, and those that policies search.
func (r *accessReader) readRelations(ctx context.Context) error {
	var searched []uint32
	for _, p := range r.policies {
		for _, l := range p.using.Lookups {
			searched = append(searched, l.Relation)
		}
	}
	schemas, names := r.names()
	var rows []relationRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		WITH RECURSIVE reads AS (
			SELECT w.ev_class AS reader, d.refobjid AS read
			FROM pg_catalog.pg_rewrite w
			JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
			 AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> w.ev_class
			WHERE w.rulename = '_RETURN'),
		exposed AS (
			SELECT c.oid, t.n
			FROM unnest($1::text[], $2::text[]) WITH ORDINALITY t (schema, name, n)
			JOIN pg_catalog.pg_namespace n ON n.nspname = t.schema
			JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.name),
		wanted AS (
			SELECT e.oid FROM exposed e
			UNION SELECT unnest($3::oid[])
			UNION SELECT s.read FROM wanted w JOIN reads s ON s.reader = w.oid)
		SELECT c.oid, n.nspname::text AS schema, c.relname::text AS name, c.relkind::text AS kind, e.oid IS NOT NULL AS exposed, o.rolname::text AS owner,
		       c.relrowsecurity AS row_security, c.relforcerowsecurity AS forced,
		       EXISTS (SELECT FROM pg_catalog.pg_options_to_table(c.reloptions) x WHERE x.option_name = 'security_invoker' AND x.option_value::bool) AS invoker,
		       ARRAY(SELECT DISTINCT s.read FROM reads s WHERE s.reader = c.oid ORDER BY 1) AS reads
		FROM wanted w
		JOIN pg_catalog.pg_class c ON c.oid = w.oid
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_catalog.pg_roles o ON o.oid = c.relowner
		LEFT JOIN exposed e ON e.oid = c.oid
		ORDER BY e.n, n.nspname, c.relname`, schemas, names, searched)
	if err != nil {
		return fmt.Errorf("read relations: %w", err)
	}
	for i, row := range rows {
		r.at[row.OID] = i
		r.access.Relations = append(r.access.Relations, Relation{
			OID: row.OID, Table: schema.Table{Schema: row.Schema, Name: row.Name}, Relation: relations[row.Kind],
			Exposed: row.Exposed, Owner: row.Owner, RowSecurity: row.RowSecurity, Forced: row.Forced,
			Invoker: row.Invoker, Reads: row.Reads, Privileges: map[string]TableAccess{},
		})
	}
	for _, p := range r.policies {
		rel := r.relation(p.Relation)
		rel.Policies = append(rel.Policies, Policy{
			Name: p.Name, Command: p.Command, Permissive: p.Permissive, Roles: p.Roles, Using: p.using, Check: p.check,
		})
	}
	return nil
}

type accessColumnRow struct {
	Relation   uint32 `db:"relation"`
	Number     int16  `db:"number"`
	Name       string `db:"name"`
	TypeSchema string `db:"type_schema"`
}

func (r *accessReader) readColumns(ctx context.Context) error {
	var rows []accessColumnRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT a.attrelid AS relation, a.attnum AS number, a.attname::text AS name, n.nspname::text AS type_schema
		FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
		JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
		WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY a.attrelid, a.attnum`, r.oids())
	if err != nil {
		return fmt.Errorf("read columns: %w", err)
	}
	for _, c := range rows {
		rel := r.relation(c.Relation)
		rel.Columns = append(rel.Columns, Column{Number: c.Number, Name: c.Name, TypeSchema: c.TypeSchema})
	}
	return nil
}

type tableAccessRow struct {
	Relation uint32   `db:"relation"`
	Role     string   `db:"role"`
	Select   []string `db:"may_select"`
	Insert   []string `db:"may_insert"`
	Update   []string `db:"may_update"`
	Delete   bool     `db:"may_delete"`
	Truncate bool     `db:"may_truncate"`
}

func (r *accessReader) readPrivileges(ctx context.Context) error {
	var rows []tableAccessRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT c.oid AS relation, o.rolname::text AS role,
		       array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE pg_catalog.has_column_privilege(o.oid, c.oid, a.attnum, 'SELECT')) AS may_select,
		       array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE pg_catalog.has_column_privilege(o.oid, c.oid, a.attnum, 'INSERT')) AS may_insert,
		       array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE pg_catalog.has_column_privilege(o.oid, c.oid, a.attnum, 'UPDATE')) AS may_update,
		       pg_catalog.has_table_privilege(o.oid, c.oid, 'DELETE') AS may_delete,
		       pg_catalog.has_table_privilege(o.oid, c.oid, 'TRUNCATE') AS may_truncate
		FROM pg_catalog.pg_class c
		CROSS JOIN pg_catalog.pg_roles o
		JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.oid = ANY ($1::oid[]) AND o.oid = ANY ($2::oid[])
		GROUP BY c.oid, o.oid, o.rolname`, r.oids(), r.roles)
	if err != nil {
		return fmt.Errorf("read privileges: %w", err)
	}
	for _, p := range rows {
		r.relation(p.Relation).Privileges[p.Role] = TableAccess{
			Select: p.Select, Insert: p.Insert, Update: p.Update, Delete: p.Delete, Truncate: p.Truncate,
		}
	}
	return nil
}

type relationGrantRow struct {
	Relation uint32 `db:"relation"`
	Grant
}

func (r *accessReader) readGrants(ctx context.Context) error {
	var rows []relationGrantRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT DISTINCT l.relation, coalesce(g.rolname::text, '') AS grantee, x.privilege_type AS privilege
		FROM (SELECT c.oid AS relation, coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner)) AS acl FROM pg_catalog.pg_class c
		      UNION ALL
		      SELECT a.attrelid, a.attacl FROM pg_catalog.pg_attribute a WHERE a.attacl IS NOT NULL AND NOT a.attisdropped) l
		CROSS JOIN LATERAL pg_catalog.aclexplode(l.acl) x
		LEFT JOIN pg_catalog.pg_roles g ON g.oid = x.grantee
		WHERE l.relation = ANY ($1::oid[]) AND (x.grantee = 0 OR g.oid IS NOT NULL)
		ORDER BY 1, 2, 3`, r.oids())
	if err != nil {
		return fmt.Errorf("read grants: %w", err)
	}
	for _, g := range rows {
		rel := r.relation(g.Relation)
		rel.Grants = append(rel.Grants, g.Grant)
	}
	return nil
}
