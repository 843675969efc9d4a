package exec

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5/pgxpool"

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
	// With it set, the login role itself may be an unsafe one: sessions that
	// name no role are refused then.
	AnonymousRole string
	// AllowUnsafeRole serves also as a role that row-level security does not
	// bind: superusers, BYPASSRLS, owners of tables that do not force it.
	AllowUnsafeRole bool
	// Keys says how include steps learn the keys that they start from; the zero
	// value is right for everything but distributed databases.
	Keys Keys
	// MaxResultBytes bounds what one request may read, as it is kept in memory;
	// default 256 MiB, at most 1 GiB.
	MaxResultBytes int
	// StatementTimeout bounds each statement of a request, in place of what the
	// server, the database or the login role have; 0 leaves it to these. It is
	// rounded up to milliseconds.
	StatementTimeout time.Duration
	// AcquireTimeout bounds the wait for a connection of the pool; past it the
	// answer is 503 database-unavailable. 0: as long as the request's context.
	AcquireTimeout time.Duration
	// PgBouncer says that the pool connects to PgBouncer in transaction mode, and
	// is configured by ConfigurePgBouncer: no statement is prepared under a name,
	// and every request sets the style.
	PgBouncer bool
	// Logger hears of tables without policies; nil: nobody.
	Logger *slog.Logger
}

// A DB is an open database. It is safe for concurrent use and holds nothing
// that would have to be closed: the pool stays the caller's.
type DB struct {
	pool        *pgxpool.Pool
	schema      *schema.Schema // as it was opened
	variables   []string
	session     sessionStatements
	allowUnsafe bool
	keys        Keys
	maxBytes    int
	waits       time.Duration // for a connection; 0: as long as it takes
	pooled      bool          // by PgBouncer: no statement is prepared under a name
	views       *lru.Cache[viewKey, *schema.View]
	roles       *lru.Cache[string, struct{}] // those that have been checked
	compiler    *sqlgen.Compiler             // for Select
}

// The bounds of Options.MaxResultBytes. Rows count their bytes in an int32.
const (
	defaultResultBytes = 256 << 20
	maxResultBytes     = 1 << 30
)

// maxStatementTimeout is the longest that Postgres takes, an int32 of
// milliseconds.
const maxStatementTimeout = math.MaxInt32 * time.Millisecond

// keptViews bounds the views that are kept, one for each role and schema, and
// keptRoles the roles.
const (
	keptViews = 256
	keptRoles = 4 * keptViews
)

// Open checks the database and the role that serves it, and declares the
// variables. It refuses to serve as a superuser, with BYPASSRLS, or as the owner
// of exposed tables that do not force row-level security, unless AnonymousRole
// names a role that has none of these, or AllowUnsafeRole says so (contract 7.4).
func Open(ctx context.Context, pool *pgxpool.Pool, o Options) (*DB, error) {
	if o.Schema == nil {
		return nil, errors.New("open the database: Options.Schema is missing; load one with introspect.Load and schema.FromCatalog, or with schema.Load")
	}
	config := pool.Config()
	if err := o.check(config); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if o.MaxResultBytes == 0 {
		o.MaxResultBytes = defaultResultBytes
	}
	views, err := lru.New[viewKey, *schema.View](keptViews)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	roles, err := lru.New[string, struct{}](keptRoles)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	style := ""
	if o.PgBouncer || !styled(config) {
		style = styleStatement()
	}
	db := &DB{
		pool:        pool,
		schema:      o.Schema,
		variables:   slices.Clone(o.Variables),
		session:     newSessionStatements(o, style),
		allowUnsafe: o.AllowUnsafeRole,
		keys:        o.Keys,
		maxBytes:    o.MaxResultBytes,
		waits:       o.AcquireTimeout,
		pooled:      o.PgBouncer,
		views:       views,
		roles:       roles,
		compiler:    sqlgen.NewCompiler(),
	}
	if err := db.checkStart(ctx, o); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return db, nil
}

// check refuses options that contradict themselves or the pool.
func (o *Options) check(c *pgxpool.Config) error {
	if err := checkVariables(o.Variables); err != nil {
		return err
	}
	switch {
	case o.MaxResultBytes < 0 || o.MaxResultBytes > maxResultBytes:
		return fmt.Errorf("Options.MaxResultBytes is %d: write a number from 1 to %d, or 0 for %d", o.MaxResultBytes, maxResultBytes, defaultResultBytes)
	case o.StatementTimeout < 0 || o.StatementTimeout > maxStatementTimeout:
		return fmt.Errorf("Options.StatementTimeout is %v: write a duration up to %v, or 0 for none", o.StatementTimeout, maxStatementTimeout)
	case o.AcquireTimeout < 0:
		return fmt.Errorf("Options.AcquireTimeout is %v: write a duration, or 0 for none", o.AcquireTimeout)
	case o.PgBouncer:
		return checkPooled(c)
	default:
		return nil
	}
}

// acquire takes a connection of the pool, within Options.AcquireTimeout. Its
// errors are jsonapi errors.
func (db *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	within := ctx
	if db.waits > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, db.waits)
		defer cancel()
	}
	conn, err := db.pool.Acquire(within)
	if err != nil {
		return nil, unavailable(ctx, fmt.Errorf("acquire a connection: %w", err))
	}
	return conn, nil
}

// A Session is in whose name requests run.
type Session struct {
	// Role is set for each request, last of all. Empty means no change of role:
	// the login role.
	Role string
	// Vars are values of declared variables; those left out are set to ''.
	Vars map[string]string
}

// A Client runs pipelines under one session. It is a small value, made per
// request.
type Client struct {
	db      *DB
	session Session
}

// As returns a client for the session. It does nothing yet: what is wrong with
// the session is told by View and Run.
func (db *DB) As(s Session) Client { return Client{db: db, session: s} }

// check refuses what no session may say, before anything is sent.
func (c Client) check() error {
	if c.db == nil {
		return internal(errors.New("the client was not made by DB.As"))
	}
	if c.session.Role == "none" {
		// Postgres takes it for "no role at all", which is the login role.
		return roleRefused(errors.New(`a session names the role "none"`))
	}
	if name, found := undeclared(c.db.variables, c.session.Vars); found {
		return internal(fmt.Errorf("the session sets the variable %q, which Options.Variables does not declare", name))
	}
	return nil
}
