package introspect

import (
	"context"
	"fmt"

	"github.com/georgysavva/scany/v2/pgxscan"

	"github.com/resourcery/resourcery/schema"
)

type keyRow struct {
	Table            uint32   `db:"relation"`
	Name             string   `db:"name"`
	Columns          []string `db:"columns"`
	Primary          bool     `db:"is_primary"`
	Deferrable       bool     `db:"is_deferrable"`
	NullsNotDistinct bool     `db:"nulls_not_distinct"`
}

// loadKeys reads the unique indexes, constraints or not, that hold for whole
// rows and plain columns. Those of temporal keys are exclusions: their columns
// do repeat. indnullsnotdistinct is there since Postgres 15.
func (l *loader) loadKeys(ctx context.Context) error {
	var rows []keyRow
	err := pgxscan.Select(ctx, l.tx, &rows, `
		SELECT i.indrelid AS relation, c.relname::text AS name, i.indisprimary AS is_primary,
		       NOT i.indimmediate AS is_deferrable,
		       coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::bool, false) AS nulls_not_distinct,
		       ARRAY(SELECT a.attname::text
		             FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, n)
		             JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
		             WHERE k.n <= i.indnkeyatts ORDER BY k.n) AS columns
		FROM pg_catalog.pg_index i
		JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = ANY ($1::oid[])
		  AND i.indisunique AND i.indisvalid AND NOT i.indisexclusion AND i.indpred IS NULL AND i.indexprs IS NULL`, l.oids)
	if err != nil {
		return fmt.Errorf("read keys: %w", err)
	}
	for _, r := range rows {
		t := &l.catalog.Relations[l.byOID[r.Table]]
		t.Keys = append(t.Keys, schema.KeyDef{
			Name: r.Name, Columns: r.Columns, Primary: r.Primary,
			NullsDistinct: !r.NullsNotDistinct, Deferrable: r.Deferrable,
		})
	}
	return nil
}

type foreignKeyRow struct {
	Name       string   `db:"name"`
	Table      uint32   `db:"relation"`
	Columns    []string `db:"columns"`
	RefSchema  string   `db:"ref_schema"`
	RefName    string   `db:"ref_name"`
	RefColumns []string `db:"ref_columns"`
}

// loadForeignKeys reads the foreign keys. Of those that concern partitions
// Postgres keeps copies, which have a parent. Temporal ones (Postgres 18) pair
// ranges that contain, not columns that are equal.
func (l *loader) loadForeignKeys(ctx context.Context) error {
	var rows []foreignKeyRow
	err := pgxscan.Select(ctx, l.tx, &rows, `
		SELECT k.conname::text AS name, k.conrelid AS relation, n.nspname::text AS ref_schema, c.relname::text AS ref_name,
		       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u(attnum, n)
		             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum ORDER BY u.n) AS columns,
		       ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY u(attnum, n)
		             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.attnum ORDER BY u.n) AS ref_columns
		FROM pg_catalog.pg_constraint k
		JOIN pg_catalog.pg_class c ON c.oid = k.confrelid
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE k.contype = 'f' AND k.conrelid = ANY ($1::oid[]) AND k.conparentid = 0
		  AND NOT coalesce((to_jsonb(k) ->> 'conperiod')::bool, false)`, l.oids)
	if err != nil {
		return fmt.Errorf("read foreign keys: %w", err)
	}
	for _, r := range rows {
		l.catalog.ForeignKeys = append(l.catalog.ForeignKeys, schema.ForeignKey{
			Name: r.Name, Table: l.catalog.Relations[l.byOID[r.Table]].Table, Columns: r.Columns,
			References: schema.Table{Schema: r.RefSchema, Name: r.RefName}, RefColumns: r.RefColumns,
		})
	}
	return nil
}
