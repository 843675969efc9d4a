package evaluate_test

import (
	"fmt"
	"strings"
)

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteNames(columns []*column) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = quoteName(c.name)
	}
	return strings.Join(out, ", ")
}

// sql is what makes the world.
func (w *world) sql() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+";\n", args...) }
	w.types(line)
	for _, t := range w.tables {
		line("CREATE TABLE %s (%s)", w.tableName(t), w.definitions(t))
		for _, row := range t.rows {
			values := make([]string, len(t.columns))
			for i, c := range t.columns {
				values[i] = c.kind.literal(row[c.name])
			}
			line("INSERT INTO %s VALUES (%s)", w.tableName(t), strings.Join(values, ", "))
		}
	}
	for _, t := range w.tables {
		for _, fk := range t.foreign {
			line("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s)", w.tableName(t), quoteNames(fk.columns), w.tableName(fk.references), quoteNames(fk.to))
		}
		w.guarded(t, line)
	}
	return b.String()
}

// types makes the schema and its types.
func (w *world) types(line func(string, ...any)) {
	line("CREATE SCHEMA %s", w.namespace)
	line("GRANT USAGE ON SCHEMA %s TO %s", w.namespace, strings.Join(roles, ", "))
	line("CREATE TYPE %s.mood AS ENUM ('sad', 'ok', 'a,b', 'happy')", w.namespace)
	line("CREATE DOMAIN %s.positive AS int4 CHECK (value > 0)", w.namespace)
	line(`CREATE TYPE %s.pair AS (no int8, "text of it" text COLLATE "C")`, w.namespace)
	line(`CREATE DOMAIN %s.label AS text COLLATE "C"`, w.namespace)
}

func (w *world) guarded(t *table, line func(string, ...any)) {
	line("ALTER TABLE %s ENABLE ROW LEVEL SECURITY", w.tableName(t))
	for _, role := range roles {
		line("CREATE POLICY %s ON %s TO %s USING (%s)", "p_"+role, w.tableName(t), role, t.policies[role].sql)
		var shown []*column
		for _, c := range t.columns {
			if !t.hidden[role][c.name] {
				shown = append(shown, c)
			}
		}
		line("GRANT SELECT (%s) ON %s TO %s", quoteNames(shown), w.tableName(t), role)
	}
}

func (w *world) tableName(t *table) string { return w.namespace + "." + quoteName(t.name) }

func (w *world) definitions(t *table) string {
	var parts []string
	for _, c := range t.columns {
		typ := strings.Replace(c.kind.sql, "%s", w.namespace, 1)
		if c.notNull {
			typ += " NOT NULL"
		}
		parts = append(parts, quoteName(c.name)+" "+typ)
	}
	parts = append(parts, "PRIMARY KEY ("+quoteNames(t.key)+")")
	for _, u := range t.uniques {
		parts = append(parts, "UNIQUE ("+quoteNames(u)+")")
	}
	return strings.Join(parts, ", ")
}
