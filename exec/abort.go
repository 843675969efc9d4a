package exec

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// abortOf returns the reason for which a statement of ours aborted its
// transaction, "" where it did not. The message may be in any language, but it
// quotes the name.
func abortOf(e *pgconn.PgError) string {
	if e.Code != "22P02" {
		return ""
	}
	_, rest, ok := strings.Cut(e.Message, sqlgen.AbortPrefix)
	if !ok {
		return ""
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < 'a' || r > 'z' })
	if end < 0 {
		end = len(rest)
	}
	return rest[:end]
}

// aborted is the answer to an abort of a statement's.
func (x *exchange) aborted(reason string, f *failure) error {
	p, st := x.planOf(f.at.part), f.at.statement
	switch reason {
	case sqlgen.AbortUnreadable:
		return placed(unreadable(), p)
	case sqlgen.AbortUnseen:
		return placed(targetNotFound(placeOf(p, st.Relationship)), p)
	case sqlgen.AbortHidden:
		return placed(targetNotFound(placeOfLinked(p, f.err)), p)
	case sqlgen.AbortRefused:
		return placed(keptMembers(placeOf(p, st.Relationship)), p)
	case sqlgen.AbortRequired:
		return placed(requiredByMembers(placeOf(p, st.Relationship)), p)
	case sqlgen.AbortDetached:
		return placed(detached(placeOf(p, st.Relationship)), p)
	case sqlgen.AbortSeveral:
		return placed(several(), p)
	case sqlgen.AbortIdentity:
		return placed(otherIdentity(p), p)
	case sqlgen.AbortFailed:
		return errFailed
	default:
		return internal(f.err)
	}
}

// placeOfLinked is where the request gives what a foreign key holds that leads to
// a row which the caller does not see: which of them, the error says.
func placeOfLinked(p *plan.Plan, err error) jsonapi.Source {
	w := writeOf(p)
	_, rest, _ := strings.Cut(err.Error(), sqlgen.AbortPrefix+sqlgen.AbortHidden+".")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	i, err := strconv.Atoi(rest[:end])
	if err != nil || w == nil || i >= len(w.Linked) {
		return jsonapi.Source{}
	}
	given := slices.DeleteFunc(slices.Clone(w.Set), func(a plan.Assignment) bool {
		g, ok := a.Value.(*plan.Given)
		return ok && p.Values[g.Slot] == nil // a NULL leads nowhere
	})
	return placeOfFields(p, &plan.Write{Set: given}, w.Linked[i].Reference.From)
}

// placeOf is where the request speaks of a relationship: its linkage, or an
// attribute of its foreign key.
func placeOf(p *plan.Plan, rel *schema.Relationship) jsonapi.Source {
	w := writeOf(p)
	if w == nil || rel == nil {
		return jsonapi.Source{}
	}
	for _, m := range w.Members {
		if m.Relationship == rel {
			return p.Sources[m.Keys[0]]
		}
	}
	return placeOfFields(p, w, rel.From)
}

// placeOfFields is where the request gives the first of some columns that it
// does.
func placeOfFields(p *plan.Plan, w *plan.Write, fields []*schema.Field) jsonapi.Source {
	for _, a := range w.Set {
		if slices.Contains(fields, a.Field) {
			return placeOfCell(p, a.Value)
		}
	}
	return jsonapi.Source{}
}

func placeOfCell(p *plan.Plan, c plan.Cell) jsonapi.Source {
	switch c := c.(type) {
	case *plan.Given:
		return p.Sources[c.Slot]
	case *plan.Looked:
		return placeOfCell(p, c.Key[0])
	case *plan.Made:
		return jsonapi.Source{}
	default:
		panic("exec: a cell of no known type")
	}
}

// writeOf returns what a plan writes, nil for deletes and reads.
func writeOf(p *plan.Plan) *plan.Write {
	switch a := p.Action.(type) {
	case *plan.Create:
		return &a.Write
	case *plan.Update:
		return &a.Write
	case *plan.Read, *plan.Delete, *plan.Batch:
		return nil
	default:
		panic("exec: an action of no known type")
	}
}

// unreadable is the answer where the caller could not read what it wrote.
func unreadable() *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.Forbidden, jsonapi.Source{},
		"You could not read the resource after this write, so nothing of it was kept.")
}

func keptMembers(at jsonapi.Source) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.Forbidden, at, "You may see some of the members, but not change whether they are.")
}

func requiredByMembers(at jsonapi.Source) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.RequiredRelationship, at, "Its members cannot be without this relationship.")
}

func detached(at jsonapi.Source) *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.Conflict, at,
		"The resources cannot be linked: the field by which one refers to the other is empty; give it a value first.")
}

// several is the answer where an id is no key after all: of a view by what the
// host says, of a table that others inherit.
func several() *jsonapi.Error {
	return jsonapi.Errorf(jsonapi.Conflict, jsonapi.Source{}, "The id is that of several rows, so nothing was changed.")
}

// otherIdentity is the answer where the row that an upsert chose by other fields
// has another id than the request gives.
func otherIdentity(p *plan.Plan) *jsonapi.Error {
	a := p.Action.(*plan.Create)
	return jsonapi.Errorf(jsonapi.IDMismatch, placeOfFields(p, &a.Write, a.Claimed()),
		"The resource that `matchFields` choose has another id, so nothing was changed; leave the id out, or match by it.")
}

// A suspect is a write that a policy refused: the row itself, or only reading it
// afterwards. Postgres says the same of both.
type suspect struct {
	cause *pgconn.PgError
	part  int
}

func (s *suspect) Error() string { return s.cause.Error() }
func (s *suspect) Unwrap() error { return s.cause }

// tell finds out which: it runs everything up to the write again, and the write
// without reading its row, and keeps nothing.
func (x *exchange) tell(ctx context.Context, s *suspect) error {
	p := x.planOf(s.part)
	refusal := placed(refused(s.cause, jsonapi.Source{}), p)
	probe := &exchange{client: x.client, pipeline: probing(x.pipeline, s.part), plan: x.plan}
	conn, err := x.client.db.acquire(ctx)
	if err != nil {
		return refusal
	}
	defer conn.Release()
	f := probe.send(ctx, conn.Conn().PgConn(), &collector{result: newResult(probe.pipeline), maxBytes: x.client.db.maxBytes})
	if f == nil { // its last statement always fails
		return internal(errors.New("a probe went through to its end, and what it wrote was kept"))
	}
	if e, ok := errors.AsType[*pgconn.PgError](f.err); ok && abortOf(e) == sqlgen.AbortProbe {
		return placed(&jsonapi.Error{Code: jsonapi.Forbidden, Detail: unreadable().Detail, ORMCode: s.cause.Code, Cause: s.cause}, p)
	}
	return refusal
}

// probing is the pipeline up to a statement, and then its probe.
func probing(p *sqlgen.Pipeline, part int) *sqlgen.Pipeline {
	out := &sqlgen.Pipeline{Writes: true}
	out.Statements = slices.Concat(p.Statements[:part], p.Statements[part].Probe)
	at := 1
	for _, op := range p.Operations {
		n := len(op.Statements)
		if part < at+n {
			out.Operations = append(out.Operations, &sqlgen.Pipeline{Statements: out.Statements[at:], Writes: true})
			break
		}
		out.Operations = append(out.Operations, op)
		at += n
	}
	return out
}
