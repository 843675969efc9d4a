package introspect

import (
	"context"
	"fmt"
	"slices"

	"github.com/georgysavva/scany/v2/pgxscan"
)

// A Function is one that expressions use, or a SECURITY DEFINER one of an
// exposed schema.
type Function struct {
	OID        uint32   `db:"oid"`
	Schema     string   `db:"schema"`
	Name       string   `db:"name"`
	Arguments  string   `db:"arguments"` // that identify it, as in ALTER FUNCTION
	Kind       string   `db:"kind"`      // FUNCTION, PROCEDURE or AGGREGATE
	Owner      string   `db:"owner"`
	Definer    bool     `db:"definer"`    // runs with its owner's rights
	Volatility string   `db:"volatility"` // i, s or v, as in pg_proc
	Leakproof  bool     `db:"leakproof"`
	Trigger    bool     `db:"trigger"` // called by triggers alone
	Extension  bool     `db:"extension"`
	Config     []string `db:"config"` // settings while it runs, name=value
	Source     string   `db:"source"` // its body as text, "" for one that is parsed
	Callers    []string `db:"callers"`
	Grants     []Grant  `db:"-"`
	Result     string   `db:"result"`
	Calls      []uint32 `db:"-"` // what the parsed body calls
}

type functionRow struct {
	Function
	Tree *string `db:"tree"`
}

// readFunctions reads the functions, and those that the parsed bodies of these
// call.
func (r *accessReader) readFunctions(ctx context.Context) error {
	for oids, schemas := r.called, r.access.Schemas; len(oids)+len(schemas) > 0; schemas = nil {
		var rows []functionRow
		err := pgxscan.Select(ctx, r.tx, &rows, `
			SELECT p.oid, n.nspname::text AS schema, p.proname::text AS name, pg_catalog.pg_get_function_identity_arguments(p.oid) AS arguments,
			       CASE p.prokind WHEN 'p' THEN 'PROCEDURE' WHEN 'a' THEN 'AGGREGATE' ELSE 'FUNCTION' END AS kind,
			       o.rolname::text AS owner, p.prosecdef AS definer, p.provolatile::text AS volatility, p.proleakproof AS leakproof,
			       p.prorettype IN ('pg_catalog.trigger'::pg_catalog.regtype, 'pg_catalog.event_trigger'::pg_catalog.regtype) AS trigger,
			       EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e') AS extension,
			       pg_catalog.format_type(p.prorettype, NULL) AS result, p.proconfig AS config, coalesce(p.prosrc, '') AS source, p.prosqlbody::text AS tree,
			       ARRAY(SELECT a.rolname::text FROM pg_catalog.pg_roles a WHERE a.oid = ANY ($3::oid[]) AND pg_catalog.has_function_privilege(a.oid, p.oid, 'EXECUTE')) AS callers
			FROM pg_catalog.pg_proc p
			JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
			JOIN pg_catalog.pg_roles o ON o.oid = p.proowner
			WHERE p.oid = ANY ($1::oid[]) OR p.prosecdef AND n.nspname = ANY ($2::text[])`, oids, schemas, r.roles)
		if err != nil {
			return fmt.Errorf("read functions: %w", err)
		}
		oids = nil
		for _, row := range rows {
			f := row.Function
			if row.Tree != nil {
				if f.Calls, err = r.calls(*row.Tree); err != nil {
					return fmt.Errorf("read function %q: %w", f.Name, err)
				}
			}
			r.access.Functions[f.OID] = f
			oids = append(oids, f.Calls...)
		}
		oids = slices.DeleteFunc(oids, func(oid uint32) bool { _, known := r.access.Functions[oid]; return known || oid == 0 })
	}
	return r.readFunctionGrants(ctx)
}

func (r *accessReader) calls(tree string) ([]uint32, error) {
	nodes, err := parseTree(tree)
	if err != nil {
		return nil, err
	}
	var out []uint32
	for _, n := range nodes {
		out = append(out, r.functions(n)...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

type functionGrantRow struct {
	OID uint32 `db:"oid"`
	Grant
}

func (r *accessReader) readFunctionGrants(ctx context.Context) error {
	var oids []uint32
	for oid := range r.access.Functions {
		oids = append(oids, oid)
	}
	var rows []functionGrantRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT DISTINCT p.oid, coalesce(g.rolname::text, '') AS grantee, x.privilege_type AS privilege
		FROM pg_catalog.pg_proc p
		CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) x
		LEFT JOIN pg_catalog.pg_roles g ON g.oid = x.grantee
		WHERE p.oid = ANY ($1::oid[]) AND (x.grantee = 0 OR g.oid IS NOT NULL)
		ORDER BY 1, 2, 3`, oids)
	if err != nil {
		return fmt.Errorf("read the grants of functions: %w", err)
	}
	for _, g := range rows {
		f := r.access.Functions[g.OID]
		f.Grants = append(f.Grants, g.Grant)
		r.access.Functions[g.OID] = f
	}
	return nil
}
