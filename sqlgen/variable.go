package sqlgen

import (
	"strconv"

	sq "github.com/Masterminds/squirrel"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// Statements of a write speak to each other through variables of the
// transaction, as those of a read do (see handover):
//
//	resourcery.ok          whether everything that was checked so far holds
//	resourcery.r0_2        column 2 of the row that the write wrote: '' is NULL,
//	                       else `=` and its text; r3_2 of the third operation of
//	                       a batch, for others to refer to
//	resourcery.m0          the members that are to go and have not gone
//	resourcery.n0          those that are to come and were none before
//	resourcery.upserted    whether the row was there already
const (
	okVariable       = "resourcery.ok"
	upsertedVariable = "resourcery.upserted"
)

// holds is the condition that all checks so far have held.
const holds = "pg_catalog.current_setting('" + okVariable + "')::bool"

func rowVariable(number int, f *schema.Field) string {
	return "resourcery.r" + strconv.Itoa(number) + "_" + strconv.Itoa(f.Ordinal)
}

func leftVariable(n int) string { return "resourcery.m" + strconv.Itoa(n) }

func comingVariable(n int) string { return "resourcery.n" + strconv.Itoa(n) }

// setVariable is the call that sets a variable of the transaction to a text.
func setVariable(name, value string) string {
	return "pg_catalog.set_config('" + name + "', " + value + ", true)"
}

// packed is the text of a value as row variables hold it.
func packed(expr string) string {
	return "'=' " + operator("||") + " " + expr + "::text"
}

// made is a column of a row that was written before, as a value of the type.
func made(number int, f *schema.Field, t *schema.Type) string {
	return "pg_catalog.substr(nullif(pg_catalog.current_setting('" + rowVariable(number, f) + "'), ''), 2)::" + typeName(t.Base())
}

// writtenRow holds for the row that was written before.
func writtenRow(at string, c *plan.WrittenRow) sq.Sqlizer {
	conds := sq.And{}
	for _, f := range c.Model.Key {
		conds = append(conds, text(equals(column(at, f.Column), f.Type, made(c.Number, f, f.Type), f.Type)))
	}
	return conds
}

// cell lowers what a column becomes, or what a key is compared with.
func (a *aliases) cell(c plan.Cell) sq.Sqlizer {
	switch c := c.(type) {
	case *plan.Given:
		return value(c.Slot, c.Type)
	case *plan.Made:
		return text(made(c.Number, c.Field, c.Field.Type))
	case *plan.Looked:
		at := a.next()
		from := table(c.Model.Table) + " " + at
		return sq.Expr("(?)", sq.Select(column(at, c.Field.Column)).From(from).Where(a.keyed(at, c.Model, c.Key)))
	default:
		panic("sqlgen: a cell of no known type")
	}
}

// keyed holds for the row with the key.
func (a *aliases) keyed(at string, m *schema.Model, key []plan.Cell) sq.And {
	conds := sq.And{}
	for i, f := range m.Key {
		conds = append(conds, sq.Expr(equals(column(at, f.Column), f.Type, "?", f.Type), a.cell(key[i])))
	}
	return conds
}
