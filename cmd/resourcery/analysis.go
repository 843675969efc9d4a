package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/sqlgen"
)

// An analysis is a transaction in which statements are run by EXPLAIN ANALYZE.
type analysis struct {
	conn *pgxpool.Conn
	tx   pgx.Tx
}

// beginAnalysis begins a read-only transaction under the session: all variables
// first, the role last, as the role may not be allowed to set them.
func beginAnalysis(ctx context.Context, pool *pgxpool.Pool, session exec.Session, variables []string) (*analysis, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		conn.Release()
		return nil, fmt.Errorf("begin: %w", err)
	}
	a := &analysis{conn: conn, tx: tx}
	for _, name := range variables {
		if err := a.set(ctx, name, session.Vars[name]); err != nil {
			a.end(ctx)
			return nil, err
		}
	}
	if session.Role != "" {
		if err := a.set(ctx, "role", session.Role); err != nil {
			a.end(ctx)
			return nil, err
		}
	}
	return a, nil
}

func (a *analysis) set(ctx context.Context, name, value string) error {
	if _, err := a.tx.Exec(ctx, "SELECT set_config($1, $2, true)", name, value); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	return nil
}

// end rolls everything back.
func (a *analysis) end(ctx context.Context) {
	// A rollback that fails closes the connection, which rolls back too.
	_ = a.tx.Rollback(context.WithoutCancel(ctx))
	a.conn.Release()
}

// explain runs a statement and returns the lines of its plan. The values are
// written into the text as literals: EXPLAIN cannot tell the types of
// parameters apart, and Postgres plans a first run by the values anyway.
func (a *analysis) explain(ctx context.Context, s *sqlgen.Statement, values []any) ([]string, error) {
	args := []any{pgx.QueryExecModeSimpleProtocol}
	for _, param := range s.Params {
		args = append(args, values[param.Slot])
	}
	if s.Part == sqlgen.Estimate {
		return []string{"(is itself what Postgres explains)"}, nil
	}
	rows, err := a.tx.Query(ctx, "EXPLAIN (ANALYZE, BUFFERS) "+s.SQL, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
