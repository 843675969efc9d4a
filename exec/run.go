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

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// Run sends a compiled read with its values in one round trip and returns all
// of its rows. The statements see one snapshot. Errors are jsonapi errors.
//
// It takes more than one trip only where keys are fetched and bound (see Keys),
// where a statement turned out stale, where Postgres asks for a retry (40001,
// 40P01), or where the connection was dead.
func (c Client) Run(ctx context.Context, p *sqlgen.Pipeline, pl *plan.Plan) (*Result, error) {
	var result *Result
	limit := maxIncluded(pl.Action)
	err := c.exchange(ctx, p, pl, func() receiver {
		result = newResult(p)
		return &collector{result: result, included: limit, maxBytes: c.db.maxBytes}
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// maxIncluded bounds the resources that the document may include.
func maxIncluded(a plan.Action) int {
	switch a := a.(type) {
	case *plan.Read:
		return a.MaxIncluded
	default:
		panic("exec: an action of no known type")
	}
}

func newResult(p *sqlgen.Pipeline) *Result {
	r := &Result{Pipeline: p, Parts: make([]Rows, len(p.Statements))}
	for i, st := range p.Statements {
		r.Parts[i].columns = len(st.Columns)
	}
	return r
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
	x := &exchange{client: c, pipeline: p, plan: pl, bound: c.db.keys == KeysBound || manyKeys(p, pl)}
	for {
		err := x.try(ctx, newReceiver())
		if err == nil {
			return nil
		}
		var again *retry
		if !errors.As(err, &again) {
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
	if f := x.send(ctx, conn.Conn().PgConn(), to); f != nil {
		return x.judge(ctx, conn, f)
	}
	return nil
}

// send sends the session and the statements with one Sync at their end, and
// reads every answer. Statements that wait for keys of others go after these
// have been answered; in the form that finds keys in variables none does.
func (x *exchange) send(ctx context.Context, conn *pgconn.PgConn, to receiver) *failure {
	b := newBatch(ctx, conn)
	defer b.end()
	b.open(x.client)
	keys := make(map[int]param)
	waiting := make([]int, len(x.pipeline.Statements))
	for i := range waiting {
		waiting[i] = i
	}
	for {
		waiting = x.sendReady(b, waiting, keys)
		if err := b.flush(len(waiting) == 0); err != nil {
			return &failure{err: err, at: b.expected[0], none: !b.answered}
		}
		if f := b.receiveAll(to); f != nil {
			return f
		}
		if len(waiting) == 0 {
			break
		}
		x.collect(waiting, keys, to)
	}
	if err := b.pipeline.Close(); err != nil {
		return &failure{err: err}
	}
	return nil
}

// sendReady sends the statements whose keys are known, and returns the others.
func (x *exchange) sendReady(b *batch, waiting []int, keys map[int]param) []int {
	var rest []int
	for _, part := range waiting {
		form, st := x.form(part), x.pipeline.Statements[part]
		params, ok := bind(form.Params, x.plan.Values, keys)
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
}

// judge decides what a failure means: another try, or which error.
func (x *exchange) judge(ctx context.Context, conn *pgxpool.Conn, f *failure) error {
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	tries := &x.tries
	pgErr, isPg := errors.AsType[*pgconn.PgError](f.err)
	switch {
	case !isPg && f.own:
		return f.err
	case !isPg || disconnects(pgErr):
		// A read that was cut off before its first answer has done nothing and
		// shown nothing; the connection may have died while it was idle.
		if f.none && tries.dead <= int(x.client.db.pool.Config().MaxConns) {
			tries.dead++
			return &retry{cause: f.err}
		}
		return unavailable(ctx, f.err)
	case (pgErr.Code == "0A000" || pgErr.Code == "26000") && tries.stale == 0:
		tries.stale++
		statementsOf(conn.Conn().PgConn()).forget()
		return &retry{cause: f.err}
	case (pgErr.Code == "40001" || pgErr.Code == "40P01") && tries.conflicts < maxConflicts:
		tries.conflicts++
		return &retry{cause: f.err, pause: jitter(tries.conflicts)}
	case f.at.kind == settings:
		return x.client.sessionRefused(pgErr)
	default:
		return x.refused(pgErr, f)
	}
}

// jitter is a pause before the n-th try after a conflict.
func jitter(n int) time.Duration {
	return time.Duration(n) * (5*time.Millisecond + rand.N(20*time.Millisecond))
}
