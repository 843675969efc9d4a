package introspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/georgysavva/scany/v2/pgxscan"
	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/schema"
)

// A Conn is a connection or a pool of them: *pgx.Conn, *pgxpool.Pool.
type Conn interface {
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// Options say what is read. The zero value reads the schema public.
type Options struct {
	// Schemas are the exposed schemas, the default one first; empty: public.
	Schemas []string
}

// Load reads the catalogue of the exposed schemas, in one snapshot. Foreign
// keys to tables that are not exposed are in it, though no relationship comes
// of them. A schema that does not exist is an error.
func Load(ctx context.Context, conn Conn, o Options) (*schema.Catalog, error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("introspect: begin: %w", err)
	}
	// Nothing was written: rolling back ends the snapshot, also after an error.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()

	l := &loader{tx: tx, catalog: &schema.Catalog{Schemas: exposed(o.Schemas)}, byOID: map[uint32]int{}}
	for _, step := range []func(context.Context) error{
		l.settle, l.checkSchemas, l.loadTables, l.loadTypes, l.loadColumns, l.loadKeys, l.loadForeignKeys,
		l.loadChecks, l.loadIndexConstraints, l.loadPartitions, l.loadClones,
	} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("introspect: %w", err)
		}
	}
	return l.catalog, nil
}

func exposed(schemas []string) []string {
	if len(schemas) == 0 {
		return []string{"public"}
	}
	var once []string
	for _, s := range schemas {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// A loader fills a catalogue, table after table of the system's.
type loader struct {
	tx      pgx.Tx
	catalog *schema.Catalog
	oids    []uint32       // of the tables, in the order of catalog.Relations
	byOID   map[uint32]int // index in catalog.Relations
	types   map[uint32]*typeRow
}

// settle sets what the queries depend on until the transaction's end. The
// catalogues' statistics make Postgres compile queries that read a few rows:
// half a second of work for a few milliseconds'. And nobody's functions or
// operators shall stand in for the system's. The setting of string literals
// decides how Postgres prints the backslashes of expressions.
func (l *loader) settle(ctx context.Context) error {
	if _, err := l.tx.Exec(ctx, `SET LOCAL jit = off; SET LOCAL search_path = pg_catalog; SET LOCAL standard_conforming_strings = on`); err != nil {
		return fmt.Errorf("settle the session: %w", err)
	}
	return nil
}

func (l *loader) checkSchemas(ctx context.Context) error {
	var missing []string
	err := pgxscan.Select(ctx, l.tx, &missing, `
		SELECT s FROM unnest($1::text[]) s
		WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspname = s)`, l.catalog.Schemas)
	switch {
	case err != nil:
		return fmt.Errorf("read schemas: %w", err)
	case len(missing) > 0:
		return errors.New("no such schema in the database: " + strings.Join(missing, ", "))
	default:
		return nil
	}
}

type tableRow struct {
	OID    uint32 `db:"oid"`
	Schema string `db:"schema"`
	Name   string `db:"name"`
	Kind   string `db:"kind"`
	Events int32  `db:"events"`
	Ruled  bool   `db:"ruled"`
}

var relations = map[string]schema.Relation{
	"r": schema.OrdinaryTable, "p": schema.OrdinaryTable, "v": schema.PlainView,
	"m": schema.MaterializedView, "f": schema.ForeignTable,
}

// The bits of pg_relation_is_updatable.
const (
	updatable  = 1 << 2
	insertable = 1 << 3
	deletable  = 1 << 4
)

// loadTables reads the relations: no partitions, nothing that an extension owns.
// What has rules on writing is read only, and so are the views that write to it:
// Postgres takes no statement for it that does more than one thing at once.
func (l *loader) loadTables(ctx context.Context) error {
	var rows []tableRow
	err := pgxscan.Select(ctx, l.tx, &rows, `
		WITH RECURSIVE ruled AS (
		    SELECT r.ev_class AS oid FROM pg_catalog.pg_rewrite r WHERE r.ev_type <> '1' AND r.ev_enabled <> 'D'
		    UNION
		    SELECT r.ev_class FROM ruled
		    JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = ruled.oid
		     AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
		    JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid AND r.ev_type = '1'
		    WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = r.ev_class AND t.tgtype & 64 <> 0) -- INSTEAD OF
		)
		SELECT c.oid, n.nspname::text AS schema, c.relname::text AS name, c.relkind::text AS kind,
		       pg_catalog.pg_relation_is_updatable(c.oid, true) AS events, c.oid IN (SELECT oid FROM ruled) AS ruled
		FROM pg_catalog.pg_class c
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = ANY ($1::text[])
		  AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
		  AND NOT c.relispartition
		  AND NOT EXISTS (
		      SELECT FROM pg_catalog.pg_depend d
		      WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')`, l.catalog.Schemas)
	if err != nil {
		return fmt.Errorf("read tables: %w", err)
	}
	l.catalog.Relations = make([]schema.TableDef, len(rows))
	for i, r := range rows {
		l.oids = append(l.oids, r.OID)
		l.byOID[r.OID] = i
		l.catalog.Relations[i] = schema.TableDef{
			Table:      schema.Table{Schema: r.Schema, Name: r.Name},
			Relation:   relations[r.Kind],
			Insertable: r.Events&insertable != 0 && !r.Ruled,
			Updatable:  r.Events&updatable != 0 && !r.Ruled,
			Deletable:  r.Events&deletable != 0 && !r.Ruled,
		}
	}
	return nil
}

type columnRow struct {
	Table     uint32 `db:"relation"`
	Name      string `db:"name"`
	Type      uint32 `db:"type"`
	Modifier  int32  `db:"modifier"`
	NotNull   bool   `db:"not_null"`
	Default   bool   `db:"has_default"`
	Generated bool   `db:"generated"`
	Loose     bool   `db:"loose"`
}

// loadColumns reads the columns. Of a view that Postgres updates by itself,
// the columns that are expressions cannot be written.
func (l *loader) loadColumns(ctx context.Context) error {
	var rows []columnRow
	err := pgxscan.Select(ctx, l.tx, &rows, `
		SELECT a.attrelid AS relation, a.attname::text AS name, a.atttypid AS type, a.atttypmod AS modifier, a.attnotnull AS not_null,
		       a.atthasdef OR a.attidentity <> '' AS has_default,
		       a.attgenerated <> '' OR a.attidentity = 'a'
		         OR c.relkind = 'v' AND pg_catalog.pg_relation_is_updatable(c.oid, true) & 20 = 20
		            AND NOT pg_catalog.pg_column_is_updatable(c.oid, a.attnum, true) AS generated,
		       coalesce(NOT l.collisdeterministic, false) AS loose
		FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
		LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation
		WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY a.attrelid, a.attnum`, l.oids)
	if err != nil {
		return fmt.Errorf("read columns: %w", err)
	}
	for _, r := range rows {
		t := &l.catalog.Relations[l.byOID[r.Table]]
		notNull, hasDefault := l.domainRules(r.Type)
		c := schema.ColumnDef{
			Name: r.Name, Type: l.types[r.Type].ref(), NotNull: r.NotNull || notNull,
			Default: r.Default || hasDefault, Generated: r.Generated, Loose: r.Loose,
		}
		l.limit(&c, r.Type, r.Modifier)
		t.Columns = append(t.Columns, c)
	}
	return nil
}

// domainRules reports whether a domain, or one beneath it, forbids NULL, and
// whether one has a default.
func (l *loader) domainRules(oid uint32) (notNull, hasDefault bool) {
	for t := l.types[oid]; t != nil && t.Type == "d"; t = l.types[t.Elem] {
		notNull, hasDefault = notNull || t.NotNull, hasDefault || t.Default
	}
	return notNull, hasDefault
}

// limit sets what the column's type modifier says, which is the domain's where
// the column is of one.
func (l *loader) limit(c *schema.ColumnDef, oid uint32, modifier int32) {
	t := l.types[oid]
	for t.Type == "d" && modifier < 0 {
		modifier, t = t.Modifier, l.types[t.Elem]
	}
	if t.Schema != "pg_catalog" || modifier < header {
		return
	}
	switch t.Name {
	case "varchar", "bpchar":
		c.Length = int(modifier - header)
	case "numeric":
		c.Precision, c.Scale = digits(modifier - header)
	}
}

// header is what Postgres adds to the modifiers of varchar, bpchar and numeric.
const header = 4

// digits unpacks the modifier of a numeric. The scale has eleven bits with a
// sign; before Postgres 15, which brought negative ones, it was 1000 at most.
func digits(modifier int32) (precision, scale int) {
	precision, scale = int(modifier>>16), int(modifier&0x7ff)
	if scale > 1000 {
		scale -= 1 << 11
	}
	return precision, scale
}
