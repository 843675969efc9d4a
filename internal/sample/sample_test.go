package sample_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// nobody is the caller without a token.
var nobody = sample.Person{Name: "nobody"}

var (
	ann  = sample.People()[0]
	bob  = sample.People()[1]
	cleo = sample.People()[2]
	dan  = sample.Person{ID: 4, Name: "Dan"}
)

const insufficientPrivilege = "42501"

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// install is a connection of the owner to a fresh database of that size.
func install(t *testing.T, size sample.Size) *pgx.Conn {
	t.Helper()
	return connect(t, pgtest.Database(t, sample.Script(size)))
}

// as runs f in a transaction of that caller and rolls it back.
func as(t *testing.T, conn *pgx.Conn, p sample.Person, f func(pgx.Tx)) {
	t.Helper()
	if p == nobody {
		session(t, conn, sample.AnonRole, "", f)
		return
	}
	claims, err := json.Marshal(p.Claims())
	if err != nil {
		t.Fatalf("encode claims: %v", err)
	}
	session(t, conn, sample.MemberRole, string(claims), f)
}

func session(t *testing.T, conn *pgx.Conn, role, claims string, f func(pgx.Tx)) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	defer tx.Rollback(context.Background())
	const variables = `SELECT set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`
	if _, err := tx.Exec(t.Context(), variables, claims, role); err != nil {
		t.Fatalf("become %s: %v", role, err)
	}
	f(tx)
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func value[T any](t *testing.T, q querier, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := q.QueryRow(t.Context(), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func sqlState(err error) string {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgErr.Code
	}
	return ""
}

func TestScriptIsTheSameEachTime(t *testing.T) {
	first, second := sample.Script(sample.Full), sample.Script(sample.Full)
	if first != second {
		t.Error("two full scripts differ")
	}
}

func TestFullSize(t *testing.T) {
	conn := install(t, sample.Full)
	for table, want := range map[string]int{
		"User": 40, "Post": 400, "Comment": 1500, "Tag": 60, "Like": 1000, "Revision": 500,
	} {
		if got := value[int](t, conn, `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()); got != want {
			t.Errorf("%s has %d rows, want %d", table, got, want)
		}
	}
	drafts := value[float64](t, conn, `SELECT avg((NOT published)::int) FROM "Post"`)
	if drafts < 0.10 || drafts > 0.20 {
		t.Errorf("%.0f %% of the posts are drafts, want about 15", drafts*100)
	}
	if n := value[int](t, conn, `SELECT count(*) FROM "Tag" g WHERE NOT EXISTS (SELECT FROM "_PostToTag" j WHERE j."B" = g.id)`); n == 0 {
		t.Error("no tag is unused")
	}
	late := value[int](t, conn, `
		SELECT count(*) FROM "Comment" c JOIN "Post" p ON p.id = c."postId" JOIN "User" u ON u.id = c."authorId"
		LEFT JOIN "Comment" r ON r.id = c."parentId"
		WHERE c."createdAt" < p."createdAt" OR c."createdAt" < u."createdAt" OR c."createdAt" < r."createdAt" OR r."postId" <> p.id`)
	if late != 0 {
		t.Errorf("%d comments come before their post, author or parent, or answer one of another post", late)
	}
}

// Each of these shall be the type of at least one column.
func TestEveryTypeIsThere(t *testing.T) {
	conn := install(t, sample.Small)
	rows, _ := conn.Query(t.Context(), `
		SELECT DISTINCT CASE y.typtype WHEN 'e' THEN 'enum' WHEN 'd' THEN 'domain' WHEN 'c' THEN 'composite' ELSE y.typname END
			|| CASE WHEN a.attgenerated = 's' THEN ' generated' ELSE '' END
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type y ON y.oid = a.atttypid
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0`)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("read the columns' types: %v", err)
	}
	present := map[string]bool{}
	for _, name := range found {
		present[name] = true
	}
	for _, want := range []string{
		"int2", "int4", "int8", "float4", "float8", "numeric", "bool", "text", "varchar", "bpchar", "uuid", "enum", "inet", "cidr",
		"tstzrange", "int4range", "tsvector generated", "interval", "timestamptz", "timestamp", "date", "time", "timetz", "bytea",
		"json", "jsonb", "_text", "_int4", "_timestamptz", "domain", "composite",
	} {
		if !present[want] {
			t.Errorf("no column of type %s", want)
		}
	}
}

func TestExtremes(t *testing.T) {
	for name, size := range map[string]sample.Size{"small": sample.Small, "full": sample.Full} {
		t.Run(name, func(t *testing.T) {
			conn := install(t, size)
			for _, condition := range []string{
				`"Post" WHERE trend = 'NaN'`,
				`"Post" WHERE trend = 'Infinity'`,
				`"Post" WHERE trend IS NULL`,
				`"Post" WHERE "embargoUntil" = 'infinity'`,
				`"Post" WHERE scores = '{}'`,
				`"Post" WHERE array_position(scores, NULL) IS NOT NULL`,
				`"Post" WHERE metadata IS NULL`,
				`"Post" WHERE upper_inf("featuredDuring")`,
				`"Post" WHERE title ~ '[%"]'`,
				`"Comment" WHERE "spamScore" = 'NaN'`,
				`"Comment" WHERE "parentId" IS NOT NULL`,
				`"User" WHERE "suspendedUntil" = 'infinity'`,
				`"Profile" WHERE "membershipEnds" = 'infinity'`,
				`"Profile" WHERE address IS NOT NULL`,
				`"Revision" WHERE "approvedAt" = '{}'`,
			} {
				if !value[bool](t, conn, `SELECT EXISTS (SELECT FROM `+condition+`)`) {
					t.Errorf("no row: %s", condition)
				}
			}
		})
	}
}

func TestNewRowsGetFreeIDs(t *testing.T) {
	for name, size := range map[string]sample.Size{"small": sample.Small, "full": sample.Full} {
		t.Run(name, func(t *testing.T) {
			conn := install(t, size)
			as(t, conn, ann, func(tx pgx.Tx) {
				post := value[int](t, tx, `INSERT INTO "Post" ("authorId", title) VALUES (1, 'New') RETURNING id`)
				value[int64](t, tx, `INSERT INTO "Comment" ("postId", "authorId", body) VALUES ($1, 1, 'New') RETURNING id`, post)
				value[int](t, tx, `INSERT INTO "Tag" (name) VALUES ('new') RETURNING id`)
				value[string](t, tx, `INSERT INTO "Revision" ("postId", "editorId") VALUES ($1, 1) RETURNING id::text`, post)
			})
		})
	}
}
