package pgtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/internal/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const notes = `
DO $$ BEGIN
	CREATE ROLE pgtest_reader NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
CREATE TABLE note (id int PRIMARY KEY, body text NOT NULL);
GRANT SELECT ON note TO pgtest_reader;
INSERT INTO note VALUES (1, 'one'), (2, 'Zwölf;');
ANALYZE note;
`

func TestDatabase(t *testing.T) {
	t.Run("content", func(t *testing.T) {
		conn := connect(t, pgtest.Database(t, notes))
		if got := query[string](t, conn, "SELECT string_agg(body, ',' ORDER BY id) FROM note"); got != "one,Zwölf;" {
			t.Errorf("content: %q", got)
		}
		if got := query[string](t, conn, "SELECT upper('ö')"); got != "Ö" {
			t.Errorf("upper('ö') is %q: the database does not know the case of letters", got)
		}
		if _, err := conn.Exec(t.Context(), "SET ROLE pgtest_reader"); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "DELETE FROM note"); err == nil {
			t.Error("the role may delete, which was not granted")
		}
	})
	t.Run("isolation", func(t *testing.T) {
		first, second := connect(t, pgtest.Database(t, notes)), connect(t, pgtest.Database(t, notes))
		if _, err := first.Exec(t.Context(), "DELETE FROM note"); err != nil {
			t.Fatal(err)
		}
		if got := query[int](t, second, "SELECT count(*)::int FROM note"); got != 2 {
			t.Errorf("rows in the other test's database: %d, want 2", got)
		}
	})
	t.Run("parallel", func(t *testing.T) {
		for range 8 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				conn := connect(t, pgtest.Database(t, notes))
				if got := query[int](t, conn, "SELECT count(*)::int FROM note"); got != 2 {
					t.Errorf("rows: %d, want 2", got)
				}
			})
		}
	})
}

func TestDatabaseIsDropped(t *testing.T) {
	var inside *pgx.Conn
	t.Run("inside", func(t *testing.T) {
		var err error
		inside, err = pgx.Connect(t.Context(), pgtest.Database(t, ""))
		if err != nil {
			t.Fatal(err)
		}
	})
	defer inside.Close(context.Background())
	if _, err := inside.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("the connection outlived its database")
	}
	name := inside.Config().Database
	outside := connect(t, pgtest.Server(t).DSN)
	if query[bool](t, outside, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = '"+name+"')") {
		t.Errorf("database %s is still there", name)
	}
}

func BenchmarkDatabase(b *testing.B) {
	for b.Loop() {
		pgtest.Database(b, notes)
	}
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func query[T any](t *testing.T, conn *pgx.Conn, sql string) T {
	t.Helper()
	var value T
	if err := conn.QueryRow(t.Context(), sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}
