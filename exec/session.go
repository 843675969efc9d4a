package exec

import (
	"context"
	"maps"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
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
// settings, which every request would have to set otherwise, and an idle
// connection is not pinged before it is used, as that is one more round trip;
// a dead one is noticed and replaced. Pools that connect to PgBouncer are
// better left alone: it refuses some of the settings at start.
func Configure(c *pgxpool.Config) {
	for _, s := range style {
		maps.DeleteFunc(c.ConnConfig.RuntimeParams, func(name, _ string) bool { return strings.EqualFold(name, s.name) })
		c.ConnConfig.RuntimeParams[s.name] = s.value
	}
	c.ShouldPing = neverPing
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

// isolation goes first: it must be set before anything takes a snapshot, parsing included.
const isolation = "SET transaction_isolation TO 'repeatable read'"

// sessionStatements are the statements that seal a session.
type sessionStatements struct {
	// style sets the style where the pool has not, "" where it has. It goes on
	// its own, as the encoding must be known before variables are read.
	style string
	// What follows: read-only, every declared variable, the role last.
	plain    string // parameters: the variables
	withRole string // and the role
}

func newSessionStatements(variables []string, poolStyled bool) sessionStatements {
	var b strings.Builder
	b.WriteString("SELECT set_config('transaction_read_only', 'on', true)")
	for i, name := range variables {
		b.WriteString(", set_config('" + name + "', $" + strconv.Itoa(i+1) + ", true)")
	}
	plain := b.String()
	s := sessionStatements{
		plain:    plain,
		withRole: plain + ", set_config('role', $" + strconv.Itoa(len(variables)+1) + ", true)",
	}
	if !poolStyled {
		s.style = styleStatement()
	}
	return s
}

func styleStatement() string {
	calls := make([]string, len(style))
	for i, s := range style {
		calls[i] = "set_config('" + s.name + "', '" + s.value + "', true)"
	}
	return "SELECT " + strings.Join(calls, ", ")
}

// statement returns the session's statement and its parameters.
func (c Client) statement() (string, []param) {
	params := make([]param, 0, len(c.db.variables)+1)
	for _, name := range c.db.variables {
		params = append(params, param{value: []byte(c.session.Vars[name])})
	}
	if c.session.Role == "" {
		return c.db.session.plain, params
	}
	return c.db.session.withRole, append(params, param{value: []byte(c.session.Role)})
}
