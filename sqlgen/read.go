package sqlgen

import (
	"strconv"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// read lowers a whole read.
func (c *Compiler) read(r *plan.Read) *Pipeline {
	p := &Pipeline{}
	if r.Parent != nil {
		p.add(check(r.Parent))
	}
	hand := &handover{}
	page := len(p.Statements)
	st, from := rows(r.Query, pageSource(r), hand)
	st.Part = Page
	p.add(st)
	c.edges(p, r.Query, page, from, hand)
	if r.Query.Total.Kind == plan.ExactTotal {
		p.add(count(r))
	}
	return p
}

func (p *Pipeline) add(st *Statement) { p.Statements = append(p.Statements, st) }

// A selection is a SELECT in the making: its source, and what narrows it.
type selection struct {
	*source
	from  string
	keyed sq.Sqlizer // a join with the keys of the parents, or nil
	where sq.And
	query *plan.Query
	bound bool // the form that is being written: keys are parameters
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
		conds = append(conds, sq.Expr("? = ?", text(column(at, f.Column)), value(p.Key[i], f.Type)))
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

// count counts the rows of primary data without their window.
func count(r *plan.Read) *Statement {
	s := pageSource(r)
	st := &Statement{Part: Count, Columns: []Column{{Type: bigint, Format: Binary}}}
	st.build(s.filtered(sq.Select("count(*)")))
	return st
}

var (
	boolean = &schema.Type{Kind: schema.Bool, Schema: "pg_catalog", Name: "bool"}
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

// rows lowers a query whose rows are shown as resources, with the keys that its
// edges need left in variables. It returns where the edges find these.
func rows(q *plan.Query, s *selection, hand *handover) (*Statement, []handed) {
	st := &Statement{}
	s.layout(st, q)
	return st, s.finish(st, hand)
}

// finish builds the statement from the columns that have been added to the
// selection, and those that the query's edges start from.
func (s *selection) finish(st *Statement, hand *handover) []handed {
	from := hand.starts(s.query.Edges, func(rel *schema.Relationship) []int { return s.fields(rel.From) })
	s.finishWith(st, from)
	return from
}

// finishWith builds both forms of the statement so that it leaves these keys.
func (s *selection) finishWith(st *Statement, from []handed) {
	order := s.order(s.query.Order)
	st.Columns, st.Hands = s.columns.list, handsOf(from)
	if st.Part == Pairs && len(st.Hands) == 1 {
		st.Hands[0].Distinct = true // a resource is in as many pairs as it has parents
	}
	plain := s.windowed(s.filtered(sq.Select(s.columns.outputs()...)).OrderBy(orderBy(order)))
	s.bound = true
	st.Bound = formed(plain)
	s.bound = false
	if len(st.Hands) > 0 {
		st.build(s.leaving(st.Hands, order))
	} else {
		st.build(plain)
	}
}

// leaving selects the rows and leaves keys of theirs in variables. That is for a
// CTE of its own, which an empty page runs too: a later statement must not meet
// an unset variable.
func (s *selection) leaving(hands []Hand, order []sortKey) sq.SelectBuilder {
	outputs, outer := s.columns.outputs(), make([]sortKey, len(order))
	for i, k := range order {
		name := "s" + strconv.Itoa(i)
		outputs = append(outputs, k.expr+" AS "+name)
		outer[i] = sortKey{expr: name, desc: k.desc}
	}
	page := s.windowed(s.filtered(sq.Select(outputs...)).OrderBy(orderBy(order)))
	names := make([]string, len(s.columns.exprs))
	for i := range names {
		names[i] = output(i)
	}
	return sq.Select(names...).
		PrefixExpr(sq.Expr("WITH page AS MATERIALIZED (?), keys AS MATERIALIZED (?)", page, leave(hands))).
		From("page").
		Where("(SELECT true FROM keys)").
		OrderBy(orderBy(outer))
}

// windowed adds the query's window. The limit is text: Postgres plans by it.
func (s *selection) windowed(b sq.SelectBuilder) sq.SelectBuilder {
	w := s.query.Window
	if w.Limit > 0 {
		b = b.Suffix("LIMIT " + strconv.Itoa(w.Limit))
	}
	if w.Offset != plan.NoSlot {
		b = b.SuffixExpr(sq.Expr("OFFSET ?", value(w.Offset, bigint)))
	}
	return b
}

// build sets the statement's text and formats.
func (st *Statement) build(b sq.SelectBuilder) {
	st.Form = formed(b)
	if st.Bound.SQL == "" {
		st.Bound = st.Form
	}
	for _, c := range st.Columns {
		st.Formats = append(st.Formats, int16(c.Format))
	}
}

// formed writes a statement. Placeholders are numbered here, once: squirrel
// would number nested builders anew.
func formed(b sq.SelectBuilder) Form {
	sql, args, err := b.PlaceholderFormat(sq.Dollar).ToSql()
	if err != nil {
		panic("sqlgen: " + err.Error())
	}
	t := Form{SQL: strings.TrimSpace(sql)}
	for _, arg := range args {
		t.Params = append(t.Params, arg.(Param))
	}
	return t
}
