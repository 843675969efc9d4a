package exec

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// Run sends a compiled pipeline with its plan's values in one round trip and
// returns all of its rows. The statements of a read see one snapshot. Those of a
// write are one transaction at READ COMMITTED: what fails leaves nothing, and
// what the data or a policy refused is an error. Errors are jsonapi errors.
//
// It takes more than one trip only where keys are fetched and bound (see Keys),
// where a statement turned out stale, where Postgres asks for a retry (40001,
// 40P01), where what a write had found was deleted meanwhile, where the
// connection was dead, where the answer of a write includes resources, of which
// there may be too many, and where a policy refused a write: a second one then
// tells whether it refuses the row or only reading it.
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
// and gives back the keys that other statements start from. Once it has shown
// rows to its caller there is no other try.
type receiver interface {
	receive(part int, rr *pgconn.ResultReader) error
	keys(part, column int) param
	shown() bool
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
		to := newReceiver()
		err := x.try(ctx, to)
		if err == nil {
			return nil
		}
		if s, ok := errors.AsType[*suspect](err); ok {
			return x.tell(ctx, s)
		}
		again, ok := errors.AsType[*retry](err)
		switch {
		case !ok:
			return err
		case to.shown():
			return unavailable(ctx, again.cause)
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
type attempts struct{ dead, stale, conflicts, overtaken int }

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
// as many dead connections as the pool can hold; and once where another client
// was faster (see overtaken).
const maxConflicts = 3

// try runs the pipeline once on one connection.
func (x *exchange) try(ctx context.Context, to receiver) error {
	conn, err := x.client.db.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	pg := conn.Conn().PgConn()
	if x.pipeline.Writes {
		if err := alive(pg); err != nil {
			return x.judge(ctx, conn, &failure{err: err, none: true, unsent: true})
		}
	}
	known := statementsOf(pg)
	defer func() { known.used = time.Now() }()
	if f := x.send(ctx, pg, to); f != nil {
		return x.judge(ctx, conn, f)
	}
	return nil
}

// send sends the session and the statements with one Sync at their end, and
// reads every answer. Statements that wait for keys of others go after these
// have been answered; in the form that finds keys in variables none does.
func (x *exchange) send(ctx context.Context, conn *pgconn.PgConn, to receiver) *failure {
	b := x.client.db.newBatch(ctx, conn)
	defer b.end()
	b.open(x.client, x.pipeline, x.plan)
	var keys map[int]param // those that have been fetched
	waiting := x.sendAll(b)
	for {
		if err := b.flush(len(waiting) == 0 && !x.refusable()); err != nil {
			return &failure{err: err, at: b.expected[0], none: !b.answered, open: !b.synced}
		}
		if f := b.receiveAll(to); f != nil {
			if f.open = !b.synced; f.open && x.pipeline.Writes && !isPostgres(f.err) {
				b.hangUp() // the Sync that brings a connection back to order would keep what was written
			}
			if f.own && b.keeps {
				return b.ended(f)
			}
			return f
		}
		if len(waiting) == 0 {
			break
		}
		if keys == nil {
			keys = make(map[int]param)
		}
		x.collect(waiting, keys, to)
		waiting = x.sendReady(b, waiting, keys)
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

// sendAll sends the statements that wait for no keys, and returns the others.
func (x *exchange) sendAll(b *batch) (rest []int) {
	for part := range x.pipeline.Statements {
		if !x.sendPart(b, part, nil) {
			rest = append(rest, part)
		}
	}
	return rest
}

// sendReady sends those of the waiting statements whose keys are known by now,
// and returns the others.
func (x *exchange) sendReady(b *batch, waiting []int, keys map[int]param) (rest []int) {
	for _, part := range waiting {
		if !x.sendPart(b, part, keys) {
			rest = append(rest, part)
		}
	}
	return rest
}

// sendPart sends a statement, unless its keys are not known yet.
func (x *exchange) sendPart(b *batch, part int, keys map[int]param) bool {
	form := x.form(part)
	if !b.arguments.bind(form.Params, x.planOf(part).Values, keys) {
		return false
	}
	key := statementKey{role: x.client.session.Role, sql: form.SQL}
	b.send(key, answer{kind: rows, part: part, statement: x.pipeline.Statements[part]})
	return true
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

// jitter is a pause before the n-th try after a conflict.
func jitter(n int) time.Duration {
	return time.Duration(n) * (5*time.Millisecond + rand.N(20*time.Millisecond))
}
