package exec

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// style are the settings that decide the text forms of values: of keys that
// statements hand on, of text columns, of refusals. Answers must not depend on
// how the server or the role is configured (contract 6.4). TimeZone is left
// alone, as policies may depend on it.
var style = []struct{ name, value string }{
	{"DateStyle", "ISO, YMD"},
	{"IntervalStyle", "iso_8601"},
	{"extra_float_digits", "1"},
	{"bytea_output", "hex"},
	{"client_encoding", "UTF8"},
	{"array_nulls", "on"},
}

// Configure prepares a pool for Open: its connections start with the style
// settings, which every request would have to set otherwise; an idle connection
// is not pinged before it is used, as that is one more round trip, and a dead one
// is noticed and replaced; and a request that is given up has its query cancelled
// and its connection kept. Pools that connect to PgBouncer want
// ConfigurePgBouncer instead.
func Configure(c *pgxpool.Config) {
	for _, s := range style {
		maps.DeleteFunc(c.ConnConfig.RuntimeParams, func(name, _ string) bool { return strings.EqualFold(name, s.name) })
		c.ConnConfig.RuntimeParams[s.name] = s.value
	}
	configure(c)
}

// configure is what pools have in common, whoever is behind them.
func configure(c *pgxpool.Config) {
	c.ShouldPing = neverPing
	c.ConnConfig.BuildContextWatcherHandler = newCanceller
}

func neverPing(context.Context, pgxpool.ShouldPingParams) bool { return false }

// styled reports whether the pool's connections start with the style settings.
func styled(c *pgxpool.Config) bool {
	for _, s := range style {
		if c.ConnConfig.RuntimeParams[s.name] != s.value {
			return false
		}
	}
	return true
}

// isolation returns the statement that sets the isolation level; "" where the
// default will do. It goes first: the level must be set before anything takes a
// snapshot, parsing included. The statements of a read see one snapshot. A single
// one does so at any level, and only VOLATILE functions, in policies say, see what
// is committed while it runs; where that may be long, as there may be any number
// of rows, they see the snapshot too. Writes see what others have committed by the
// time of each statement: at a stricter level two updates of one row would fail.
func isolation(p *sqlgen.Pipeline, pl *plan.Plan) string {
	read := pl.Read()
	switch {
	case p.Writes:
		return "SET transaction_isolation TO 'read committed'"
	case len(p.Statements) > 1, read != nil && read.Unbounded():
		return "SET transaction_isolation TO 'repeatable read'"
	default:
		return ""
	}
}

// An access is what the statements of a transaction may do.
type access int

const (
	reads access = iota
	writes
)

func accessOf(p *sqlgen.Pipeline) access {
	if p.Writes {
		return writes
	}
	return reads
}

// sessionStatements are the statements that seal a session.
type sessionStatements struct {
	// style sets the style where the pool has not, "" where it has. It goes on
	// its own, as the encoding must be known before variables are read.
	style string
	// What follows, by access: read-only, the timeout, every declared variable, the
	// role last.
	plain    [2]string // parameters: the variables
	withRole [2]string // and the role
}

func newSessionStatements(o Options, style string) sessionStatements {
	calls, variables := timeoutCalls(o.StatementTimeout), o.Variables
	for i, name := range variables {
		calls = append(calls, "pg_catalog.set_config('"+name+"', $"+strconv.Itoa(i+1)+", true)")
	}
	role := "pg_catalog.set_config('role', $" + strconv.Itoa(len(variables)+1) + ", true)"
	s := sessionStatements{style: style}
	for a, first := range [2][]string{reads: {"pg_catalog.set_config('transaction_read_only', 'on', true)"}, writes: nil} {
		s.plain[a] = "SELECT " + strings.Join(slices.Concat(first, calls), ", ")
		s.withRole[a] = "SELECT " + strings.Join(slices.Concat(first, calls, []string{role}), ", ")
	}
	return s
}

// timeoutCalls bound each of the statements to come. It holds from the next
// message on: Postgres starts the clock anew for every statement of a pipeline.
func timeoutCalls(limit time.Duration) []string {
	if limit == 0 {
		return nil
	}
	// Rounded up, as 0 would be no limit.
	ms := (limit + time.Millisecond - 1) / time.Millisecond
	return []string{"pg_catalog.set_config('statement_timeout', '" + strconv.FormatInt(int64(ms), 10) + "', true)"}
}

func styleStatement() string {
	calls := make([]string, len(style))
	for i, s := range style {
		calls[i] = "pg_catalog.set_config('" + s.name + "', '" + s.value + "', true)"
	}
	return "SELECT " + strings.Join(calls, ", ")
}

// statement returns the session's statement, and fills in its arguments.
func (c Client) statement(a access, args *arguments) string {
	args.reset()
	for _, name := range c.db.variables {
		args.addText(c.session.Vars[name])
	}
	if c.session.Role == "" {
		return c.db.session.plain[a]
	}
	args.addText(c.session.Role)
	return c.db.session.withRole[a]
}
