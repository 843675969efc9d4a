package exec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// Run sends a compiled read with its values in one round trip and returns all
// of its rows. The statements see one snapshot. Errors are jsonapi errors.
//
// It takes more than one trip only where a statement turned out stale, where
// Postgres asks for a retry (40001, 40P01), or where the connection was dead.
func (c Client) Run(ctx context.Context, p *sqlgen.Pipeline, pl *plan.Plan) (*Result, error) {
	limit := maxRows(pl.Action)
	var result *Result
	err := c.exchange(ctx, p, pl, func() receiver {
		result = newResult(p)
		return func(part int, rr *pgconn.ResultReader) error { return result.receive(part, rr, limit) }
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// maxRows bounds the rows of an include step.
func maxRows(a plan.Action) int {
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

// receive copies the rows of one statement. Rows past the limit of an include
// step are read and dropped, and the request is refused.
func (r *Result) receive(part int, rr *pgconn.ResultReader, limit int) error {
	st, to := r.Pipeline.Statements[part], &r.Parts[part]
	for rr.NextRow() {
		if st.Part == sqlgen.Rows && to.Len() == limit {
			drain(rr)
			return TooManyIncluded(limit)
		}
		to.append(rr.Values())
	}
	return nil
}

func drain(rr *pgconn.ResultReader) {
	for rr.NextRow() {
	}
}

// TooManyIncluded refuses a document that would include more than the limit.
func TooManyIncluded(limit int) error {
	return jsonapi.Errorf(jsonapi.TooManyIncluded, jsonapi.Parameter("include"),
		"The document would include more than %d resources; ask for a smaller page or for fewer paths.", limit)
}

// A receiver reads the rows of one statement, by its index in the pipeline.
type receiver func(part int, rr *pgconn.ResultReader) error

// exchange runs the pipeline until it succeeds or has to be given up. Each try
// gets a receiver of its own.
func (c Client) exchange(ctx context.Context, p *sqlgen.Pipeline, pl *plan.Plan, receive func() receiver) error {
	if err := c.check(); err != nil {
		return err
	}
	var tries attempts
	for {
		err := c.try(ctx, p, pl, receive(), &tries)
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
func (c Client) try(ctx context.Context, p *sqlgen.Pipeline, pl *plan.Plan, receive receiver, tries *attempts) error {
	conn, err := c.db.pool.Acquire(ctx)
	if err != nil {
		return unavailable(ctx, fmt.Errorf("acquire a connection: %w", err))
	}
	defer conn.Release()
	b := c.sendAll(ctx, conn.Conn().PgConn(), p, pl.Values)
	failed := b.receiveAll(ctx, receive)
	if failed == nil {
		return nil
	}
	return c.judge(ctx, conn, failed, p, pl, tries)
}

// sendAll sends the whole pipeline and its one Sync.
func (c Client) sendAll(ctx context.Context, conn *pgconn.PgConn, p *sqlgen.Pipeline, values []any) *batch {
	b := &batch{pipeline: conn.StartPipeline(ctx), known: statementsOf(conn)}
	b.expected = make([]answer, 0, 2*(len(p.Statements)+2))
	stale := b.known.stale
	b.known.stale = nil
	b.send(statementKey{sql: isolation}, nil, nil, answer{kind: settings})
	b.close(stale)
	sql, params := c.statement()
	b.send(statementKey{sql: sql}, params, nil, answer{kind: settings})
	for i, st := range p.Statements {
		key := statementKey{role: c.session.Role, sql: st.SQL}
		b.send(key, bind(st.Params, values), st.Formats, answer{kind: rows, part: i})
	}
	return b
}

// A failure is what went wrong with a pipeline, and at which answer.
type failure struct {
	err  error
	at   answer
	none bool // nothing had been answered yet
	own  bool // the receiver refused the rows
}

// receiveAll reads every answer. It returns the first failure; what follows it
// in the pipeline is skipped by Postgres.
func (b *batch) receiveAll(ctx context.Context, receive receiver) *failure {
	if err := b.pipeline.Sync(); err != nil {
		b.pipeline.Close()
		return &failure{err: err, at: b.expected[0], none: true}
	}
	for i, a := range b.expected {
		if f := b.receive(a, receive); f != nil {
			b.pipeline.Close()
			f.at, f.none = a, i == 0
			return f
		}
	}
	if err := b.pipeline.Close(); err != nil {
		return &failure{err: err, at: b.expected[len(b.expected)-1]}
	}
	return nil
}

func (b *batch) receive(a answer, receive receiver) *failure {
	got, err := b.pipeline.GetResults()
	if err != nil {
		return &failure{err: err}
	}
	switch got := got.(type) {
	case *pgconn.StatementDescription:
		b.known.names.Add(a.key, a.name)
		return nil
	case *pgconn.CloseComplete:
		return nil
	case *pgconn.ResultReader:
		if a.kind == rows {
			if err := receive(a.part, got); err != nil {
				got.Close()
				return &failure{err: err, own: true}
			}
		}
		if _, err := got.Close(); err != nil {
			return &failure{err: err}
		}
		return nil
	default:
		return &failure{err: fmt.Errorf("the pipeline answered with %T", got)}
	}
}

// judge decides what a failure means: another try, or which error.
func (c Client) judge(ctx context.Context, conn *pgxpool.Conn, f *failure, p *sqlgen.Pipeline, pl *plan.Plan, tries *attempts) error {
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	pgErr, isPg := errors.AsType[*pgconn.PgError](f.err)
	switch {
	case !isPg && f.own:
		return f.err
	case !isPg || disconnects(pgErr):
		// A read that was cut off before its first answer has done nothing and
		// shown nothing; the connection may have died while it was idle.
		if f.none && tries.dead <= int(c.db.pool.Config().MaxConns) {
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
		return c.sessionRefused(pgErr)
	default:
		return refused(pgErr, f.source(p, pl))
	}
}

// jitter is a pause before the n-th try after a conflict.
func jitter(n int) time.Duration {
	return time.Duration(n) * (5*time.Millisecond + rand.N(20*time.Millisecond))
}
