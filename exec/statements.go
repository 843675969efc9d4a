package exec

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

// keptStatements bounds the prepared statements of one connection: each costs
// its backend some 130 kB.
const keptStatements = 128

// A prepared statement belongs to a role: USAGE on schemas and EXECUTE of
// inlined functions are checked only when it is parsed or planned, so what one
// role prepared is never run under another.
type statementKey struct{ role, sql string }

// statements are the prepared statements of one connection. They live in the
// connection's custom data and are used by one request at a time.
type statements struct {
	known  *simplelru.LRU[statementKey, *pgconn.StatementDescription]
	prefix string
	next   int
	stale  []string // names to close on the connection's next use
	used   time.Time
	batch  batch // of the request that uses the connection; its memory serves the next
}

const customData = "github.com/resourcery/resourcery/exec"

func statementsOf(conn *pgconn.PgConn) *statements {
	if s, ok := conn.CustomData()[customData].(*statements); ok {
		return s
	}
	s := &statements{prefix: "resourcery_" + strings.ToLower(rand.Text()[:10]) + "_"}
	known, err := simplelru.NewLRU(keptStatements, func(_ statementKey, d *pgconn.StatementDescription) {
		s.stale = append(s.stale, d.Name)
	})
	if err != nil {
		panic("exec: " + err.Error()) // only for a size that is not positive
	}
	s.known = known
	conn.CustomData()[customData] = s
	return s
}

// name makes a name that no other connection uses: behind a pooler several
// share a backend.
func (s *statements) name() string {
	s.next++
	return s.prefix + strconv.Itoa(s.next)
}

// closed notes that a name is gone. One whose closing was skipped after an
// error is closed on the next use.
func (s *statements) closed(name string) {
	s.stale = slices.DeleteFunc(s.stale, func(stale string) bool { return stale == name })
}

// forget closes all names: a statement turned out stale or unknown.
func (s *statements) forget() { s.known.Purge() }

// A batch is one pipeline as it is sent: what answers are to come, in order.
type batch struct {
	conn       *pgconn.PgConn
	pipeline   *pgconn.Pipeline
	statements *statements
	arguments  arguments               // of the statement that is sent next
	coming     map[statementKey]string // names that this pipeline prepares; nil: none
	expected   []answer
	unnamed    bool // statements are parsed anew, as the backend may be another
	answered   bool // something has been answered
	synced     bool // the Sync has been sent
	keeps      bool // its end keeps what was written
}

// An answer is one result that the pipeline will give.
type answer struct {
	kind      answerKind
	key       statementKey // of described
	name      string
	part      int               // of described and rows: the index among the plan's statements
	statement *sqlgen.Statement // nil for the session's
}

type answerKind uint8

const (
	closed    answerKind = iota // a statement was closed
	described                   // a statement was prepared
	settings                    // the isolation level or the session was set
	rows                        // a plan's statement
)

// newBatch returns an empty batch, which lasts until the connection's next one.
func (db *DB) newBatch(ctx context.Context, conn *pgconn.PgConn) *batch {
	known := statementsOf(conn)
	b := &known.batch
	*b = batch{
		conn: conn, pipeline: conn.StartPipeline(ctx), statements: known, unnamed: db.pooled,
		arguments: b.arguments, expected: b.expected[:0],
	}
	return b
}

// open sends what a request begins with: the isolation level before anything is
// parsed, the style where it is not the connection's own, the session, and
// statements to close.
func (b *batch) open(c Client, p *sqlgen.Pipeline, pl *plan.Plan) {
	b.keeps = p.Writes
	b.arguments.reset()
	if level := isolation(p, pl); level != "" {
		b.send(statementKey{sql: level}, answer{kind: settings})
	}
	if style := c.db.session.style; style != "" {
		b.send(statementKey{sql: style}, answer{kind: settings})
	}
	b.send(statementKey{sql: c.statement(accessOf(p), &b.arguments)}, answer{kind: settings})
	for _, name := range b.statements.stale {
		b.pipeline.SendDeallocate(name)
		b.expected = append(b.expected, answer{kind: closed, name: name})
	}
}

// send sends one statement with the batch's arguments: under its name, and
// prepares it first where the connection does not know it for the role. Of one
// that it knows, Postgres need not describe the rows again.
func (b *batch) send(key statementKey, a answer) {
	values, formats := b.arguments.values, b.arguments.codes()
	var columns []int16
	if a.statement != nil {
		columns = a.statement.Formats
	}
	if b.unnamed {
		b.pipeline.SendQueryParams(key.sql, values, nil, formats, columns)
	} else if known, ok := b.statements.known.Get(key); ok {
		b.pipeline.SendQueryStatement(known, values, formats, columns)
	} else {
		b.pipeline.SendQueryPrepared(b.prepare(key, a), values, formats, columns)
	}
	b.expected = append(b.expected, a)
}

// prepare returns the name of a statement that the connection does not know, and
// prepares it, once in a pipeline.
func (b *batch) prepare(key statementKey, a answer) string {
	if name, ok := b.coming[key]; ok {
		return name
	}
	if b.coming == nil {
		b.coming = make(map[statementKey]string)
	}
	name := b.statements.name()
	b.coming[key] = name
	b.pipeline.SendPrepare(name, key.sql, nil)
	a.kind, a.key, a.name = described, key, name
	b.expected = append(b.expected, a)
	return name
}

// flush makes Postgres answer what was sent; with the last of it goes the Sync,
// which ends the transaction.
func (b *batch) flush(last bool) error {
	if last {
		b.synced = true
		return b.pipeline.Sync()
	}
	b.pipeline.SendFlushRequest()
	return b.pipeline.Flush()
}

// end closes the pipeline. Where it failed before its Sync, that is still sent:
// it brings the connection back to order.
func (b *batch) end() {
	if !b.synced && !b.conn.IsClosed() {
		// An error here is that of a dead connection, which Close notices too.
		_ = b.pipeline.Sync()
	}
	_ = b.pipeline.Close()
	b.arguments.reset()
	if cap(b.expected) > keptAnswers {
		b.expected = nil
	}
}

// keptAnswers is how many answers a connection keeps memory for, between two
// requests: those of batches are hundreds.
const keptAnswers = 64

// unread reports whether much of an answer may be still to come.
func unread(err error) bool {
	if _, ok := errors.AsType[*tooLarge](err); ok {
		return true
	}
	_, ok := errors.AsType[*unwanted](err)
	return ok
}

// hangUp ends the connection: what is still to come of an answer that is too
// large, or unwanted, costs more to read than a new connection.
func (b *batch) hangUp() {
	_ = b.conn.Conn().Close() // the pipeline's end notices, and the pool drops it
}

// receiveAll reads every answer that is due. It returns the first failure; what
// follows it in the pipeline is skipped by Postgres.
func (b *batch) receiveAll(to receiver) *failure {
	for i, a := range b.expected {
		if f := b.receive(a, to); f != nil {
			f.at, f.none = a, !b.answered
			switch {
			case f.own && b.keeps && b.synced:
				if later := b.receiveRest(b.expected[i+1:], to); later != nil {
					return later
				}
			case f.own:
				b.skip(b.expected[i+1:])
			}
			return f
		}
		b.answered = true
	}
	b.expected = b.expected[:0]
	return nil
}

// receiveRest reads what comes after rows that were refused, of a write whose end
// has been sent: it may still fail, and whether it was done has to be known. It
// returns the failure of Postgres's own, if there is one.
func (b *batch) receiveRest(rest []answer, to receiver) *failure {
	for _, a := range rest {
		if f := b.receive(a, to); f != nil && !f.own {
			f.at = a
			return f
		}
	}
	return nil
}

// ended waits for the end of a write whose rows were refused.
func (b *batch) ended(refused *failure) *failure {
	if err := b.pipeline.Close(); err != nil {
		return &failure{err: err, ending: true}
	}
	refused.kept = true
	return refused
}

func (b *batch) receive(a answer, to receiver) *failure {
	got, err := b.pipeline.GetResults()
	if err != nil {
		return &failure{err: err}
	}
	switch got := got.(type) {
	case *pgconn.StatementDescription:
		if err := b.note(a, got); err != nil {
			return &failure{err: err, own: true}
		}
		return nil
	case *pgconn.CloseComplete:
		b.statements.closed(a.name)
		return nil
	case *pgconn.ResultReader:
		if a.kind == rows {
			if err := b.receiveRows(a, got, to); err != nil {
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

// receiveRows hands rows on. Where the statement was not described before, their
// types are looked at first.
func (b *batch) receiveRows(a answer, rr *pgconn.ResultReader, to receiver) error {
	if b.unnamed {
		if err := outdated(a.statement, rr.FieldDescriptions()); err != nil {
			return err
		}
	}
	err := to.receive(a.part, rr)
	if unread(err) && !(b.keeps && b.synced) {
		b.hangUp()
	}
	return err
}

// note keeps the description of a statement that has been prepared. One that does not
// fit the schema any more is closed instead: under its name it would not be
// described again, and be misread.
func (b *batch) note(a answer, got *pgconn.StatementDescription) error {
	if err := outdated(a.statement, got.Fields); err != nil {
		b.statements.stale = append(b.statements.stale, a.name)
		return err
	}
	got.Name = a.name // which pgconn leaves out
	b.statements.known.Add(a.key, got)
	return nil
}

// skip reads answers that nobody waits for any more. Statements prepared on the
// way are noted, or else each refused request would leave some behind.
func (b *batch) skip(rest []answer) {
	for _, a := range rest {
		got, err := b.pipeline.GetResults()
		if err != nil {
			return // Postgres skips what follows
		}
		switch got := got.(type) {
		case *pgconn.StatementDescription:
			// What is outdated has been told, or will be when it is asked for.
			_ = b.note(a, got)
		case *pgconn.ResultReader:
			if _, err := got.Close(); err != nil {
				return
			}
		}
	}
}
