package sample_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
)

// Roles, their grants and the password are the cluster's, and all four
// installations write them.
func TestInstallAtOnceInOneCluster(t *testing.T) {
	var conns []*pgx.Conn
	for range 4 {
		conns = append(conns, connect(t, pgtest.Database(t, "")))
	}
	var all sync.WaitGroup
	for i, conn := range conns {
		all.Go(func() {
			if err := sample.Install(t.Context(), conn, sample.Size(i%2), "it's a secret"); err != nil {
				t.Errorf("installation %d: %v", i, err)
			}
		})
	}
	all.Wait()
	for i, conn := range conns {
		if n := value[int](t, conn, `SELECT count(*) FROM "Post"`); n != []int{10, 400}[i%2] {
			t.Errorf("database %d has %d posts", i, n)
		}
	}
}

func TestInstallIsAllOrNothing(t *testing.T) {
	conn := connect(t, pgtest.Database(t, `CREATE FUNCTION current_user_id() RETURNS integer LANGUAGE sql AS 'SELECT 1'`))
	if err := sample.Install(t.Context(), conn, sample.Small, ""); err == nil {
		t.Fatal("the function was there already, yet Install reports nothing")
	}
	if n := value[int](t, conn, `SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace`); n != 0 {
		t.Errorf("a failed Install leaves %d relations", n)
	}
}

func TestLoginRole(t *testing.T) {
	const password = `p'a"s\s`
	dsn := pgtest.Database(t, "")
	if err := sample.Install(t.Context(), connect(t, dsn), sample.Small, password); err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.User, config.Password = sample.LoginRole, password
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatalf("log in: %v", err)
	}
	defer conn.Close(t.Context())

	if value[bool](t, conn, `SELECT rolsuper OR rolbypassrls OR rolinherit FROM pg_roles WHERE rolname = current_user`) {
		t.Error("the login role is superuser, bypasses policies or inherits")
	}
	if _, err := conn.Exec(t.Context(), `SELECT count(*) FROM "Post"`); sqlState(err) != insufficientPrivilege {
		t.Errorf("the login role reads posts by itself: %v", err)
	}
	for _, p := range []sample.Person{nobody, ann} {
		as(t, conn, p, func(tx pgx.Tx) { value[int](t, tx, `SELECT count(*) FROM "Post"`) })
	}
}

func TestOwnerNeedsNoSuperuser(t *testing.T) {
	conn := connect(t, pgtest.Database(t, ""))
	exec := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(sample.Roles())
	owner := fmt.Sprintf("sample_owner_%d", os.Getpid())
	database := pgx.Identifier{value[string](t, conn, `SELECT current_database()`)}.Sanitize()
	exec(`CREATE ROLE ` + owner)
	exec(`ALTER DATABASE ` + database + ` OWNER TO ` + owner)
	defer func() {
		exec(`RESET ROLE`)
		exec(`ALTER DATABASE ` + database + ` OWNER TO CURRENT_USER`)
		exec(`DROP OWNED BY ` + owner + ` CASCADE`)
		exec(`DROP ROLE ` + owner)
	}()
	exec(`SET ROLE ` + owner)
	if err := sample.Install(t.Context(), conn, sample.Small, ""); err != nil {
		t.Fatal(err)
	}
	if n := value[int](t, conn, `SELECT count(*) FROM "Post"`); n != 0 {
		t.Errorf("the owner sees %d posts, want none: its policies are forced", n)
	}
}
