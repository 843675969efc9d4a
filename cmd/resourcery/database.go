package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/config"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
	"github.com/resourcery/resourcery/schema/overlay"
)

// connectTimeout bounds the first connection, where the connection string says
// nothing of it.
const connectTimeout = 10 * time.Second

// openPool connects to the database. maxConns 0 leaves the pool's size to the
// connection string, or to the number of processors.
func openPool(ctx context.Context, from source, maxConns int) (*pgxpool.Pool, error) {
	if from.dsn == "" {
		return nil, fmt.Errorf("no database is named; write --dsn postgres://user@host/database, or set %s", config.Variable("dsn"))
	}
	if maxConns < 0 || maxConns > math.MaxInt32 {
		return nil, fmt.Errorf("--max-conns %d is no number of connections; write a positive one", maxConns)
	}
	c, err := pgxpool.ParseConfig(from.dsn)
	if err != nil {
		return nil, dsnError(err)
	}
	if maxConns > 0 {
		c.MaxConns = int32(maxConns)
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}
	if _, ok := c.ConnConfig.RuntimeParams["application_name"]; !ok {
		c.ConnConfig.RuntimeParams["application_name"] = "resourcery"
	}
	configure := exec.Configure
	if from.pgbouncer {
		configure = exec.ConfigurePgBouncer
	}
	configure(c)
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	return pool, nil
}

// reach reports whether the database answers. Connections that died while they
// were idle, after a restart of the database say, tell nothing and are dropped.
func reach(ctx context.Context, pool *pgxpool.Pool) error {
	for {
		idle := pool.Stat().IdleConns() > 0
		err := pool.Ping(ctx)
		if err == nil || !idle || ctx.Err() != nil {
			return err
		}
	}
}

// dsnError says what is wrong without the connection string: where it cannot be
// read, nobody knows which part of it is the password.
func dsnError(err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("--dsn names a file that cannot be read: %w", file)
	}
	return errors.New("--dsn is no connection string of Postgres; write postgres://user:password@host:5432/database, with special characters of the password percent-encoded")
}

// checkLanguage refuses a text search configuration that the database has not,
// as every search would fail by it. Empty is the database's default.
func checkLanguage(ctx context.Context, pool *pgxpool.Pool, name string) error {
	if name == "" {
		return nil
	}
	_, err := pool.Exec(ctx, "SELECT $1::text::regconfig", name)
	if refusal, ok := errors.AsType[*pgconn.PgError](err); ok && (refusal.Code == "42704" || refusal.Code == "3F000") {
		return fmt.Errorf("--search-language %q is no text search configuration of the database; `SELECT cfgname FROM pg_ts_config` lists them", name)
	}
	if err != nil {
		return fmt.Errorf("look up the text search configuration: %w", err)
	}
	return nil
}

// readCatalog reads what the database holds and applies the overlay.
func readCatalog(ctx context.Context, pool *pgxpool.Pool, s source, file *config.File) (*schema.Catalog, error) {
	catalog, err := introspect.Load(ctx, pool, introspect.Options{Schemas: s.schemas})
	if err != nil {
		return nil, fmt.Errorf("read the schema of the database: %w", err)
	}
	var models overlay.Models
	if err := file.DecodeModels(&models); err != nil {
		return nil, err
	}
	return overlay.Apply(catalog, models)
}

// openDatabase makes the schema of a catalogue and opens the database to serve it
// as the options say.
func openDatabase(ctx context.Context, pool *pgxpool.Pool, c *schema.Catalog, o exec.Options) (*schema.Schema, *exec.DB, error) {
	s, err := schema.FromCatalog(c)
	if err != nil {
		return nil, nil, err
	}
	for _, note := range s.Notes() {
		o.Logger.Info("schema", "note", note)
	}
	o.Schema = s
	db, err := exec.Open(ctx, pool, o)
	if err != nil {
		return nil, nil, err
	}
	return s, db, nil
}
