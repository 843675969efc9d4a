package exec

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// A failure is what went wrong with a pipeline, and at which answer.
type failure struct {
	err  error
	at   answer
	none bool // nothing had been answered yet
	own  bool // the receiver refused the rows
	// ending: every answer had come, and the transaction was to end.
	ending bool
	unsent bool // nothing was sent
	open   bool // the end of the transaction had not been sent
	kept   bool // own, and the transaction has ended well all the same
}

// judge decides what a failure means: another try, or which error.
func (x *exchange) judge(ctx context.Context, conn *pgxpool.Conn, f *failure) error {
	pgErr, isPg := errors.AsType[*pgconn.PgError](f.err)
	if ctx.Err() != nil {
		if x.doubtful(f) {
			return outcomeUnknown(context.Cause(ctx))
		}
		return interrupted(ctx)
	}
	tries := &x.tries
	switch {
	case f.kept:
		return &unanswered{f.err}
	case !isPg && f.own:
		return f.err
	case !isPg || disconnects(pgErr):
		if x.mayRepeat(f) && tries.dead <= int(x.client.db.pool.Config().MaxConns) {
			tries.dead++
			return &retry{cause: f.err}
		}
		if x.doubtful(f) {
			return outcomeUnknown(f.err)
		}
		return unavailable(ctx, f.err)
	case (pgErr.Code == "0A000" || pgErr.Code == "26000") && tries.stale == 0:
		tries.stale++
		statementsOf(conn.Conn().PgConn()).forget()
		return &retry{cause: f.err}
	case (pgErr.Code == "40001" || pgErr.Code == "40P01") && tries.conflicts < maxConflicts:
		tries.conflicts++
		return &retry{cause: f.err, pause: jitter(tries.conflicts)}
	case x.overtaken(pgErr, f) && tries.overtaken == 0:
		tries.overtaken++
		return &retry{cause: f.err}
	case f.at.kind == settings && !f.ending:
		return x.client.sessionRefused(pgErr)
	case x.pipeline.Writes:
		return x.writeRefused(pgErr, f)
	default:
		return x.refused(pgErr, f)
	}
}

// An unanswered is what keeps a write from being answered that has been done.
type unanswered struct{ cause error }

func (e *unanswered) Error() string { return e.cause.Error() }
func (e *unanswered) Unwrap() error { return e.cause }

// doubtful reports whether nobody knows what came of a write: the end of its
// transaction may have been sent, and Postgres has not said that it failed.
func (x *exchange) doubtful(f *failure) bool {
	e, isPg := errors.AsType[*pgconn.PgError](f.err)
	switch {
	case !x.pipeline.Writes, f.open, f.unsent, f.none && pgconn.SafeToRetry(f.err):
		return false
	case isPg:
		return f.ending && disconnects(e) || cutOff(e)
	default:
		return true
	}
}

// overtaken reports whether what a change of members had found, and does not
// lock, may have gone or come back meanwhile: the row itself, a member, a row of
// a join table, where a link that another client has made anew looks like one
// that a policy has kept. Another try finds that out, and what to say of it.
func (x *exchange) overtaken(e *pgconn.PgError, f *failure) bool {
	st := f.at.statement
	if st == nil || !x.pipeline.Writes {
		return false
	}
	switch abortOf(e) {
	case sqlgen.AbortUnreadable:
		a, ok := x.planOf(f.at.part).Action.(*plan.Update)
		return ok && len(a.Set) == 0
	case sqlgen.AbortUnseen:
		return !st.Relationship.Own
	case sqlgen.AbortRefused:
		return st.Relationship.Through != nil
	default:
		return e.Code == "23503" && st.Relationship != nil
	}
}

// mayRepeat reports whether a request whose connection has gone may be sent
// again. A read that was cut off before its first answer has done nothing and
// shown nothing; the connection may have died while it was idle. Of a write that
// is known only where Postgres itself says that it ends the connection, before
// anything else, or where nothing was sent.
func (x *exchange) mayRepeat(f *failure) bool {
	if !f.none {
		return false
	}
	e, isPg := errors.AsType[*pgconn.PgError](f.err)
	switch {
	case isPg && unserved(e):
		return false
	case !x.pipeline.Writes || f.unsent || pgconn.SafeToRetry(f.err):
		return true
	default:
		return isPg && !cutOff(e)
	}
}

// cutOff reports whether PgBouncer says that it has lost its connection to
// Postgres: what was sent may have been done.
func cutOff(e *pgconn.PgError) bool { return ofPgBouncer(e) && !unserved(e) }

// unserved reports whether PgBouncer had no connection to send anything on, and
// has waited for one or knows that there is none. Its messages are not
// translated, and name the setting that is at work.
func unserved(e *pgconn.PgError) bool {
	return ofPgBouncer(e) && (strings.Contains(e.Message, "query_wait_timeout") || strings.Contains(e.Message, "server_login_retry"))
}

// ofPgBouncer reports whether an error is one of PgBouncer's own. They all have
// the code that Postgres has for clients which break the protocol, and are never
// those of a statement.
func ofPgBouncer(e *pgconn.PgError) bool {
	return e.Code == protocolViolation && e.SeverityUnlocalized != "ERROR"
}

const protocolViolation = "08P01"

// writeRefused answers what Postgres refused of a write.
func (x *exchange) writeRefused(e *pgconn.PgError, f *failure) error {
	if reason := abortOf(e); reason != "" {
		return x.aborted(reason, f)
	}
	if e.Code == "25006" { // a standby, or a default that somebody has set
		return &jsonapi.Error{Code: jsonapi.DatabaseUnavailable, Detail: "The database takes no writes at present; try again later.", ORMCode: e.Code, Cause: e}
	}
	p := x.planOf(f.at.part)
	table := schema.Table{Schema: e.SchemaName, Name: e.TableName}
	st := f.at.statement
	if f.ending {
		p, st = x.planOfTable(table), nil
	}
	if v, ok := violation(e, p, table, st); ok {
		return placed(v, p)
	}
	if e.Code == "42501" && !f.ending && st != nil && len(st.Probe) > 0 {
		return &suspect{cause: e, part: f.at.part}
	}
	refusal := x.refused(e, f)
	if st != nil && st.Relationship != nil {
		for _, r := range jsonapi.AsErrors(refusal) {
			if r.Source == (jsonapi.Source{}) {
				r.Source = placeOf(p, st.Relationship)
			}
		}
	}
	return placed(refusal, p)
}

// planOfTable finds the plan that a constraint is about which is checked at the
// end: the one that writes the table.
func (x *exchange) planOfTable(t schema.Table) *plan.Plan {
	batch, ok := x.plan.Action.(*plan.Batch)
	if !ok {
		return x.plan
	}
	for _, op := range batch.Operations {
		if m := modelOfPlan(op); m != nil && m.Table == t {
			return op
		}
	}
	return x.plan
}

func isPostgres(err error) bool {
	_, ok := errors.AsType[*pgconn.PgError](err)
	return ok
}
