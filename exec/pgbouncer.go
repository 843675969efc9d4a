package exec

import (
	"fmt"
	"maps"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ConfigurePgBouncer prepares a pool that connects to PgBouncer in transaction
// mode, in place of Configure; Open wants Options.PgBouncer with it. No statement
// is prepared under a name, by the pool's own queries neither, as the next one
// may run on another connection to Postgres. The style settings are left out at
// the start of connections, where PgBouncer refuses some; every request sets them.
//
// Further parameters of the connection string, such as search_path or options,
// are the caller's: PgBouncer refuses those that it does not know, and others
// hold for whoever uses the connection to Postgres next.
func ConfigurePgBouncer(c *pgxpool.Config) {
	for _, s := range style {
		maps.DeleteFunc(c.ConnConfig.RuntimeParams, func(name, _ string) bool { return strings.EqualFold(name, s.name) })
	}
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	c.ConnConfig.StatementCacheCapacity, c.ConnConfig.DescriptionCacheCapacity = 0, 0
	configure(c)
}

// checkPooled refuses a pool whose own queries would rely on a connection to
// Postgres that is theirs alone.
func checkPooled(c *pgxpool.Config) error {
	switch mode := c.ConnConfig.DefaultQueryExecMode; mode {
	case pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeCacheDescribe:
		return nil
	default:
		return fmt.Errorf("behind PgBouncer the pool must prepare no statements, and its query mode is %q: prepare its configuration with exec.ConfigurePgBouncer", mode)
	}
}
