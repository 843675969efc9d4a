package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/config"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// explaining is all that `explain` can be told.
type explaining struct {
	source
	paging
	dialect
	access
	token   string
	role    string
	set     config.Pairs
	analyze bool
}

func (p *program) explainCommand() *cobra.Command {
	o := explaining{set: config.Pairs{}}
	cmd := &cobra.Command{
		Use:   "explain --dsn URL 'GET /post?filter[author][name]=Ann&include=comments'",
		Short: "Show what a request becomes",
		Long: "Show what a request becomes: its syntax tree, its plan with the values, and its SQL\n" +
			"statements, which hold none of them. The path is the one below the endpoint.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("explain takes one argument, in quotes: 'GET /post?filter[author][name]=Ann'")
			}
			return nil
		},
	}
	f := cmd.Flags()
	o.source.flags(f)
	f.StringVar(&o.token, "token", "", "the bearer `token` of the caller")
	f.StringVar(&o.role, "role", "", "the `role` of the caller, where there is no token")
	f.Var(o.set, "set", "a session variable, where there is no token; may be repeated")
	f.BoolVar(&o.analyze, "analyze", false, "run the statements by EXPLAIN ANALYZE, read-only and rolled back")
	o.paging.flags(f)
	o.dialect.flags(f)
	o.access.flags(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		file, err := p.settle(f)
		if err != nil {
			return err
		}
		o.access.variables = file.Session
		request, err := parseRequest(args[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "syntax\n%s", indent(request.String()))
		return o.explain(cmd.Context(), request, file, p)
	}
	return cmd
}

// parseRequest reads a method and a path with its query, as in the first line
// of an HTTP request.
func parseRequest(text string) (*parse.Request, error) {
	method, url, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok {
		return nil, errors.New("the request must have the form 'GET /post?filter[author][name]=Ann'")
	}
	if method != http.MethodGet {
		return nil, fmt.Errorf("%s requests cannot be explained, only those of the method GET", method)
	}
	path, query, _ := strings.Cut(strings.TrimSpace(url), "?")
	target, err := parse.Path(path)
	if err != nil {
		return nil, err
	}
	return parse.Query(target, query, parse.Options{})
}

func (o *explaining) explain(ctx context.Context, r *parse.Request, file *config.File, p *program) error {
	if _, err := httpapi.REST(restOptions("http://localhost/api", o.paging, o.dialect)); err != nil {
		return err
	}
	session, variables, err := o.session(p)
	if err != nil {
		return err
	}
	pool, err := openPool(ctx, o.source, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := checkLanguage(ctx, pool, o.searchLanguage); err != nil {
		return err
	}
	catalog, err := readCatalog(ctx, pool, o.source, file)
	if err != nil {
		return err
	}
	s, db, err := openDatabase(ctx, pool, catalog, o.opening(variables, p.warnings()))
	if err != nil {
		return err
	}
	if o.strict {
		if err := s.CheckStrict(); err != nil {
			return err
		}
	}
	view, err := db.As(session).View(ctx, s)
	if err != nil {
		return err
	}
	built, err := plan.Build(view, r, o.planOptions())
	if err != nil {
		return err
	}
	pipeline := sqlgen.NewCompiler().Compile(built.Action)
	fmt.Fprintf(p.stdout, "\nplan\n%s", indent(built.String()))
	printStatements(p.stdout, pipeline)
	if !o.analyze {
		return nil
	}
	return o.runAnalyze(ctx, pool, session, variables, pipeline, built, p.stdout)
}

// opening returns how the database is opened.
func (o *explaining) opening(variables []string, log *slog.Logger) exec.Options {
	return exec.Options{
		Variables: variables, AnonymousRole: o.anonRole, AllowUnsafeRole: o.unsafe, PgBouncer: o.pgbouncer, Logger: log,
	}
}

// planOptions are those with which the API plans.
func (o *explaining) planOptions() plan.Options {
	return plan.Options{
		PageSize: int(o.pageSize), MaxPageSize: o.maxPageSize, Divider: o.divider,
		SearchLanguage: o.searchLanguage, AllowRegexp: o.regexp, AllowEstimates: o.estimates, Digests: true,
	}
}

// session returns the session and all variables that it declares.
func (o *explaining) session(p *program) (exec.Session, []string, error) {
	sessions, err := o.sessions(p.logger())
	if err != nil {
		return exec.Session{}, nil, err
	}
	if o.token != "" {
		if o.role != "" || len(o.set) > 0 {
			return exec.Session{}, nil, errors.New("--token says who is asking; leave out --role and --set, or the token")
		}
		session, err := sessions.Token(o.token)
		return session, sessions.Variables(), err
	}
	session := sessions.Anonymous()
	if o.role != "" {
		session = exec.Session{Role: o.role, Vars: map[string]string{}}
	}
	maps.Copy(session.Vars, o.set)
	variables := sessions.Variables()
	for _, name := range slices.Sorted(maps.Keys(o.set)) {
		if !slices.Contains(variables, name) {
			variables = append(variables, name)
		}
	}
	return session, variables, nil
}

// printStatements prints the SQL and, for each parameter, the slot of the plan
// that it takes its value from.
func printStatements(w io.Writer, pipeline *sqlgen.Pipeline) {
	fmt.Fprintln(w, "\nstatements")
	for i, s := range pipeline.Statements {
		fmt.Fprintf(w, "  %d %s\n%s", i+1, statementName(s), indent(indent(s.SQL)))
		for j, param := range s.Params {
			list := ""
			if param.List {
				list = "[]"
			}
			fmt.Fprintf(w, "    $%d %s%s: value $%d of the plan\n", j+1, param.Type.Name, list, param.Slot)
		}
	}
}

var partNames = map[sqlgen.Part]string{
	sqlgen.Check: "check", sqlgen.Page: "page", sqlgen.Rows: "rows", sqlgen.Pairs: "pairs", sqlgen.Count: "count",
}

// statementName says what a statement's rows are, and of what.
func statementName(s *sqlgen.Statement) string {
	name := partNames[s.Part]
	if s.Edge != nil && s.Edge.Relationship != nil {
		return name + " of " + s.Edge.Relationship.String()
	}
	if s.Model != nil {
		return name + " of " + s.Model.Type
	}
	return name
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		b.WriteString("  " + line)
	}
	return b.String()
}

// runAnalyze prints Postgres's account of the statements, run in order in one
// transaction under the session, as later ones read what earlier ones found.
// Nothing of it lasts.
func (o *explaining) runAnalyze(ctx context.Context, pool *pgxpool.Pool, session exec.Session, variables []string, pipeline *sqlgen.Pipeline, built *plan.Plan, w io.Writer) error {
	a, err := beginAnalysis(ctx, pool, session, variables)
	if err != nil {
		return err
	}
	defer a.end(ctx)
	fmt.Fprintln(w, "\nanalysis")
	for i, s := range pipeline.Statements {
		lines, err := a.explain(ctx, s, built.Values)
		if err != nil {
			return fmt.Errorf("analyze statement %d: %w", i+1, err)
		}
		fmt.Fprintf(w, "  %d %s\n%s", i+1, statementName(s), indent(indent(strings.Join(lines, "\n"))))
	}
	return nil
}
