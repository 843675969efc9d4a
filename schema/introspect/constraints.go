package introspect

import (
	"context"
	"fmt"

	"github.com/georgysavva/scany/v2/pgxscan"

	"github.com/resourcery/resourcery/schema"
)

type checkRow struct {
	Table      uint32   `db:"relation"`
	Name       string   `db:"name"`
	Columns    []string `db:"columns"`
	Expression string   `db:"expression"`
}

// loadChecks reads the CHECK constraints that hold for new rows, validated or
// not. Those that are not enforced are there since Postgres 18.
func (l *loader) loadChecks(ctx context.Context) error {
	var rows []checkRow
	err := pgxscan.Select(ctx, l.tx, &rows, `
		SELECT k.conrelid AS relation, k.conname::text AS name, pg_catalog.pg_get_expr(k.conbin, k.conrelid) AS expression,
		       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
		             WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey) AND a.attnum > 0 ORDER BY a.attnum) AS columns
		FROM pg_catalog.pg_constraint k
		WHERE k.contype = 'c' AND k.conrelid = ANY ($1::oid[])
		  AND coalesce((to_jsonb(k) ->> 'conenforced')::bool, true)`, l.oids)
	if err != nil {
		return fmt.Errorf("read checks: %w", err)
	}
	for _, r := range rows {
		t := &l.catalog.Relations[l.byOID[r.Table]]
		t.Checks = append(t.Checks, schema.CheckDef{Name: r.Name, Columns: r.Columns, Expression: r.Expression})
	}
	return nil
}

type indexRow struct {
	Table     uint32   `db:"relation"`
	Name      string   `db:"name"`
	Columns   []string `db:"columns"`
	Exclusion bool     `db:"is_exclusion"`
}

// loadIndexConstraints reads the indexes that refuse rows and are no keys:
// those of exclusion constraints, and the unique ones that loadKeys leaves
// out, one that is not valid yet included. Of an expression Postgres knows the
// columns in its tree alone, where varattno is their number.
func (l *loader) loadIndexConstraints(ctx context.Context) error {
	var rows []indexRow
	err := pgxscan.Select(ctx, l.tx, &rows, `
		SELECT i.indrelid AS relation, c.relname::text AS name, i.indisexclusion AS is_exclusion,
		       ARRAY(SELECT a.attname::text
		             FROM (SELECT u.attnum, u.n FROM unnest(i.indkey::int2[]) WITH ORDINALITY u(attnum, n) WHERE u.n <= i.indnkeyatts
		                   UNION ALL
		                   SELECT m[1]::int2, 1000 FROM regexp_matches(i.indexprs::text, ':varattno (\d+)', 'g') m
		                   WHERE NOT i.indisexclusion) k
		             JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND a.attnum > 0
		             GROUP BY a.attname, a.attnum ORDER BY min(k.n), a.attnum) AS columns
		FROM pg_catalog.pg_index i
		JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = ANY ($1::oid[])
		  AND (i.indisexclusion OR i.indisunique AND (NOT i.indisvalid OR i.indpred IS NOT NULL OR i.indexprs IS NOT NULL))`, l.oids)
	if err != nil {
		return fmt.Errorf("read unique indexes and exclusions: %w", err)
	}
	for _, r := range rows {
		t := &l.catalog.Relations[l.byOID[r.Table]]
		if r.Exclusion {
			t.Exclusions = append(t.Exclusions, schema.ExclusionDef{Name: r.Name, Columns: r.Columns})
		} else {
			t.PartialKeys = append(t.PartialKeys, schema.PartialKeyDef{Name: r.Name, Columns: r.Columns})
		}
	}
	return nil
}

type partitionRow struct {
	Table  uint32 `db:"relation"`
	Schema string `db:"schema"`
	Name   string `db:"name"`
}

// loadPartitions reads the partitions of the tables, at every depth and in
// every schema.
func (l *loader) loadPartitions(ctx context.Context) error {
	var rows []partitionRow
	err := pgxscan.Select(ctx, l.tx, &rows, `
		SELECT p.oid AS relation, n.nspname::text AS schema, c.relname::text AS name
		FROM pg_catalog.pg_class p
		CROSS JOIN LATERAL pg_catalog.pg_partition_tree(p.oid) t
		JOIN pg_catalog.pg_class c ON c.oid = t.relid
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE p.oid = ANY ($1::oid[]) AND p.relkind = 'p' AND t.level > 0`, l.oids)
	if err != nil {
		return fmt.Errorf("read partitions: %w", err)
	}
	for _, r := range rows {
		t := &l.catalog.Relations[l.byOID[r.Table]]
		t.Partitions = append(t.Partitions, schema.Table{Schema: r.Schema, Name: r.Name})
	}
	return nil
}

type cloneRow struct {
	Table  uint32 `db:"relation"` // that the constraint was made on
	Of     string `db:"original"`
	Schema string `db:"schema"`
	On     string `db:"table_name"`
	Name   string `db:"name"`
}

// loadClones reads the names that constraints have on partitions where these
// are others: of unique indexes and exclusions each partition has its own
// index. A foreign key to a partitioned table has a clone for each of the
// partitions, on the table that has the key, and a delete over there fails by
// the clone's name.
func (l *loader) loadClones(ctx context.Context) error {
	var rows []cloneRow
	err := pgxscan.Select(ctx, l.tx, &rows, `
		WITH RECURSIVE clone_index (relation, original, oid) AS (
		    SELECT i.indrelid, c.relname, h.inhrelid
		    FROM pg_catalog.pg_index i
		    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
		    JOIN pg_catalog.pg_inherits h ON h.inhparent = i.indexrelid
		    WHERE i.indrelid = ANY ($1::oid[]) AND (i.indisunique OR i.indisexclusion)
		  UNION ALL
		    SELECT u.relation, u.original, h.inhrelid
		    FROM clone_index u JOIN pg_catalog.pg_inherits h ON h.inhparent = u.oid
		), clone_key (relation, original, oid) AS (
		    SELECT k.conrelid, k.conname, c.oid
		    FROM pg_catalog.pg_constraint k
		    JOIN pg_catalog.pg_constraint c ON c.conparentid = k.oid
		    WHERE k.conrelid = ANY ($1::oid[]) AND k.contype = 'f' AND k.conparentid = 0
		  UNION ALL
		    SELECT u.relation, u.original, c.oid
		    FROM clone_key u JOIN pg_catalog.pg_constraint c ON c.conparentid = u.oid
		), clone (relation, original, on_table, name) AS (
		    SELECT u.relation, u.original, i.indrelid, c.relname
		    FROM clone_index u
		    JOIN pg_catalog.pg_index i ON i.indexrelid = u.oid
		    JOIN pg_catalog.pg_class c ON c.oid = u.oid
		  UNION ALL
		    SELECT u.relation, u.original, c.conrelid, c.conname
		    FROM clone_key u JOIN pg_catalog.pg_constraint c ON c.oid = u.oid
		)
		SELECT u.relation, u.original::text, n.nspname::text AS schema, c.relname::text AS table_name, u.name::text
		FROM clone u
		JOIN pg_catalog.pg_class c ON c.oid = u.on_table
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE u.name <> u.original`, l.oids)
	if err != nil {
		return fmt.Errorf("read the constraints of partitions: %w", err)
	}
	for _, r := range rows {
		t := &l.catalog.Relations[l.byOID[r.Table]]
		t.Clones = append(t.Clones, schema.CloneDef{Table: schema.Table{Schema: r.Schema, Name: r.On}, Name: r.Name, Of: r.Of})
	}
	return nil
}
