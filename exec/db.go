package exec

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// Options say how a database is opened.
type Options struct {
	// Schema is what will be served; start-up checks its tables' owners and
	// policies. Required.
	Schema *schema.Schema
	// Variables are the session variables that every request sets. Dotted
	// names, none of them Postgres's or ours.
	Variables []string
	// AnonymousRole is the role that sessions name where nobody has logged in.
	// With it set, the login role itself may be an unsafe one.
	AnonymousRole string
	// AllowUnsafeRole serves also as a role that row-level security does not
	// bind: superusers, BYPASSRLS, owners of tables that do not force it.
	AllowUnsafeRole bool
	// Logger hears of tables without policies and of retries; nil: nobody.
	Logger *slog.Logger
}

// A DB is an open database.
type DB struct{}

// A Session is in whose name requests run.
type Session struct {
	Role string            // "": no change of role
	Vars map[string]string // declared variables; those left out are set to ''
}

// A Client runs pipelines under one session.
type Client struct{}

// Open checks the database and the login role and declares the variables.
func Open(ctx context.Context, pool *pgxpool.Pool, o Options) (*DB, error) { panic("unbuilt") }

// As returns a client for the session. It does nothing yet: what is wrong with
// the session is told by View and Run.
func (db *DB) As(s Session) Client { panic("unbuilt") }

// View returns the schema as the session's role may see it. The first view of a
// role reads its privileges and checks that it is safe; later ones cost nothing.
// Errors are jsonapi errors: forbidden for a role that may not be used.
func (c Client) View(ctx context.Context, s *schema.Schema) (*schema.View, error) { panic("unbuilt") }

// Run sends a compiled plan with its values and returns all rows.
func (c Client) Run(ctx context.Context, p *sqlgen.Pipeline, pl *plan.Plan) (*Result, error) {
	panic("unbuilt")
}
