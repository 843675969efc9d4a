package introspect

import (
	"context"
	"fmt"

	"github.com/georgysavva/scany/v2/pgxscan"
)

// An Index is one that can be used: a valid one.
type Index struct {
	Name    string
	Method  string  // btree, gin, ...
	Columns []int16 // the keys, 0 for an expression
	Partial bool
	// Operators are, for each key, the functions of the operators that search by it.
	Operators [][]uint32
	Keys      Expression // the expressions among the keys
}

type accessIndexRow struct {
	OID      uint32  `db:"oid"`
	Relation uint32  `db:"relation"`
	Name     string  `db:"name"`
	Method   string  `db:"method"`
	Columns  []int16 `db:"columns"`
	Partial  bool    `db:"partial"`
	Tree     *string `db:"tree"`
	Text     *string `db:"text"`
}

func (r *accessReader) readIndexes(ctx context.Context) error {
	var rows []accessIndexRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT i.indexrelid AS oid, i.indrelid AS relation, c.relname::text AS name, m.amname::text AS method,
		       ARRAY(SELECT u.attnum FROM unnest(i.indkey::int2[]) WITH ORDINALITY u(attnum, n) WHERE u.n <= i.indnkeyatts ORDER BY u.n) AS columns,
		       i.indpred IS NOT NULL AS partial, i.indexprs::text AS tree, pg_catalog.pg_get_expr(i.indexprs, i.indrelid) AS text
		FROM pg_catalog.pg_index i
		JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
		JOIN pg_catalog.pg_am m ON m.oid = c.relam
		WHERE i.indrelid = ANY ($1::oid[]) AND i.indisvalid
		ORDER BY i.indrelid, c.relname`, r.oids())
	if err != nil {
		return fmt.Errorf("read indexes: %w", err)
	}
	r.keys = make(map[uint32][2]int, len(rows))
	for _, i := range rows {
		keys, err := r.analyse(i.Tree, i.Text, i.Relation)
		if err != nil {
			return fmt.Errorf("read index %q: %w", i.Name, err)
		}
		rel := r.relation(i.Relation)
		r.keys[i.OID] = [2]int{r.at[i.Relation], len(rel.Indexes)}
		rel.Indexes = append(rel.Indexes, Index{
			Name: i.Name, Method: i.Method, Columns: i.Columns, Partial: i.Partial,
			Operators: make([][]uint32, len(i.Columns)), Keys: keys,
		})
	}
	return nil
}

type indexOperatorRow struct {
	Index    uint32 `db:"index"`
	Key      int    `db:"key"`
	Function uint32 `db:"function"`
}

// readIndexOperators reads which functions decide whether an index can be used
// ahead of a policy.
func (r *accessReader) readIndexOperators(ctx context.Context) error {
	var rows []indexOperatorRow
	err := pgxscan.Select(ctx, r.tx, &rows, `
		SELECT DISTINCT i.indexrelid AS index, (k.n - 1)::int AS key, o.oprcode::oid AS function
		FROM pg_catalog.pg_index i
		CROSS JOIN LATERAL unnest(i.indclass::oid[]) WITH ORDINALITY k(opclass, n)
		JOIN pg_catalog.pg_opclass c ON c.oid = k.opclass
		JOIN pg_catalog.pg_amop a ON a.amopfamily = c.opcfamily AND a.amoplefttype = c.opcintype AND a.amoppurpose = 's'
		JOIN pg_catalog.pg_operator o ON o.oid = a.amopopr
		WHERE i.indrelid = ANY ($1::oid[]) AND i.indisvalid AND k.n <= i.indnkeyatts
		ORDER BY 1, 2, 3`, r.oids())
	if err != nil {
		return fmt.Errorf("read the operators of indexes: %w", err)
	}
	for _, o := range rows {
		at := r.keys[o.Index]
		index := &r.access.Relations[at[0]].Indexes[at[1]]
		index.Operators[o.Key] = append(index.Operators[o.Key], o.Function)
		r.called = append(r.called, o.Function)
	}
	return nil
}
