package exec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// Run sends a compiled pipeline with its plan's values in one round trip and
// returns all of its rows. The statements of a read see one snapshot. Those of a
// write are one transaction at READ COMMITTED: what fails leaves nothing, and
// what the data or a policy refused is an error. Errors are jsonapi errors.
//
// It takes more than one trip only where keys are fetched and bound (see Keys),
// where a statement turned out stale, where Postgres asks for a retry (40001,
// 40P01), where the connection was dead, where the answer of a write includes
// resources, of which there may be too many, and where a policy refused a write:
// a second one then tells whether it refuses the row or only reading it.
func (c Client) Run(ctx context.Context, p *sqlgen.Pipeline, pl *plan.Plan) (*Result, error) {
	var result *Result
	limit := maxIncluded(pl)
	err := c.exchange(ctx, p, pl, func() receiver {
		result = newResult(p)
		return &collector{result: result, included: limit, maxBytes: c.db.maxBytes, access: accessOf(p)}
	})
	if p.Writes && result != nil {
		err = outcome(pl, result, err)
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// maxIncluded bounds the resources that the document may include.
func maxIncluded(p *plan.Plan) int {
	if read := p.Read(); read != nil {
		return read.MaxIncluded
	}
	return 0
}

func newResult(p *sqlgen.Pipeline) *Result {
	r := &Result{Pipeline: p, Parts: make([]Rows, len(p.Statements))}
	for i, st := range p.Statements {
		r.Parts[i].columns = len(st.Columns)
	}
	at := 1 // the batch's own statement
	for _, op := range p.Operations {
		n := len(op.Statements)
		r.Operations = append(r.Operations, &Result{Pipeline: op, Parts: r.Parts[at : at+n]})
		at += n
	}
	return r
}

// planOf returns the plan that a statement takes its values from.
func (x *exchange) planOf(part int) *plan.Plan {
	p, _ := operationOf(x.pipeline, x.plan, part)
	return p
}

// operationOf returns the plan that a statement belongs to, and the statement's
// index in the pipeline of that.
func operationOf(p *sqlgen.Pipeline, pl *plan.Plan, part int) (*plan.Plan, int) {
	at := part - 1 // the first is the batch's own
	for i, op := range p.Operations {
		if at >= 0 && at < len(op.Statements) {
			return pl.Action.(*plan.Batch).Operations[i], at
		}
		at -= len(op.Statements)
	}
	return pl, part
}

// A receiver reads the rows of the statements, by their index in the pipeline,
// and gives back the keys that other statements start from.
type receiver interface {
	receive(part int, rr *pgconn.ResultReader) error
	keys(part, column int) param
}

// exchange runs the pipeline until it succeeds or has to be given up. Each try
// gets a receiver of its own.
func (c Client) exchange(ctx context.Context, p *sqlgen.Pipeline, pl *plan.Plan, newReceiver func() receiver) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := c.checkRole(ctx); err != nil {
		return err
	}
	x := &exchange{client: c, pipeline: p, plan: pl, bound: !p.Writes && (c.db.keys == KeysBound || manyKeys(p, pl))}
	for {
		err := x.try(ctx, newReceiver())
		if err == nil {
			return nil
		}
		if s, ok := errors.AsType[*suspect](err); ok {
			return x.tell(ctx, s)
		}
		again, ok := errors.AsType[*retry](err)
		if !ok {
			return err
		}
		if err := again.wait(ctx); err != nil {
			return err
		}
	}
}

// An exchange is one request to the database, however many tries it takes.
type exchange struct {
	client   Client
	pipeline *sqlgen.Pipeline
	plan     *plan.Plan
	bound    bool // keys are parameters
	tries    attempts
}

// form returns the form in which the statement is sent.
func (x *exchange) form(part int) *sqlgen.Form {
	st := x.pipeline.Statements[part]
	if x.bound {
		return &st.Bound
	}
	return &st.Form
}

// attempts counts the tries of one request by their reason.
type attempts struct{ dead, stale, conflicts int }

// A retry is a failure after which the request may be tried again.
type retry struct {
	pause time.Duration
	cause error
}

func (r *retry) Error() string { return r.cause.Error() }
func (r *retry) Unwrap() error { return r.cause }

func (r *retry) wait(ctx context.Context) error {
	if r.pause == 0 {
		return nil
	}
	timer := time.NewTimer(r.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return interrupted(ctx)
	}
}

// How often a request is tried again: after a conflict between transactions as
// the contract says (section 8), once with statements prepared anew, and past
// as many dead connections as the pool can hold.
const maxConflicts = 3

// try runs the pipeline once on one connection.
func (x *exchange) try(ctx context.Context, to receiver) error {
	conn, err := x.client.db.pool.Acquire(ctx)
	if err != nil {
		return unavailable(ctx, fmt.Errorf("acquire a connection: %w", err))
	}
	defer conn.Release()
	pg := conn.Conn().PgConn()
	if x.pipeline.Writes {
		if err := alive(pg); err != nil {
			return x.judge(ctx, conn, &failure{err: err, none: true, unsent: true})
		}
	}
	defer func() { statementsOf(pg).used = time.Now() }()
	if f := x.send(ctx, pg, to); f != nil {
		return x.judge(ctx, conn, f)
	}
	return nil
}

// idle is how long a connection may have been idle until a write asks whether it
// is still there: a write that was sent to a dead one cannot be sent again, as
// nobody knows whether it was done.
const idle = time.Second

// alive looks whether Postgres has ended a connection that was idle. That takes
// a millisecond and no round trip.
func alive(conn *pgconn.PgConn) error {
	if used := statementsOf(conn).used; used.IsZero() || time.Since(used) < idle {
		return nil
	}
	//lint:ignore SA1019 Ping, which is proposed in its place, costs a round trip.
	return conn.CheckConn()
}

// send sends the session and the statements with one Sync at their end, and
// reads every answer. Statements that wait for keys of others go after these
// have been answered; in the form that finds keys in variables none does.
func (x *exchange) send(ctx context.Context, conn *pgconn.PgConn, to receiver) *failure {
	b := newBatch(ctx, conn)
	defer b.end()
	b.open(x.client, accessOf(x.pipeline))
	keys := make(map[int]param)
	waiting := make([]int, len(x.pipeline.Statements))
	for i := range waiting {
		waiting[i] = i
	}
	for {
		waiting = x.sendReady(b, waiting, keys)
		if err := b.flush(len(waiting) == 0 && !x.refusable()); err != nil {
			return &failure{err: err, at: b.expected[0], none: !b.answered, open: !b.synced}
		}
		if f := b.receiveAll(to); f != nil {
			if f.open = !b.synced; f.open && x.pipeline.Writes && !isPostgres(f.err) {
				b.hangUp() // the Sync that brings a connection back to order would keep what was written
			}
			return f
		}
		if len(waiting) == 0 {
			break
		}
		x.collect(waiting, keys, to)
	}
	if !b.synced {
		if err := b.flush(true); err != nil {
			return &failure{err: err, ending: true}
		}
	}
	if err := b.pipeline.Close(); err != nil {
		return &failure{err: err, ending: true}
	}
	return nil
}

// refusable reports whether the answer may turn out to be too large, of a write,
// which is not to be kept then: it ends only after its answer was read. That is
// one more trip. What serves linkage only is one row at most.
func (x *exchange) refusable() bool {
	return x.pipeline.Writes && slices.ContainsFunc(x.pipeline.Statements, func(st *sqlgen.Statement) bool {
		return st.Edge != nil && !st.Edge.Silent
	})
}

func isPostgres(err error) bool {
	_, ok := errors.AsType[*pgconn.PgError](err)
	return ok
}

// sendReady sends the statements whose keys are known, and returns the others.
func (x *exchange) sendReady(b *batch, waiting []int, keys map[int]param) []int {
	var rest []int
	for _, part := range waiting {
		form, st := x.form(part), x.pipeline.Statements[part]
		params, ok := bind(form.Params, x.planOf(part).Values, keys)
		if !ok {
			rest = append(rest, part)
			continue
		}
		key := statementKey{role: x.client.session.Role, sql: form.SQL}
		b.send(key, params, answer{kind: rows, part: part, statement: st})
	}
	return rest
}

// collect notes the keys that statements hand to those that wait.
func (x *exchange) collect(waiting []int, keys map[int]param, from receiver) {
	for part, st := range x.pipeline.Statements {
		if slices.Contains(waiting, part) {
			continue
		}
		for _, h := range st.Hands {
			if _, have := keys[h.Key]; !have {
				keys[h.Key] = from.keys(part, h.Column)
			}
		}
	}
}

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
	case !isPg && f.own && x.pipeline.Writes && !f.open:
		return WriteDone(f.err)
	case !isPg && f.own:
		return f.err
	case !isPg || disconnects(pgErr):
		if x.mayRepeat(f, isPg) && tries.dead <= int(x.client.db.pool.Config().MaxConns) {
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
	case f.at.kind == settings && !f.ending:
		return x.client.sessionRefused(pgErr)
	case x.pipeline.Writes:
		return x.writeRefused(pgErr, f)
	default:
		return x.refused(pgErr, f)
	}
}

// doubtful reports whether nobody knows what came of a write: the end of its
// transaction may have been sent, and Postgres has not said that it failed.
func (x *exchange) doubtful(f *failure) bool {
	e, isPg := errors.AsType[*pgconn.PgError](f.err)
	switch {
	case !x.pipeline.Writes, f.open, f.unsent, f.none && pgconn.SafeToRetry(f.err):
		return false
	case isPg:
		return f.ending && disconnects(e)
	default:
		return true
	}
}

// mayRepeat reports whether a request whose connection has gone may be sent
// again. A read that was cut off before its first answer has done nothing and
// shown nothing; the connection may have died while it was idle. Of a write that
// is known only where Postgres itself says that it ends the connection, before
// anything else, or where nothing was sent.
func (x *exchange) mayRepeat(f *failure, isPg bool) bool {
	if !f.none {
		return false
	}
	return !x.pipeline.Writes || isPg || f.unsent || pgconn.SafeToRetry(f.err)
}

// writeRefused answers what Postgres refused of a write.
func (x *exchange) writeRefused(e *pgconn.PgError, f *failure) error {
	if reason := abortOf(e); reason != "" {
		return x.aborted(reason, f)
	}
	p := x.planOf(f.at.part)
	table := schema.Table{Schema: e.SchemaName, Name: e.TableName}
	if f.ending {
		p = x.planOfTable(table)
	}
	if v, ok := violation(e, p, table); ok {
		return placed(v, p)
	}
	st := f.at.statement
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

// jitter is a pause before the n-th try after a conflict.
func jitter(n int) time.Duration {
	return time.Duration(n) * (5*time.Millisecond + rand.N(20*time.Millisecond))
}
