package exec

import (
	"strconv"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/jackc/pgx/v5/pgconn"
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
	names *simplelru.LRU[statementKey, string]
	next  int
	stale []string // names to close on the connection's next use
}

const customData = "github.com/resourcery/resourcery/exec"

func statementsOf(conn *pgconn.PgConn) *statements {
	if s, ok := conn.CustomData()[customData].(*statements); ok {
		return s
	}
	s := &statements{}
	names, err := simplelru.NewLRU(keptStatements, func(_ statementKey, name string) {
		s.stale = append(s.stale, name)
	})
	if err != nil {
		panic("exec: " + err.Error()) // only for a size that is not positive
	}
	s.names = names
	conn.CustomData()[customData] = s
	return s
}

// forget closes all names: a statement turned out stale or unknown.
func (s *statements) forget() { s.names.Purge() }

// A batch is one pipeline as it is sent: what answers are to come, in order.
type batch struct {
	pipeline *pgconn.Pipeline
	known    *statements
	expected []answer
}

// An answer is one result that the pipeline will give.
type answer struct {
	kind answerKind
	key  statementKey // of described
	name string
	part int // of rows: the index among the plan's statements
}

type answerKind uint8

const (
	closed    answerKind = iota // a statement was closed
	described                   // a statement was prepared
	settings                    // the isolation level or the session was set
	rows                        // a plan's statement
)

func (b *batch) close(names []string) {
	for _, name := range names {
		b.pipeline.SendDeallocate(name)
		b.expected = append(b.expected, answer{kind: closed})
	}
}

// send sends one statement under its name, and prepares it first where the
// connection does not know it for the role.
func (b *batch) send(key statementKey, params [][]byte, formats []int16, a answer) {
	name, ok := b.known.names.Get(key)
	if !ok {
		b.known.next++
		name = "resourcery_" + strconv.Itoa(b.known.next)
		b.pipeline.SendPrepare(name, key.sql, nil)
		b.expected = append(b.expected, answer{kind: described, key: key, name: name})
	}
	b.pipeline.SendQueryPrepared(name, params, nil, formats)
	b.expected = append(b.expected, a)
}
