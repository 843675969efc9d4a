package sqlgen

import (
	"context"
	"math/rand"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/schema"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// Postgres takes every statement of many requests in both its forms, asks for
// as many parameters as it is said to have, and describes the columns as they
// are said to be.
func TestPostgresTakesStatements(t *testing.T) {
	for name, c := range map[string]struct {
		sql    string
		schema *schema.Schema
	}{
		"common": {golden.SchemaSQL, golden.Schema(t)},
		"odd":    {oddNamesSQL, oddNames(t)},
		"keys":   {looselySQL, loosely(t)},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, c.sql)
			names := typeNames(t, conn)
			compiler, seen := NewCompiler(), map[string]bool{}
			r := &requester{Rand: rand.New(rand.NewSource(4)), schema: c.schema}
			for range 500 {
				url := r.url()
				for _, st := range compiler.Compile(action(t, c.schema, url)).Statements {
					for _, form := range []Form{st.Form, st.Bound} {
						if !seen[form.SQL] {
							seen[form.SQL] = true
							described(t, conn, names, url, st, form)
						}
					}
				}
			}
			if len(seen) < 100 {
				t.Errorf("%d statements: too few to show anything", len(seen))
			}
		})
	}
}

// described compares what Postgres says of a statement with what the pipeline
// does.
func described(t *testing.T, conn *pgx.Conn, names map[uint32]string, url string, st *Statement, form Form) {
	t.Helper()
	d, err := conn.PgConn().Prepare(t.Context(), "", form.SQL, nil)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", url, err, form.SQL)
	}
	if len(d.ParamOIDs) != len(form.Params) || len(d.Fields) != len(st.Columns) {
		t.Fatalf("%s: %d parameters and %d columns, want %d and %d, in\n%s",
			url, len(d.ParamOIDs), len(d.Fields), len(form.Params), len(st.Columns), form.SQL)
	}
	for i, f := range d.Fields {
		if got, want := names[f.DataTypeOID], st.Columns[i].Type.Base().Name; got != want {
			t.Fatalf("%s: column %d is of type %s, want %s, in\n%s", url, i, got, want, form.SQL)
		}
	}
	for i, oid := range d.ParamOIDs {
		want := form.Params[i].Type.Base().Name
		if form.Params[i].List {
			want = "_" + want
		}
		if names[oid] != want {
			t.Fatalf("%s: parameter $%d is of type %s, want %s, in\n%s", url, i+1, names[oid], want, form.SQL)
		}
	}
}

func connect(t *testing.T, sql string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, sql))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Errorf("close the connection: %v", err)
		}
	})
	return conn
}

func typeNames(t *testing.T, conn *pgx.Conn) map[uint32]string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT oid, typname FROM pg_catalog.pg_type")
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint32]string{}
	var oid uint32
	var name string
	if _, err := pgx.ForEachRow(rows, []any{&oid, &name}, func() error { names[oid] = name; return nil }); err != nil {
		t.Fatal(err)
	}
	return names
}
