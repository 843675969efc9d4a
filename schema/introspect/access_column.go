package introspect

import (
	"context"
	"fmt"

	"github.com/georgysavva/scany/v2/pgxscan"

	"github.com/resourcery/resourcery/schema"
)

// A Default is the default of a column, or what generates it.
type Default struct {
	Column    string
	Generated bool
	Value     Expression
	// Sequence is what the default takes its numbers from, nil: nothing. That of
	// an identity column is not here, as it needs no privilege.
	Sequence *Sequence
}

// A Sequence is one that a default uses.
type Sequence struct {
	schema.Table
	Usage []string // the roles that may take numbers from it
}

type defaultRow struct {
	Relation  uint32 `db:"relation"`
	Column    string `db:"column"`
	Generated bool   `db:"generated"`
	Tree      string `db:"tree"`
	Text      string `db:"text"`
}

func (r *accessReader) readDefaults(ctx context.Context) error {
	var rows []defaultRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT d.adrelid AS relation, a.attname::text AS column, a.attgenerated <> '' AS generated,
		       d.adbin::text AS tree, pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS text
		FROM pg_catalog.pg_attrdef d
		JOIN pg_catalog.pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
		WHERE d.adrelid = ANY ($1::oid[])
		ORDER BY d.adrelid, d.adnum`, r.oids())
	if err != nil {
		return fmt.Errorf("read defaults: %w", err)
	}
	for _, d := range rows {
		value, err := r.analyse(&d.Tree, &d.Text, d.Relation)
		if err != nil {
			return fmt.Errorf("read the default of column %q: %w", d.Column, err)
		}
		rel := r.relation(d.Relation)
		rel.Defaults = append(rel.Defaults, Default{Column: d.Column, Generated: d.Generated, Value: value})
	}
	return nil
}

type sequenceRow struct {
	Relation uint32   `db:"relation"`
	Column   string   `db:"column"`
	Schema   string   `db:"schema"`
	Name     string   `db:"name"`
	Usage    []string `db:"may_use"`
}

func (r *accessReader) readSequences(ctx context.Context) error {
	var rows []sequenceRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT d.adrelid AS relation, a.attname::text AS column, n.nspname::text AS schema, s.relname::text AS name,
		       ARRAY(SELECT o.rolname::text FROM pg_catalog.pg_roles o
		             WHERE o.oid = ANY ($2::oid[]) AND pg_catalog.has_sequence_privilege(o.oid, s.oid, 'USAGE, UPDATE')) AS may_use
		FROM pg_catalog.pg_attrdef d
		JOIN pg_catalog.pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
		JOIN pg_catalog.pg_depend u ON u.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND u.objid = d.oid
		 AND u.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
		JOIN pg_catalog.pg_class s ON s.oid = u.refobjid AND s.relkind = 'S'
		JOIN pg_catalog.pg_namespace n ON n.oid = s.relnamespace
		WHERE d.adrelid = ANY ($1::oid[])`, r.oids(), r.roles)
	if err != nil {
		return fmt.Errorf("read sequences: %w", err)
	}
	for _, s := range rows {
		rel := r.relation(s.Relation)
		for i := range rel.Defaults {
			if rel.Defaults[i].Column == s.Column {
				rel.Defaults[i].Sequence = &Sequence{Table: schema.Table{Schema: s.Schema, Name: s.Name}, Usage: s.Usage}
			}
		}
	}
	return nil
}

// A Reference is a foreign key.
type Reference struct {
	Name       string
	Columns    []int16
	References schema.Table
	OnDelete   string // NO ACTION, RESTRICT, CASCADE, SET NULL or SET DEFAULT
	Definition string // as in ALTER TABLE ... ADD CONSTRAINT
}

type referenceRow struct {
	Relation   uint32  `db:"relation"`
	Name       string  `db:"name"`
	Columns    []int16 `db:"columns"`
	RefSchema  string  `db:"ref_schema"`
	RefName    string  `db:"ref_name"`
	OnDelete   string  `db:"on_delete"`
	Definition string  `db:"definition"`
}

func (r *accessReader) readReferences(ctx context.Context) error {
	var rows []referenceRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT k.conrelid AS relation, k.conname::text AS name, k.conkey AS columns, n.nspname::text AS ref_schema, c.relname::text AS ref_name,
		       CASE k.confdeltype WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' ELSE 'NO ACTION' END AS on_delete,
		       pg_catalog.pg_get_constraintdef(k.oid) AS definition
		FROM pg_catalog.pg_constraint k
		JOIN pg_catalog.pg_class c ON c.oid = k.confrelid
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE k.contype = 'f' AND k.conrelid = ANY ($1::oid[]) AND k.conparentid = 0
		ORDER BY k.conname`, r.oids())
	if err != nil {
		return fmt.Errorf("read foreign keys: %w", err)
	}
	for _, k := range rows {
		rel := r.relation(k.Relation)
		rel.References = append(rel.References, Reference{
			Name: k.Name, Columns: k.Columns, References: schema.Table{Schema: k.RefSchema, Name: k.RefName},
			OnDelete: k.OnDelete, Definition: k.Definition,
		})
	}
	return nil
}
