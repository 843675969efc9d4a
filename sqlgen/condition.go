package sqlgen

import (
	"regexp"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// aliases hands out the aliases of one statement.
type aliases struct{ n int }

func (a *aliases) next() string {
	name := alias(a.n)
	a.n++
	return name
}

// value is a parameter with the cast that gives it its type. A domain's value is
// cast to the type beneath: what breaks the domain's rules equals none of its
// values, and is no error.
func value(slot plan.Slot, t *schema.Type) sq.Sqlizer {
	t = t.Base()
	return sq.Expr("?::"+typeName(t), Param{Slot: slot, Type: t})
}

// values is a list parameter.
func values(slot plan.Slot, t *schema.Type) sq.Sqlizer {
	t = t.Base()
	return sq.Expr("?::"+typeName(t)+"[]", Param{Slot: slot, Type: t, List: true})
}

// A text is SQL without parameters.
type text string

// ToSql returns the text.
func (t text) ToSql() (string, []any, error) { return string(t), nil, nil }

// all joins conditions by AND.
func (a *aliases) all(at string, conds []plan.Cond) sq.And {
	out := make(sq.And, len(conds))
	for i, c := range conds {
		out[i] = a.condition(at, c)
	}
	return out
}

// condition lowers one condition on the row that the alias names.
func (a *aliases) condition(at string, c plan.Cond) sq.Sqlizer {
	switch c := c.(type) {
	case *plan.And:
		return a.all(at, c.Conds)
	case *plan.Or:
		return sq.Or(a.all(at, c.Conds))
	case *plan.Not:
		return a.not(at, c.Cond)
	case *plan.Compare:
		return a.compare(at, c, c.Operator.Fragment(c.Left.Type(), c.Operand))
	case *plan.Keys:
		return keys(at, c)
	case *plan.Some:
		return sq.Expr("EXISTS (?)", a.related(at, c.Relationship, c.Cond, asItIs))
	case *plan.None:
		return sq.Expr("NOT EXISTS (?)", a.related(at, c.Relationship, c.Cond, asItIs))
	case *plan.Every:
		return sq.Expr("NOT EXISTS (?)", a.related(at, c.Relationship, c.Cond, isNotTrue))
	case *plan.WrittenRow:
		return writtenRow(at, c)
	default:
		panic("sqlgen: a condition of no known type")
	}
}

// not negates a condition. Conditions are two-valued for clients: where one is
// NULL it does not hold, and so its negation does.
func (a *aliases) not(at string, c plan.Cond) sq.Sqlizer {
	switch c := c.(type) {
	case *plan.Compare:
		if fragment, ok := c.Operator.Negation(c.Left.Type()); ok {
			return a.compare(at, c, fragment)
		}
	case *plan.Some: // EXISTS is never NULL, and Postgres plans NOT EXISTS well
		return a.condition(at, &plan.None{Relationship: c.Relationship, Cond: c.Cond})
	case *plan.None:
		return a.condition(at, &plan.Some{Relationship: c.Relationship, Cond: c.Cond})
	case *plan.And, *plan.Or, *plan.Not, *plan.Keys, *plan.Every, *plan.WrittenRow:
	}
	return isNotTrue(a.condition(at, c))
}

func asItIs(c sq.Sqlizer) sq.Sqlizer    { return c }
func isNotTrue(c sq.Sqlizer) sq.Sqlizer { return sq.Expr("(?) IS NOT TRUE", c) }

// compare fills the operator's fragment in.
func (a *aliases) compare(at string, c *plan.Compare, fragment string) sq.Sqlizer {
	holes := map[string]sq.Sqlizer{"field": a.term(at, c.Left), "config": config(c.Config)}
	switch operand := c.Operand.(type) {
	case plan.Nothing:
	case plan.One:
		holes["value"] = value(operand.Slot, operand.Type)
	case plan.Any:
		holes["value"] = values(operand.Slot, operand.Type)
	case plan.Two:
		holes["low"], holes["high"] = value(operand.Low, operand.Type), value(operand.High, operand.Type)
	case plan.Truth:
		holes["value"] = text(truth(operand))
	case plan.Other:
		holes["value"] = a.term(at, operand.Term)
	default:
		panic("sqlgen: an operand of no known type")
	}
	return filled(fragment, c.Left.Type(), holes)
}

// hole matches the holes of a fragment, and its operators.
var hole = regexp.MustCompile(`\$[a-z]+|\{[^}]+\}`)

// filled puts what stands in the holes of an operator's fragment there, and
// names the operators in it with their schema: {=} is one of the type's own,
// {pg ^@} is Postgres's.
func filled(fragment string, t *schema.Type, holes map[string]sq.Sqlizer) sq.Sqlizer {
	var args []any
	sql := hole.ReplaceAllStringFunc(fragment, func(name string) string {
		if name[0] == '{' {
			name = name[1 : len(name)-1]
			if own, ok := strings.CutPrefix(name, "pg "); ok {
				return operator(own)
			}
			return operator(name, t)
		}
		filling := holes[name[1:]]
		if t, ok := filling.(text); ok {
			return string(t) // two placeholders side by side would be one escaped
		}
		args = append(args, filling)
		return "?"
	})
	return sq.Expr(sql, args...)
}

// config is the first argument of full text functions, nothing for the
// database's default. It comes from the host's options, not from a request.
func config(name string) sq.Sqlizer {
	if name == "" {
		return text("")
	}
	return text("'" + strings.NewReplacer("'", "''", "?", "??").Replace(name) + "'::regconfig, ")
}

func truth(t plan.Truth) string {
	if t {
		return "true"
	}
	return "false"
}

// keys compares several columns with a list of tuples.
func keys(at string, c *plan.Keys) sq.Sqlizer {
	exprs, types, lists := make([]string, len(c.Fields)), make([]*schema.Type, len(c.Fields)), make([]any, len(c.Fields))
	for i, f := range c.Fields {
		exprs[i], types[i], lists[i] = column(at, f.Column), f.Type, values(c.Slots[i], c.Types[i])
	}
	return tuples(exprs, types, c.Types, lists)
}

// tuples holds where the expressions together equal one of the tuples that the
// lists make up.
func tuples(exprs []string, types, listTypes []*schema.Type, lists []any) sq.Sqlizer {
	if len(exprs) == 1 {
		return sq.Expr(exprs[0]+" "+operator("=", types[0], listTypes[0])+" ANY (SELECT pg_catalog.unnest(?))", lists...)
	}
	names, on := make([]string, len(exprs)), make([]string, len(exprs))
	for i, expr := range exprs {
		names[i] = keyName(i)
		on[i] = equals(expr, types[i], "u."+names[i], listTypes[i])
	}
	return sq.Expr("EXISTS (SELECT 1 FROM "+unnested(len(lists))+" AS u("+strings.Join(names, ", ")+
		") WHERE "+strings.Join(on, " AND ")+")", lists...)
}

// unnested is n arrays side by side, as a table. (The short form, unnest with
// several arguments, cannot be named with its schema.)
func unnested(n int) string {
	return "ROWS FROM (" + strings.TrimSuffix(strings.Repeat("pg_catalog.unnest(?), ", n), ", ") + ")"
}

// related selects the rows that a relationship reaches and that fulfil a
// condition, in its plain or in its negated form. Over a join table the target
// itself is asked for too, as the join table alone would tell of rows that the
// caller may not see.
func (a *aliases) related(at string, rel *schema.Relationship, c plan.Cond, form func(sq.Sqlizer) sq.Sqlizer) sq.SelectBuilder {
	target := a.next()
	from, where := a.reach(at, rel, target)
	conds := sq.And{text(where)}
	if c != nil {
		conds = append(conds, form(a.condition(target, c)))
	}
	return sq.Select("1").From(from).Where(conds)
}

// reach returns the FROM and the WHERE that lead from a row to the rows of a
// relationship's target.
func (a *aliases) reach(at string, rel *schema.Relationship, target string) (from, where string) {
	j := rel.Through
	if j == nil {
		return table(rel.Target.Table) + " " + target, pairEquals(target, rel.To, at, rel.From)
	}
	join := a.next()
	from = table(j.Table) + " " + join + " JOIN " + table(rel.Target.Table) + " " + target +
		" ON " + joinEquals(join, j.Far, target, rel.To)
	return from, joinEquals(join, j.Near, at, rel.From)
}

func exists(from string, where sq.Sqlizer) sq.Sqlizer {
	return sq.Expr("EXISTS (?)", sq.Select("1").From(from).Where(where))
}

// pairEquals joins two aliases by fields that pair up.
func pairEquals(left string, lf []*schema.Field, right string, rf []*schema.Field) string {
	parts := make([]string, len(lf))
	for i := range lf {
		parts[i] = equals(column(left, lf[i].Column), lf[i].Type, column(right, rf[i].Column), rf[i].Type)
	}
	return strings.Join(parts, " AND ")
}

// joinEquals joins one side of a join table to the fields that it pairs with.
func joinEquals(join string, columns []schema.JoinColumn, at string, fields []*schema.Field) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = equals(column(join, c.Name), c.Type, column(at, fields[i].Column), fields[i].Type)
	}
	return strings.Join(parts, " AND ")
}
