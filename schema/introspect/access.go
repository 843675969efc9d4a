package introspect

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/georgysavva/scany/v2/pgxscan"
	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/schema"
)

// Access is what decides who may do what with the exposed relations of a
// database, and what it costs: the facts, without a judgement. Ordinary
// privileges are enough to read it.
type Access struct {
	Database string
	Version  int      // server_version_num
	Login    string   // the role of the connection
	Schemas  []string // the exposed ones
	// SearchPath are the schemas in which the connection looks for unqualified
	// names, as its setting has them: some may not exist, and "$user" is the
	// schema that is called like the role.
	SearchPath []string

	Roles       []RoleAccess // the login role and those that it may become, the login role first, then by name
	Owners      map[string]RoleAccess
	Memberships []Membership // all of the server's
	Namespaces  map[string]Namespace
	Relations   []Relation // the exposed ones in the order that they were asked for, then others that matter to them
	Functions   map[uint32]Function
}

// A Grant is a privilege as it was given. An empty grantee is PUBLIC.
type Grant struct {
	Grantee   string `db:"grantee"`
	Privilege string `db:"privilege"`
}

// AccessOptions say what ReadAccess reads about.
type AccessOptions struct {
	Schemas   []string       // the exposed ones
	Relations []schema.Table // the exposed ones, none twice
	// Role is one more role to read about, which the login role need not be
	// allowed to become; it may be one that does not exist.
	Role string
}

// ReadAccess reads, in one snapshot, what the login role of the connection and
// the roles that it may become are allowed to do.
func ReadAccess(ctx context.Context, conn Conn, o AccessOptions) (*Access, error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("introspect: begin: %w", err)
	}
	// Nothing was written: rolling back ends the snapshot, also after an error.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()

	r := &accessReader{
		loader: loader{tx: tx}, options: o, analyst: analyst{byOperator: map[uint32]operatorRow{}},
		access: &Access{Schemas: o.Schemas, Owners: map[string]RoleAccess{}, Namespaces: map[string]Namespace{}, Functions: map[uint32]Function{}},
		at:     map[uint32]int{},
	}
	for _, step := range []func(context.Context) error{
		r.readSession, r.settle, r.readOperators, r.readRoles, r.readPolicies, r.readRelations, r.readColumns,
		r.readPrivileges, r.readGrants, r.readDefaults, r.readSequences, r.readIndexes, r.readIndexOperators,
		r.readReferences, r.readFunctions, r.readNamespaces, r.readOwners,
	} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("introspect: %w", err)
		}
	}
	return r.access, nil
}

// An accessReader fills an Access, step by step.
type accessReader struct {
	loader
	analyst
	options  AccessOptions
	access   *Access
	roles    []uint32          // of access.Roles
	at       map[uint32]int    // index in access.Relations
	policies []policyRow       // with their expressions
	called   []uint32          // functions that expressions use
	keys     map[uint32][2]int // indexes: relation and position there
}

// oids are those of all relations that are read about.
func (r *accessReader) oids() []uint32 {
	out := make([]uint32, len(r.access.Relations))
	for i := range r.access.Relations {
		out[i] = r.access.Relations[i].OID
	}
	return out
}

func (r *accessReader) relation(oid uint32) *Relation { return &r.access.Relations[r.at[oid]] }

// analyse reads an expression and remembers the functions that it uses.
func (r *accessReader) analyse(tree, text *string, relation uint32) (Expression, error) {
	if tree == nil || text == nil {
		return Expression{}, nil
	}
	e, err := r.expression(*tree, *text, relation)
	r.called = append(r.called, e.Functions...)
	return e, err
}

// readSession reads what the connection is, before settle changes it.
func (r *accessReader) readSession(ctx context.Context) error {
	var path string
	err := r.tx.QueryRow(ctx, `
		SELECT current_database()::text, current_setting('server_version_num')::int, session_user::text, current_setting('search_path')`).
		Scan(&r.access.Database, &r.access.Version, &r.access.Login, &path)
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	r.access.SearchPath = splitPath(path)
	return nil
}

// pathElement is one schema of a search path, quoted or not.
var pathElement = regexp.MustCompile(`"((?:[^"]|"")+)"|[^",\s]+`)

func splitPath(path string) []string {
	var out []string
	for _, m := range pathElement.FindAllStringSubmatch(path, -1) {
		if m[1] != "" {
			out = append(out, strings.ReplaceAll(m[1], `""`, `"`))
		} else {
			out = append(out, strings.ToLower(m[0]))
		}
	}
	return out
}

func (r *accessReader) readOperators(ctx context.Context) error {
	var rows []operatorRow
	err := pgxscan.Select(ctx, r.tx, &rows, `SELECT o.oid, o.oprname::text AS name, o.oprcode::oid AS function FROM pg_catalog.pg_operator o`)
	if err != nil {
		return fmt.Errorf("read operators: %w", err)
	}
	for _, o := range rows {
		r.byOperator[o.OID] = o
	}
	return nil
}

// A Namespace is a schema of Postgres's.
type Namespace struct {
	Name   string   `db:"name"`
	Owner  string   `db:"owner"`
	Usage  []string `db:"may_use"`    // the roles that may use it
	Create []string `db:"may_create"` // those that may create objects in it
	Grants []Grant  `db:"-"`
}

type namespaceGrantRow struct {
	Name string `db:"name"`
	Grant
}

// readNamespaces reads the schemas that are exposed, that are searched or would
// be by "$user", and that columns' types are in.
func (r *accessReader) readNamespaces(ctx context.Context) error {
	names := slices.Concat(r.access.Schemas, r.access.SearchPath)
	for _, role := range r.access.Roles {
		names = append(names, role.Name)
	}
	for _, rel := range r.access.Relations {
		for _, c := range rel.Columns {
			names = append(names, c.TypeSchema)
		}
	}
	var rows []Namespace
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT n.nspname::text AS name, o.rolname::text AS owner,
		       ARRAY(SELECT a.rolname::text FROM pg_catalog.pg_roles a WHERE a.oid = ANY ($2::oid[]) AND pg_catalog.has_schema_privilege(a.oid, n.oid, 'USAGE')) AS may_use,
		       ARRAY(SELECT a.rolname::text FROM pg_catalog.pg_roles a WHERE a.oid = ANY ($2::oid[]) AND pg_catalog.has_schema_privilege(a.oid, n.oid, 'CREATE')) AS may_create
		FROM pg_catalog.pg_namespace n
		JOIN pg_catalog.pg_roles o ON o.oid = n.nspowner
		WHERE n.nspname = ANY ($1::text[]) AND n.nspname <> 'pg_catalog'`, names, r.roles)
	if err != nil {
		return fmt.Errorf("read schemas: %w", err)
	}
	var grants []namespaceGrantRow
	err = pgxscan.Select(ctx, r.tx, &grants, `
		SELECT DISTINCT n.nspname::text AS name, coalesce(g.rolname::text, '') AS grantee, x.privilege_type AS privilege
		FROM pg_catalog.pg_namespace n
		CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) x
		LEFT JOIN pg_catalog.pg_roles g ON g.oid = x.grantee
		WHERE n.nspname = ANY ($1::text[]) AND (x.grantee = 0 OR g.oid IS NOT NULL)
		ORDER BY 1, 2, 3`, names)
	if err != nil {
		return fmt.Errorf("read the grants of schemas: %w", err)
	}
	for _, n := range rows {
		r.access.Namespaces[n.Name] = n
	}
	for _, g := range grants {
		if n, ok := r.access.Namespaces[g.Name]; ok {
			n.Grants = append(n.Grants, g.Grant)
			r.access.Namespaces[g.Name] = n
		}
	}
	return nil
}
