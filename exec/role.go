package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// checkStart refuses to serve with a role that row-level security does not
// bind, and tells the log of tables that no policy guards.
func (db *DB) checkStart(ctx context.Context, o Options) error {
	facts, err := introspect.Role(ctx, db.pool, o.Schema, "")
	if err != nil {
		return err
	}
	exposed := exposedTables(o.Schema)
	if o.Logger != nil {
		for _, t := range facts.WithoutPolicy() {
			if exposed[t] {
				o.Logger.Warn("no policy guards an exposed table: all that privileges allow is served", "table", t.String())
			}
		}
	}
	if o.AllowUnsafeRole {
		return nil
	}
	if o.AnonymousRole == "" {
		if why := unsafe(facts, exposed); why != "" {
			return fmt.Errorf("row-level security does not bind the role %q: %s; connect as another role, set an anonymous role that it may take, or allow an unsafe role", facts.Name, why)
		}
		return nil
	}
	anonymous, err := introspect.Role(ctx, db.pool, o.Schema, o.AnonymousRole)
	if err != nil {
		return err
	}
	switch why := unsafe(anonymous, exposed); {
	case !anonymous.Exists:
		return fmt.Errorf("the anonymous role %q does not exist", o.AnonymousRole)
	case !anonymous.Assumable:
		return fmt.Errorf("the role %q may not become the anonymous role %q: GRANT %s TO %s", facts.Login, o.AnonymousRole, o.AnonymousRole, facts.Login)
	case why != "":
		return fmt.Errorf("row-level security does not bind the anonymous role %q: %s", o.AnonymousRole, why)
	default:
		return nil
	}
}

// unsafe says why row-level security does not bind a role, "" where it does.
func unsafe(f *introspect.RoleFacts, exposed map[schema.Table]bool) string {
	switch {
	case f.Superuser:
		return "it is a superuser"
	case f.BypassRLS:
		return "it has BYPASSRLS"
	}
	var owned []string
	for _, t := range f.Unforced() {
		if exposed[t] {
			owned = append(owned, t.String())
		}
	}
	if len(owned) == 0 {
		return ""
	}
	slices.Sort(owned)
	return "it owns tables that do not FORCE row-level security: " + strings.Join(owned, ", ")
}

// exposedTables are the tables of models and the join tables between them.
func exposedTables(s *schema.Schema) map[schema.Table]bool {
	exposed := make(map[schema.Table]bool)
	for _, m := range s.Models() {
		exposed[m.Table] = true
		for _, r := range m.Relationships {
			if r.Through != nil {
				exposed[r.Through.Table] = true
			}
		}
	}
	return exposed
}

// A viewKey names a view. Schemas are told apart by their generation, so that a
// view never outlives its schema by more than its place in the cache.
type viewKey struct {
	generation uint64
	role       string
}

// View returns the schema as the session's role may see it. The first view of a
// role reads its privileges and checks that it is safe; later ones cost nothing.
// Errors are jsonapi errors: forbidden for a role that does not exist, that may
// not be taken, or that row-level security does not bind.
func (c Client) View(ctx context.Context, s *schema.Schema) (*schema.View, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	key := viewKey{generation: s.Generation(), role: c.session.Role}
	if v, ok := c.db.views.Get(key); ok {
		return v, nil
	}
	var v *schema.View
	err := c.db.pastDead(func() (err error) {
		v, err = c.readView(ctx, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.db.views.Add(key, v)
	return v, nil
}

func (c Client) readView(ctx context.Context, s *schema.Schema) (*schema.View, error) {
	if err := c.readRole(ctx, s); err != nil {
		return nil, err
	}
	conn, err := c.db.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	privileges, err := introspect.Privileges(ctx, conn, s, c.session.Role)
	if err != nil {
		return nil, catalogRefused(ctx, err)
	}
	return schema.NewView(s, c.session.Role, privileges), nil
}

// checkRole refuses a role that may not serve the schema that was opened. Who
// has asked for a view has been checked; who brings a plan made from the view
// of another has not.
func (c Client) checkRole(ctx context.Context) error {
	if c.db.roles.Contains(c.session.Role) {
		return nil
	}
	return c.db.pastDead(func() error { return c.readRole(ctx, c.db.schema) })
}

// readRole checks the session's role, and remembers it where it may serve.
func (c Client) readRole(ctx context.Context, s *schema.Schema) error {
	conn, err := c.db.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	facts, err := introspect.Role(ctx, conn, s, c.session.Role)
	if err != nil {
		return catalogRefused(ctx, err)
	}
	c.db.roles.Remove(c.session.Role)
	if c.session.Role != "" && (!facts.Exists || !facts.Assumable) {
		return roleRefused(fmt.Errorf("the role %q does not exist, or the role %q may not take it", c.session.Role, facts.Login))
	}
	if why := unsafe(facts, exposedTables(s)); why != "" && !c.db.allowUnsafe {
		return roleRefused(fmt.Errorf("row-level security does not bind the role %q: %s", facts.Name, why))
	}
	c.db.roles.Add(c.session.Role, struct{}{})
	return nil
}

// pastDead reads from the catalogue, again where a connection turns out to be
// dead: all that were idle may be.
func (db *DB) pastDead(read func() error) error {
	err := read()
	for dead := int32(0); lost(err) && dead <= db.pool.Config().MaxConns; dead++ {
		err = read()
	}
	return err
}

// lost reports whether the catalogue was not read because a connection was
// dead. Where none is to be had, by us or by PgBouncer, it is not that.
func lost(err error) bool {
	e, ok := errors.AsType[*jsonapi.Error](err)
	if !ok || e.Code != jsonapi.DatabaseUnavailable || e.ORMCode != "" {
		return false
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](e.Cause); ok && unserved(pgErr) {
		return false
	}
	_, unreachable := errors.AsType[*pgconn.ConnectError](e.Cause)
	return !unreachable && !errors.Is(e.Cause, context.DeadlineExceeded)
}

// catalogRefused maps a failure to read the catalogue.
func catalogRefused(ctx context.Context, err error) error {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && !disconnects(pgErr) {
		return refused(pgErr, jsonapi.Source{})
	}
	return unavailable(ctx, err)
}

// internal is a fault of the host's own.
func internal(cause error) error {
	return &jsonapi.Error{Code: jsonapi.UnknownError, Detail: "The server met a fault of its own.", Cause: cause}
}
