package plan

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/schema"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const literalSchema = `
CREATE TYPE post_status AS ENUM ('draft', 'in review', 'published');
CREATE DOMAIN whole AS int4;
CREATE DOMAIN positive AS whole CHECK (VALUE > 0);
`

// What literal accepts Postgres accepts too, and takes for the same value,
// under settings that read other forms otherwise. It is stored under those and
// read back under UTC and the ISO styles.
func TestLiteralInPostgres(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, literalSchema))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Errorf("close the connection: %v", err)
		}
	})
	for name, cases := range accepted {
		t.Run(name, func(t *testing.T) {
			execute(t, conn, "CREATE TEMP TABLE stored (v "+name+")")
			defer execute(t, conn, "DROP TABLE stored")
			for _, c := range cases {
				value, err := literal(literalTypes[name], c.text)
				if err != nil {
					t.Fatalf("%.60q is not %v", c.text, err)
				}
				want := c.stored
				if want == "" {
					want = c.text
					if s, ok := value.(string); ok {
						want = s
					}
				}
				if got := storedText(t, conn, name, value); got != want {
					t.Errorf("%.60q is stored as %.60s, want %.60s", c.text, got, want)
				}
			}
		})
	}
}

// Infinite intervals came with Postgres 17; before it, Postgres refuses them.
func TestInfiniteIntervalInPostgres(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), pgtest.Database(t, literalSchema))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	value, err := literal(&schema.Type{Kind: schema.Interval}, "-infinity")
	if err != nil {
		t.Fatal(err)
	}
	var version int
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), "SELECT $1::interval", value)
	if (err == nil) != (version >= 170000) {
		t.Errorf("Postgres %d answers %v", version, err)
	}
}

func storedText(t *testing.T, conn *pgx.Conn, typeName string, value any) (text string) {
	t.Helper()
	execute(t, conn, "SET TimeZone = 'Asia/Kathmandu'; SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'sql_standard'; TRUNCATE stored")
	if _, err := conn.Exec(t.Context(), "INSERT INTO stored SELECT $1::"+typeName, value); err != nil {
		t.Errorf("store %.60v: %v", value, err)
		return ""
	}
	execute(t, conn, "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, MDY'; SET IntervalStyle = 'iso_8601'")
	if err := conn.QueryRow(t.Context(), "SELECT v::text FROM stored").Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func execute(t *testing.T, conn *pgx.Conn, statements string) {
	t.Helper()
	if _, err := conn.PgConn().Exec(t.Context(), statements).ReadAll(); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}
