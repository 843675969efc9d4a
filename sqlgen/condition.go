package sqlgen

import (
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

// text is SQL without parameters.
func text(s string) sq.Sqlizer { return sq.Expr(s) }

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
	case *plan.Compare:
		return compare(at, c)
	case *plan.Keys:
		return keys(at, c)
	case *plan.Some:
		return a.some(at, c)
	default:
		panic("sqlgen: a condition of no known type")
	}
}

// compare fills the operator's fragment in.
func compare(at string, c *plan.Compare) sq.Sqlizer {
	field := text(column(at, c.Field.Column))
	switch operand := c.Operand.(type) {
	case plan.One:
		return sq.Expr(c.Operator.One, field, value(operand.Slot, c.Field.Type))
	case plan.Any:
		return sq.Expr(c.Operator.Any, field, values(operand.Slot, c.Field.Type))
	case plan.Truth:
		return sq.Expr(c.Operator.One, field, text(truth(operand)))
	default:
		panic("sqlgen: an operand of no known type")
	}
}

func truth(t plan.Truth) string {
	if t {
		return "true"
	}
	return "false"
}

// keys compares several columns with a list of tuples.
func keys(at string, c *plan.Keys) sq.Sqlizer {
	left := make([]string, len(c.Fields))
	holes := make([]string, len(c.Fields))
	args := make([]any, len(c.Fields))
	for i, f := range c.Fields {
		left[i] = column(at, f.Column)
		holes[i] = "?"
		args[i] = values(c.Slots[i], f.Type)
	}
	return sq.Expr("("+strings.Join(left, ", ")+") IN (SELECT * FROM unnest("+strings.Join(holes, ", ")+"))", args...)
}

// some asks for a related row. Over a join table the target itself is asked
// for too, as the join table alone would tell of rows that the caller may not
// see.
func (a *aliases) some(at string, c *plan.Some) sq.Sqlizer {
	rel := c.Relationship
	target := a.next()
	where := sq.And{}
	var from string
	if j := rel.Through; j != nil {
		join := a.next()
		from = table(j.Table) + " " + join + " JOIN " + table(rel.Target.Table) + " " + target +
			" ON " + joinEquals(join, j.Far, target, rel.To)
		where = append(where, text(joinEquals(join, j.Near, at, rel.From)))
	} else {
		from = table(rel.Target.Table) + " " + target
		where = append(where, text(pairEquals(target, rel.To, at, rel.From)))
	}
	if c.Cond != nil {
		where = append(where, a.condition(target, c.Cond))
	}
	return exists(from, where)
}

func exists(from string, where sq.Sqlizer) sq.Sqlizer {
	return sq.Expr("EXISTS (?)", sq.Select("1").From(from).Where(where))
}

// pairEquals joins two aliases by fields that pair up.
func pairEquals(left string, lf []*schema.Field, right string, rf []*schema.Field) string {
	parts := make([]string, len(lf))
	for i := range lf {
		parts[i] = column(left, lf[i].Column) + " = " + column(right, rf[i].Column)
	}
	return strings.Join(parts, " AND ")
}

// joinEquals joins one side of a join table to the fields that it pairs with.
func joinEquals(join string, columns []schema.JoinColumn, at string, fields []*schema.Field) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = column(join, c.Name) + " = " + column(at, fields[i].Column)
	}
	return strings.Join(parts, " AND ")
}
