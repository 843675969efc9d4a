package introspect

import (
	"context"
	"fmt"

	"github.com/georgysavva/scany/v2/pgxscan"

	"github.com/resourcery/resourcery/schema"
)

type typeRow struct {
	OID         uint32   `db:"oid"`
	Schema      string   `db:"schema"`
	Name        string   `db:"name"`
	Type        string   `db:"type"`     // pg_type.typtype (m: multirange), or A for arrays
	Elem        uint32   `db:"elem"`     // 0: none
	Modifier    int32    `db:"modifier"` // of what a domain is over, -1: none
	Labels      []string `db:"labels"`
	MemberNames []string `db:"member_names"`
	MemberTypes []uint32 `db:"member_types"`
	NotNull     bool     `db:"not_null"`
	Default     bool     `db:"has_default"`
	Equal       bool     `db:"equal"`
	Ordered     bool     `db:"ordered"`
	Operators   string   `db:"operators"` // the namespace of `=`, where it is not pg_catalog
}

func (t *typeRow) ref() schema.TypeRef { return schema.TypeRef{Schema: t.Schema, Name: t.Name} }

// loadTypes reads the types of all columns and, recursively, what they are
// made of. A type is an array where its element says so; names (_int4) and
// subscripts are no sign, as point and int2vector have them too.
func (l *loader) loadTypes(ctx context.Context) error {
	var rows []*typeRow
	err := pgxscan.Select(ctx, l.tx, &rows, `
		WITH RECURSIVE used (oid) AS (
		    SELECT a.atttypid FROM pg_catalog.pg_attribute a
		    WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
		  UNION
		    SELECT part.oid FROM used
		    JOIN pg_catalog.pg_type t ON t.oid = used.oid
		    CROSS JOIN LATERAL (
		        SELECT t.typbasetype WHERE t.typtype = 'd'
		        UNION ALL SELECT e.oid FROM pg_catalog.pg_type e WHERE e.oid = t.typelem AND e.typarray = t.oid
		        UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
		        UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a
		                  WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
		    ) part (oid)
		)
		SELECT t.oid, n.nspname::text AS schema, t.typname::text AS name,
		       CASE WHEN e.oid IS NULL THEN t.typtype::text ELSE 'A' END AS type,
		       CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE coalesce(e.oid, r.rngsubtype, 0) END AS elem,
		       ARRAY(SELECT l.enumlabel::text FROM pg_catalog.pg_enum l WHERE l.enumtypid = t.oid ORDER BY l.enumsortorder) AS labels,
		       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
		             WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS member_names,
		       ARRAY(SELECT a.atttypid FROM pg_catalog.pg_attribute a
		             WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS member_types,
		       t.typtypmod AS modifier, t.typnotnull AS not_null, t.typdefault IS NOT NULL AS has_default,
		       coalesce(o.equal, false) AS equal, coalesce(o.ordered, false) AS ordered,
		       coalesce(nullif(o.operators, 'pg_catalog'), '') AS operators
		FROM used
		JOIN pg_catalog.pg_type t ON t.oid = used.oid
		JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
		LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND e.typarray = t.oid
		LEFT JOIN pg_catalog.pg_range r ON t.oid IN (r.rngtypid, r.rngmultitypid)
		LEFT JOIN LATERAL (
		    SELECT op.oprname = '=' AS equal, m.amname = 'btree' AS ordered, opn.nspname::text AS operators
		    FROM pg_catalog.pg_opclass c
		    JOIN pg_catalog.pg_am m ON m.oid = c.opcmethod
		    JOIN pg_catalog.pg_type i ON i.oid = c.opcintype
		    JOIN pg_catalog.pg_amop a ON a.amopfamily = c.opcfamily AND a.amoplefttype = i.oid AND a.amoprighttype = i.oid
		                             AND a.amopstrategy = CASE m.amname WHEN 'btree' THEN 3 ELSE 1 END
		    JOIN pg_catalog.pg_operator op ON op.oid = a.amopopr
		    JOIN pg_catalog.pg_namespace opn ON opn.oid = op.oprnamespace
		    WHERE c.opcdefault AND m.amname IN ('btree', 'hash') AND (i.oid = t.oid OR EXISTS (
		        SELECT FROM pg_catalog.pg_cast k
		        WHERE k.castsource = t.oid AND k.casttarget = i.oid AND k.castmethod = 'b' AND k.castcontext = 'i'))
		    ORDER BY m.amname = 'btree' DESC, i.oid = t.oid DESC, i.typispreferred DESC, i.oid
		    LIMIT 1
		) o ON true`, l.oids)
	if err != nil {
		return fmt.Errorf("read types: %w", err)
	}
	l.types = make(map[uint32]*typeRow, len(rows))
	for _, t := range rows {
		l.types[t.OID] = t
	}
	for _, t := range rows {
		l.catalog.Types = append(l.catalog.Types, l.typeDef(t))
	}
	return nil
}

func (l *loader) typeDef(t *typeRow) schema.TypeDef {
	def := schema.TypeDef{TypeRef: t.ref(), Kind: kindOf(t), Multi: t.Type == "m", Operators: t.Operators}
	def.Equal, def.Ordered = l.operators(t)
	switch def.Kind {
	case schema.Array, schema.Range, schema.Domain:
		def.Elem = l.types[t.Elem].ref()
	case schema.Enum:
		def.Labels = t.Labels
	case schema.Composite:
		for i, name := range t.MemberNames {
			def.Members = append(def.Members, schema.MemberDef{Name: name, Type: l.types[t.MemberTypes[i]].ref()})
		}
	}
	return def
}

// scalars are Postgres's own types that have a kind; the rest are Text.
var scalars = map[string]schema.Kind{
	"bool": schema.Bool, "int2": schema.Int2, "int4": schema.Int4, "int8": schema.Int8,
	"float4": schema.Float4, "float8": schema.Float8, "numeric": schema.Numeric, "uuid": schema.UUID,
	"timestamptz": schema.Timestamptz, "timestamp": schema.Timestamp, "date": schema.Date,
	"time": schema.Time, "timetz": schema.Timetz, "interval": schema.Interval,
	"bytea": schema.Bytea, "json": schema.JSON, "jsonb": schema.JSONB,
}

func kindOf(t *typeRow) schema.Kind {
	switch t.Type {
	case "A":
		return schema.Array
	case "c":
		return schema.Composite
	case "d":
		return schema.Domain
	case "e":
		return schema.Enum
	case "r", "m":
		return schema.Range
	}
	if kind, ok := scalars[t.Name]; ok && t.Schema == "pg_catalog" {
		return kind
	}
	return schema.Text
}

// operators reports whether values of the type have a default equality and
// order. The families of arrays, composites and domains take every type and
// fail when they run on parts that have none, so the parts decide.
func (l *loader) operators(t *typeRow) (equal, ordered bool) {
	switch t.Type {
	case "e", "r", "m":
		return true, true
	case "A", "d":
		return l.operators(l.types[t.Elem])
	case "c":
		equal, ordered = true, true
		for _, oid := range t.MemberTypes {
			e, o := l.operators(l.types[oid])
			equal, ordered = equal && e, ordered && o
		}
		return equal, ordered
	default:
		return t.Equal, t.Ordered
	}
}
