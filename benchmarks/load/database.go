package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
	"github.com/resourcery/resourcery/internal/pgtest/postgres"
)

// A database is the data set and a connection of the program's own to it.
type database struct {
	dsn   string
	conn  *pgx.Conn
	about server
	stop  func() error
}

// A server is what the results say of Postgres.
type server struct {
	Version  string
	Source   string
	Settings []setting
}

type setting struct{ Name, Value string }

// shown are the settings that the results tell.
var shown = []string{"shared_buffers", "work_mem", "effective_cache_size", "max_connections", "fsync", "synchronous_commit", "full_page_writes", "jit", "plan_cache_mode"}

// settings are those of servers that the program starts: the whole data set is
// in memory, and all contenders can have their connections open.
var settings = []setting{{"shared_buffers", "1GB"}, {"max_connections", "300"}, {"max_wal_size", "8GB"}}

// volatile are further ones of those that are thrown away.
var volatile = []setting{{"fsync", "off"}, {"synchronous_commit", "off"}, {"full_page_writes", "off"}}

// open connects to the data set, in the database that is named or on a server of
// its own, and makes it there if it is not.
func (p *program) open(ctx context.Context) (*database, error) {
	d := &database{dsn: p.dsn, stop: func() error { return nil }}
	if p.dsn == "" {
		if err := d.start(ctx, p); err != nil {
			return nil, err
		}
	} else {
		d.about.Source = "a server that was given"
	}
	if err := d.install(ctx, p); err != nil {
		return nil, errors.Join(err, d.close(ctx))
	}
	return d, nil
}

func (d *database) install(ctx context.Context, p *program) (err error) {
	if d.conn, err = pgx.Connect(ctx, d.dsn); err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	found, err := blog.Installed(ctx, d.conn)
	if err != nil {
		return err
	}
	if found == "" {
		p.progress("making the data set: %s", p.size.Rows())
	}
	start := time.Now()
	if err := blog.Install(ctx, d.conn, p.size); err != nil {
		return err
	}
	if found == "" {
		p.progress("made in %s", time.Since(start).Round(time.Second))
	}
	// A run that was interrupted may have left what it wrote.
	if err := blog.Restore(ctx, d.conn, p.size); err != nil {
		return err
	}
	return d.describe(ctx)
}

func (d *database) describe(ctx context.Context) error {
	if err := d.conn.QueryRow(ctx, "SELECT version()").Scan(&d.about.Version); err != nil {
		return fmt.Errorf("ask for the server's version: %w", err)
	}
	for _, name := range shown {
		var value *string
		if err := d.conn.QueryRow(ctx, "SELECT current_setting($1, true)", name).Scan(&value); err != nil {
			return fmt.Errorf("ask for the setting %s: %w", name, err)
		}
		if value != nil {
			d.about.Settings = append(d.about.Settings, setting{name, *value})
		}
	}
	return nil
}

// start starts a server, with settings where it is one of this machine.
func (d *database) start(ctx context.Context, p *program) error {
	dir, kept := p.data, p.data != ""
	if !kept {
		var err error
		if dir, err = os.MkdirTemp("", "resourcery-load-"); err != nil {
			return fmt.Errorf("make a directory for the server: %w", err)
		}
	}
	remove := func() error {
		if kept {
			return nil
		}
		return os.RemoveAll(dir)
	}
	wanted := slices.Clone(settings)
	if !kept {
		wanted = append(wanted, volatile...)
	}
	options := postgres.Options{Order: []postgres.Source{postgres.Local}, DataDir: dir, Progress: p.stderr}
	s, err := postgres.Start(ctx, options)
	if err == nil {
		s, err = configure(ctx, s, options, wanted)
	}
	if err != nil && ctx.Err() == nil && !kept {
		p.progress("no server with settings of its own: %s", strings.SplitN(err.Error(), "\n", 2)[0])
		s, err = postgres.Start(ctx, postgres.Options{Order: postgres.DemoOrder(), Progress: p.stderr})
	}
	if err != nil {
		return errors.Join(err, remove())
	}
	d.dsn, d.about.Source = s.DSN, fmt.Sprintf("started for this (%s), on the same machine", s.Source)
	d.stop = func() error { return errors.Join(s.Stop(), remove()) }
	return nil
}

// configure changes settings, and restarts the server where there are any to
// change, as some of them need that.
func configure(ctx context.Context, s *postgres.Server, o postgres.Options, wanted []setting) (*postgres.Server, error) {
	changed, err := alter(ctx, s.DSN, wanted)
	if err == nil && !changed {
		return s, nil
	}
	if err := errors.Join(err, s.Stop()); err != nil {
		return nil, err
	}
	return postgres.Start(ctx, o)
}

func alter(ctx context.Context, dsn string, wanted []setting) (changed bool, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return false, fmt.Errorf("connect to the server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, s := range wanted {
		var now string
		if err := conn.QueryRow(ctx, "SELECT current_setting($1)", s.Name).Scan(&now); err != nil {
			return false, fmt.Errorf("ask for %s: %w", s.Name, err)
		}
		if now == s.Value {
			continue
		}
		changed = true
		if _, err := conn.Exec(ctx, "ALTER SYSTEM SET "+s.Name+" = '"+s.Value+"'"); err != nil {
			return false, fmt.Errorf("set %s: %w", s.Name, err)
		}
	}
	return changed, nil
}

// close stops a server that was started.
func (d *database) close(ctx context.Context) error {
	var err error
	if d.conn != nil {
		err = d.conn.Close(context.WithoutCancel(ctx))
	}
	return errors.Join(err, d.stop())
}
