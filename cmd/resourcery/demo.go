package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/bearer"
	"github.com/resourcery/resourcery/cmd/resourcery/internal/config"
	"github.com/resourcery/resourcery/internal/pgtest/postgres"
	"github.com/resourcery/resourcery/internal/sample"
	"github.com/resourcery/resourcery/plan"
)

// tokenLifetime is how long the demo's tokens are valid; they end with the
// demo, as its secret does.
const tokenLifetime = 30 * 24 * time.Hour

// A demo is a database with the sample and the API over it.
type demo struct {
	addr string
	data string
}

func (p *program) demoCommand() *cobra.Command {
	var d demo
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Serve sample data from a database of its own",
		Long: "Serve sample data from a database of its own: a publishing site with row-level\n" +
			"security. Postgres is started from the binaries of this machine, else in Docker,\n" +
			"else it is downloaded. Ctrl-C ends it all and leaves nothing behind.",
		Args: noArguments,
	}
	f := cmd.Flags()
	f.StringVar(&d.addr, "addr", defaultAddr, "where to listen, `host:port`; port 0 chooses a free one")
	f.StringVar(&d.data, "data", "", "keep the database in this `directory` and use it again (default a temporary one)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, err := p.settle(f); err != nil {
			return err
		}
		// A terminal that closes must not leave the database running.
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
		defer stop()
		return d.run(ctx, p)
	}
	return cmd
}

// run lasts until ctx ends. The address is taken first, as that fails fastest;
// the database is stopped last.
func (d *demo) run(ctx context.Context, p *program) (err error) {
	listener, err := listen("addr", d.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	server, err := postgres.Start(ctx, postgres.Options{Order: postgres.DemoOrder(), DataDir: d.data, Progress: p.stderr})
	if err != nil {
		return interrupted(ctx, err)
	}
	defer func() { err = errors.Join(err, server.Stop()) }()

	dsn, err := installSample(ctx, server.DSN)
	if err != nil {
		return interrupted(ctx, err)
	}
	secret := rand.Text() + rand.Text()
	guide, err := newGuide(secret, time.Now())
	if err != nil {
		return err
	}
	o := d.serving(dsn, secret)
	return interrupted(ctx, o.serve(ctx, listener, p.logger(), func(at endpoint) {
		guide.print(p.stdout, at, server, d.data)
	}))
}

// serving returns how the demo serves: as the sample's login role, to which its
// policies apply.
func (d *demo) serving(dsn, secret string) *serving {
	o := &serving{
		source: source{dsn: dsn, schemas: []string{"public"}},
		paging: paging{pageSize: plan.DefaultPageSize, divider: plan.DefaultDivider},
		access: access{anonRole: sample.AnonRole, secret: secret},
		file:   func() (*config.File, error) { return &config.File{}, nil },
	}
	return o
}

// interrupted says that the demo was stopped while it started, where that is
// why it failed.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("stopped before the demo was ready")
	}
	return err
}

// installSample makes the sample's database unless it is there, and returns the
// connection string of the role that serves it. The role's password is new each
// time.
func installSample(ctx context.Context, dsn string) (string, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return "", fmt.Errorf("connect to the demo's database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var installed bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass('public."Post"') IS NOT NULL`).Scan(&installed); err != nil {
		return "", fmt.Errorf("look for the sample: %w", err)
	}
	password := rand.Text()
	if installed {
		err = renewPassword(ctx, conn, password)
	} else {
		err = sample.Install(ctx, conn, sample.Full, password)
	}
	if err != nil {
		return "", err
	}
	c := conn.Config()
	served := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(sample.LoginRole, password),
		Host:     net.JoinHostPort(c.Host, fmt.Sprint(c.Port)),
		Path:     "/" + c.Database,
		RawQuery: "sslmode=disable",
	}
	return served.String(), nil
}

// renewPassword runs the part of the sample that sets the password.
func renewPassword(ctx context.Context, conn *pgx.Conn, password string) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('sample.password', $1, true)", password); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sample.Roles())
		return err
	})
	if err != nil {
		return fmt.Errorf("renew the password of the demo's role: %w", err)
	}
	return nil
}

// tokens returns a bearer token for each of the sample's people.
func tokens(secret string, now time.Time) ([]string, error) {
	var out []string
	for _, person := range sample.People() {
		claims := person.Claims()
		claims["exp"] = now.Add(tokenLifetime).Unix()
		token, err := bearer.Sign(secret, claims)
		if err != nil {
			return nil, err
		}
		out = append(out, token)
	}
	return out, nil
}
