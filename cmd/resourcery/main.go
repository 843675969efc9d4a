// Command resourcery serves a Postgres database as JSON:API v1.1.
//
//	resourcery demo        a database of its own with sample data, and the API over it
//	resourcery serve       the API over a database
//	resourcery explain     what a request becomes: syntax, plan, SQL
//	resourcery introspect  the schema of a database as a file
//	resourcery check       who may do what in a database, and what is unsafe to serve
//
// The packages below it do the work; here flags, signals and output are put
// together.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs one command until it is done or ctx ends, and returns the exit code:
// 0, or 1 after an error, which is on stderr; `check` has statuses of its own.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := &program{stdout: stdout, stderr: stderr, lookup: os.LookupEnv}
	root := p.command()
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		code, err := status(err)
		if err != nil {
			fmt.Fprintln(stderr, "resourcery:", err)
		}
		return code
	}
	return 0
}
