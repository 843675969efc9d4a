package introspect

import (
	"context"
	"fmt"

	"github.com/georgysavva/scany/v2/pgxscan"

	"github.com/resourcery/resourcery/schema"
)

type privilegeRow struct {
	Schema string   `db:"schema"`
	Name   string   `db:"name"`
	Select []string `db:"may_select"`
	Insert []string `db:"may_insert"`
	Update []string `db:"may_update"`
	Delete bool     `db:"may_delete"`
	Guards bool     `db:"guards"`
}

// Privileges reads what a role may do with the tables of the schema's
// catalogue, join tables among them, and with those that their foreign keys lead
// to. An empty role is the current one; a role
// that does not exist is an error with SQLSTATE 42704.
func Privileges(ctx context.Context, conn pgxscan.Querier, s *schema.Schema, role string) (schema.Privileges, error) {
	var schemas, names []string
	for _, t := range tables(s.Catalog()) {
		schemas, names = append(schemas, t.Schema), append(names, t.Name)
	}
	var rows []privilegeRow
	err := pgxscan.Select(ctx, conn, &rows, `
		SELECT t.schema, t.name,
		       array_agg(a.attname::text) FILTER (WHERE pg_catalog.has_column_privilege(r.name, c.oid, a.attnum, 'SELECT')) AS may_select,
		       array_agg(a.attname::text) FILTER (WHERE pg_catalog.has_column_privilege(r.name, c.oid, a.attnum, 'INSERT')) AS may_insert,
		       array_agg(a.attname::text) FILTER (WHERE pg_catalog.has_column_privilege(r.name, c.oid, a.attnum, 'UPDATE')) AS may_update,
		       pg_catalog.has_table_privilege(r.name, c.oid, 'DELETE') AS may_delete,
		       c.relkind NOT IN ('r', 'p', 'm') OR c.relrowsecurity AND NOT r.free
		           AND (c.relforcerowsecurity OR NOT pg_catalog.pg_has_role(r.name, c.relowner, 'USAGE')) AS guards
		FROM unnest($2::text[], $3::text[]) t (schema, name)
		CROSS JOIN (SELECT a.name, coalesce(o.rolsuper OR o.rolbypassrls, false) AS free
		            FROM (SELECT coalesce(nullif($1::text, ''), current_user::text)::name AS name) a
		            LEFT JOIN pg_catalog.pg_roles o ON o.rolname = a.name) r
		JOIN pg_catalog.pg_namespace n ON n.nspname = t.schema
		JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.name
		JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE pg_catalog.has_schema_privilege(r.name, n.oid, 'USAGE')
		GROUP BY t.schema, t.name, r.name, r.free, c.oid, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.relowner`, role, schemas, names)
	if err != nil {
		return nil, fmt.Errorf("read privileges of role %q: %w", role, err)
	}
	p := make(schema.Privileges, len(rows))
	for _, r := range rows {
		p[schema.Table{Schema: r.Schema, Name: r.Name}] = schema.TablePrivileges{
			Select: set(r.Select), Insert: set(r.Insert), Update: set(r.Update), Delete: r.Delete,
			RowSecurity: r.Guards,
		}
	}
	return p, nil
}

// tables are those that a catalogue speaks of, each once.
func tables(c *schema.Catalog) []schema.Table {
	var all []schema.Table
	seen := make(map[schema.Table]bool)
	add := func(t schema.Table) {
		if !seen[t] {
			seen[t] = true
			all = append(all, t)
		}
	}
	for i := range c.Relations {
		add(c.Relations[i].Table)
	}
	for i := range c.ForeignKeys {
		add(c.ForeignKeys[i].References)
	}
	return all
}

func set(names []string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, n := range names {
		s[n] = true
	}
	return s
}
