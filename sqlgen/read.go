package sqlgen

import (
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// read lowers a whole read, behind what the pipeline has.
func (c *Compiler) read(p *Pipeline, r *plan.Read) {
	if r.Parent != nil {
		p.add(check(r.Parent))
	}
	hand := &handover{}
	page := len(p.Statements)
	st, from := rows(r.Query, pageSource(r), hand)
	p.add(st)
	c.edges(p, r.Query, page, from, hand)
	if st := total(r); st != nil {
		p.add(st)
	}
}

func (p *Pipeline) add(st *Statement) { p.Statements = append(p.Statements, st) }

// A selection is a SELECT in the making: its source, and what narrows it.
type selection struct {
	*source
	from  string
	keyed sq.Sqlizer // a join with the keys of the parents, or nil
	where sq.And
	query *plan.Query
	seeks []sq.And // conditions of which each row fulfils one at most; nil: none is asked
	bound bool     // the form that is being written: keys are parameters
	// each is the parents' keys, as a table, where every parent has a window of
	// its own; keysAt is its alias.
	each   *sq.SelectBuilder
	keysAt string
}

func selectFrom(q *plan.Query) *selection {
	s := newSource()
	return &selection{source: s, from: table(q.Model.Table) + " " + s.at, query: q}
}

// pageSource selects the rows of primary data.
func pageSource(r *plan.Read) *selection {
	s := selectFrom(r.Query)
	if r.Parent != nil {
		s.where = append(s.where, s.under(r.Parent))
	}
	s.where = append(s.where, s.all(s.at, r.Query.Where)...)
	return s
}

// under keeps the members of the parent's relationship. The parent is read
// too: members of a parent that the caller may not see are none.
func (s *selection) under(p *plan.Parent) sq.Sqlizer {
	rel := p.Relationship
	parent := s.next()
	from := table(rel.Model.Table) + " " + parent
	where := sq.And{}
	if j := rel.Through; j != nil {
		join := s.next()
		from += " JOIN " + table(j.Table) + " " + join + " ON " + joinEquals(join, j.Near, parent, rel.From)
		where = append(where, text(joinEquals(join, j.Far, s.at, rel.To)))
	} else {
		where = append(where, text(pairEquals(s.at, rel.To, parent, rel.From)))
	}
	return exists(from, append(where, keyEquals(parent, p)...))
}

func keyEquals(at string, p *plan.Parent) sq.And {
	conds := sq.And{}
	for i, f := range p.Relationship.Model.Key {
		conds = append(conds, sq.Expr(equals(column(at, f.Column), f.Type, "?", f.Type), value(p.Key[i], f.Type)))
	}
	return conds
}

// check asks whether the parent is there for the caller.
func check(p *plan.Parent) *Statement {
	at := alias(0)
	st := &Statement{Part: Check, Columns: []Column{{Type: boolean, Format: Binary}}}
	st.build(sq.Select("true").From(table(p.Relationship.Model.Table) + " " + at).Where(keyEquals(at, p)))
	return st
}

var (
	boolean = &schema.Type{Kind: schema.Bool, Schema: "pg_catalog", Name: "bool"}
	integer = &schema.Type{Kind: schema.Int4, Schema: "pg_catalog", Name: "int4"}
	bigint  = &schema.Type{Kind: schema.Int8, Schema: "pg_catalog", Name: "int8"}

	plainText = &schema.Type{Kind: schema.Text, Schema: "pg_catalog", Name: "text"}
)

// filtered adds FROM, joins and WHERE.
func (s *selection) filtered(b sq.SelectBuilder) sq.SelectBuilder {
	b = b.From(s.from)
	if s.keyed != nil {
		b = b.JoinClause(s.keyed)
	}
	for _, j := range s.joins {
		b = b.LeftJoin(j)
	}
	if len(s.where) > 0 {
		b = b.Where(s.where)
	}
	return b
}

// build sets the statement's text and formats.
func (st *Statement) build(b builder) {
	st.Form = formed(b)
	if st.Bound.SQL == "" {
		st.Bound = st.Form
	}
	for _, c := range st.Columns {
		st.Formats = append(st.Formats, int16(c.Format))
	}
}

// A builder is one of squirrel's.
type builder = sq.Sqlizer

// formed writes a statement. Placeholders are numbered here, once: squirrel
// would number nested builders anew.
func formed(b builder) Form {
	sql, args, err := b.ToSql()
	if err == nil {
		sql, err = sq.Dollar.ReplacePlaceholders(sql)
	}
	if err != nil {
		panic("sqlgen: " + err.Error())
	}
	t := Form{SQL: strings.TrimSpace(sql)}
	for _, arg := range args {
		t.Params = append(t.Params, arg.(Param))
	}
	return t
}
