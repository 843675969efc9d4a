package sample

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

var (
	//go:embed roles.sql
	rolesSQL string
	//go:embed schema.sql
	schemaSQL string
	//go:embed policies.sql
	policiesSQL string
	//go:embed small.sql
	smallSQL string
)

const statistics = `ANALYZE "User", "Profile", "Post", "Comment", "Tag", "_PostToTag", "Like", "Revision";
`

// Size chooses the rows that Data has.
type Size uint8

const (
	// Small is a few dozen rows written by hand, with the extremes of every
	// type among them.
	Small Size = iota
	// Full is a few thousand generated rows, the same ones every time.
	Full
)

// Roles is the SQL that makes the three roles where they are missing. It may
// run any number of times, also at once in several databases of one cluster.
// Where the setting sample.password is not empty it becomes the password of
// LoginRole.
func Roles() string { return rolesSQL }

// Schema is the DDL of types, tables and indexes, for an empty schema public.
func Schema() string { return schemaSQL }

// Policies is the SQL of row-level security and grants, for a database that
// has Roles and Schema.
func Policies() string { return policiesSQL }

// Data is the SQL that fills the empty tables. It comes before Policies if the
// installing role is no superuser, as those bind the owner of the tables too.
// It panics for a size that is not declared here.
func Data(size Size) string {
	switch size {
	case Small:
		return smallSQL
	case Full:
		return fullSQL()
	default:
		panic(fmt.Sprintf("sample: no size %d", size))
	}
}

// Script is all of the sample as one text: Roles, Schema, Data, Policies, and
// statistics for the planner. LoginRole gets no password by it.
func Script(size Size) string {
	return Roles() + "\n" + database(size)
}

func database(size Size) string {
	return strings.Join([]string{Schema(), Data(size), Policies(), statistics}, "\n")
}

// Install makes the roles, then everything else in one transaction: it leaves
// a complete database or, apart from roles, an untouched one. The connection's
// role must be able to create roles and tables, and owns the tables afterwards.
// An empty password leaves that of LoginRole as it is.
func Install(ctx context.Context, conn *pgx.Conn, size Size, password string) error {
	if err := installRoles(ctx, conn, password); err != nil {
		return fmt.Errorf("install roles of the sample: %w", err)
	}
	if _, err := conn.Exec(ctx, database(size)); err != nil {
		return fmt.Errorf("install sample database: %w", err)
	}
	return nil
}

// installRoles commits on its own, so that an installation into another
// database waits for the roles only and not for the data. It has to see what
// the other one committed, hence the isolation level.
func installRoles(ctx context.Context, conn *pgx.Conn, password string) error {
	readCommitted := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
	return pgx.BeginTxFunc(ctx, conn, readCommitted, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('sample.password', $1, true)", password); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, Roles())
		return err
	})
}
