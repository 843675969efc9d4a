package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/check"
	"github.com/resourcery/resourcery/cmd/resourcery/internal/config"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// The exit statuses of `check`.
const (
	foundStatus  = 1 // there are findings that it fails for
	failedStatus = 2 // it could not look: wrong flags, no database
)

// An exit is an error with an exit status of its own. Without a cause there is
// nothing left to say.
type exit struct {
	status int
	cause  error
}

func (e *exit) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.cause.Error()
}

func (e *exit) Unwrap() error { return e.cause }

// failed gives an error of `check` the status that tells it from findings.
func failed(err error) error { return &exit{status: failedStatus, cause: err} }

// checking is all that `check` can be told.
type checking struct {
	source
	anonRole string
	json     bool
	failOn   string
}

func (p *program) checkCommand() *cobra.Command {
	var o checking
	cmd := &cobra.Command{
		Use:   "check --dsn URL",
		Short: "Report who may do what in a database, and what is unsafe to serve",
		Long: "Report who may read and write what in a database, and what is unsafe or slow to\n" +
			"serve, each finding with the SQL that mends it. The roles are the login role, the\n" +
			"anonymous role, and all that the login role may become; so give it the connection\n" +
			"string of the server. It changes nothing.\n\n" +
			"The exit status is 0 where nothing was found, 1 where an error was, or whatever\n" +
			"--fail-on names, and 2 where it could not look.",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := noArguments(cmd, args); err != nil {
				return failed(err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	o.source.flags(f)
	f.StringVar(&o.anonRole, "anon-role", "", "the `role` of callers without a token (default the login role)")
	f.BoolVar(&o.json, "json", false, "print the report as JSON")
	f.StringVar(&o.failOn, "fail-on", check.Error.String(), "the least `severity` that makes the exit status 1: error, warning or note")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return failed(err) })
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		file, err := p.settle(f)
		if err != nil {
			return failed(err)
		}
		return p.check(cmd.Context(), o, file)
	}
	return cmd
}

func (p *program) check(ctx context.Context, o checking, file *config.File) error {
	least, err := check.ParseSeverity(o.failOn)
	if err != nil {
		return failed(fmt.Errorf("--fail-on %q: %w", o.failOn, err))
	}
	report, err := o.report(ctx, file)
	if err != nil {
		return failed(err)
	}
	write := report.WriteText
	if o.json {
		write = report.WriteJSON
	}
	if err := write(p.stdout); err != nil {
		return failed(fmt.Errorf("print the report: %w", err))
	}
	for s := least; s <= check.Error; s++ {
		if report.Count(s) > 0 {
			return &exit{status: foundStatus}
		}
	}
	return nil
}

func (o *checking) report(ctx context.Context, file *config.File) (*check.Report, error) {
	pool, err := openPool(ctx, o.source, 1)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	catalog, err := readCatalog(ctx, pool, o.source, file)
	if err != nil {
		return nil, err
	}
	s, err := schema.FromCatalog(catalog)
	if err != nil {
		return nil, err
	}
	access, err := introspect.ReadAccess(ctx, pool, introspect.AccessOptions{
		Schemas: s.Catalog().Schemas, Relations: check.Exposed(s), Role: o.anonRole,
	})
	if err != nil {
		return nil, fmt.Errorf("read what roles may do: %w", err)
	}
	return check.Judge(access, check.Options{AnonymousRole: o.anonRole}), nil
}

// status returns the exit status of an error, and what is left to say of it.
func status(err error) (int, error) {
	if e, ok := errors.AsType[*exit](err); ok {
		return e.status, e.cause
	}
	return 1, err
}
