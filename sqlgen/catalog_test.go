package sqlgen

import (
	"testing"

	"github.com/resourcery/resourcery/schema"
)

// oddNames is a schema whose every identifier needs its quotes: blanks, upper
// case, reserved words, and what squirrel or Postgres would read for something
// else.
func oddNames(t testing.TB) *schema.Schema {
	c := newCatalog(`the "odd" one`, schema.TypeDef{
		TypeRef: schema.TypeRef{Name: `Mood "?"`}, Kind: schema.Enum, Labels: []string{"?", `"`}, Equal: true, Ordered: true,
	})
	order := c.table("order", `key?`, columnOf(`key?`, "int4"), columnOf("select", "text"), columnOf(`a"b`, "text"),
		columnOf("How Many?", "int4"), columnOf("$1", "text"), columnOf("mood", `Mood "?"`), columnOf("group by", "int4"))
	group := c.table("Group", "ID", columnOf("ID", "int4"), columnOf("ünïcode", "text"), columnOf(`back\slash';--`, "text"))
	join := c.table("?to?", "", columnOf("or?", "int4"), columnOf("and?", "int4"))
	join.Keys = []schema.KeyDef{{Name: "both", Columns: []string{"or?", "and?"}, NullsDistinct: true}}
	c.reference("group?", order, "group by", group, "ID")
	c.reference("left?", join, "or?", order, `key?`)
	c.reference("right?", join, "and?", group, "ID")
	return c.make(t)
}

// oddNamesSQL makes the tables of oddNames.
const oddNamesSQL = `
CREATE SCHEMA "the ""odd"" one";
SET search_path TO "the ""odd"" one";
CREATE TYPE "Mood ""?""" AS ENUM ('?', '"');
CREATE TABLE "Group" ("ID" int4 PRIMARY KEY, "ünïcode" text, "back\slash';--" text);
CREATE TABLE "order" ("key?" int4 PRIMARY KEY, "select" text, "a""b" text, "How Many?" int4, "$1" text, mood "Mood ""?""",
	"group by" int4 REFERENCES "Group");
CREATE TABLE "?to?" ("or?" int4 REFERENCES "order", "and?" int4 REFERENCES "Group", UNIQUE ("or?", "and?"));
`

// loosely is a schema with keys of types whose equal values may differ in their
// bytes, and with foreign keys of other types than what they reference.
func loosely(t testing.TB) *schema.Schema {
	c := newCatalog("public", schema.TypeDef{TypeRef: schema.TypeRef{Name: "citext"}, Kind: schema.Text, Equal: true, Ordered: true})
	amount := c.table("amount", "id", columnOf("id", "numeric"), columnOf("note", "text"))
	label := c.table("label", "id", columnOf("id", "citext"), columnOf("note", "text"))
	code := c.table("code", "id", columnOf("id", "bpchar"), columnOf("note", "text"))
	whole := c.table("whole", "id", columnOf("id", "int4"), columnOf("note", "text"))
	pair := c.table("pair", "", columnOf("a", "int4"), columnOf("b", "numeric"), columnOf("note", "text"))
	pair.Keys = []schema.KeyDef{{Name: "pair_pkey", Columns: []string{"a", "b"}, Primary: true, NullsDistinct: true}}
	entry := c.table("entry", "id", columnOf("id", "int4"), columnOf("amountId", "numeric"), columnOf("labelId", "citext"),
		columnOf("codeId", "bpchar"), columnOf("wholeId", "int8"), columnOf("pairA", "int4"), columnOf("pairB", "numeric"))
	c.reference("entry_amount", entry, "amountId", amount, "id")
	c.reference("entry_label", entry, "labelId", label, "id")
	c.reference("entry_code", entry, "codeId", code, "id")
	c.reference("entry_whole", entry, "wholeId", whole, "id")
	c.keys = append(c.keys, schema.ForeignKey{Name: "entry_pair", Table: entry.Table, Columns: []string{"pairA", "pairB"},
		References: pair.Table, RefColumns: []string{"a", "b"}})
	seat := c.table("seat", "", columnOf("line", "int4"), columnOf("place", "text"))
	seat.Keys = []schema.KeyDef{{Name: "seat_pkey", Columns: []string{"place", "line"}, Primary: true, NullsDistinct: true}}
	ticket := c.table("ticket", "id", columnOf("id", "int4"), columnOf("line", "int4"), columnOf("place", "text"))
	c.keys = append(c.keys, schema.ForeignKey{Name: "ticket_seat", Table: ticket.Table, Columns: []string{"line", "place"},
		References: seat.Table, RefColumns: []string{"line", "place"}})
	both := c.table("amount_label", "", columnOf("amount", "numeric"), columnOf("label", "citext"))
	both.Keys = []schema.KeyDef{{Name: "both", Columns: []string{"amount", "label"}, NullsDistinct: true}}
	c.reference("both_amount", both, "amount", amount, "id")
	c.reference("both_label", both, "label", label, "id")
	return c.make(t)
}

// looselySQL makes the tables of loosely.
const looselySQL = `
CREATE EXTENSION citext SCHEMA public;
CREATE TABLE amount (id numeric PRIMARY KEY, note text);
CREATE TABLE label (id citext PRIMARY KEY, note text);
CREATE TABLE code (id bpchar PRIMARY KEY, note text);
CREATE TABLE whole (id int4 PRIMARY KEY, note text);
CREATE TABLE pair (a int4, b numeric, note text, PRIMARY KEY (a, b));
CREATE TABLE entry (id int4 PRIMARY KEY, "amountId" numeric REFERENCES amount, "labelId" citext REFERENCES label,
	"codeId" bpchar REFERENCES code, "wholeId" int8 REFERENCES whole, "pairA" int4, "pairB" numeric,
	FOREIGN KEY ("pairA", "pairB") REFERENCES pair);
CREATE TABLE seat (line int4, place text, PRIMARY KEY (place, line));
CREATE TABLE ticket (id int4 PRIMARY KEY, line int4, place text, FOREIGN KEY (line, place) REFERENCES seat (line, place));
CREATE TABLE amount_label (amount numeric REFERENCES amount, label citext REFERENCES label, UNIQUE (amount, label));
`

// A catalog is a catalogue in the making: one Postgres schema, with one type
// beside the built-in ones.
type catalog struct {
	schema string
	own    schema.TypeDef
	tables []*schema.TableDef
	keys   []schema.ForeignKey
}

func newCatalog(name string, own schema.TypeDef) *catalog {
	own.Schema = name
	return &catalog{schema: name, own: own}
}

// columnOf is a column of a built-in type or of the catalogue's own.
func columnOf(name, typ string) schema.ColumnDef {
	return schema.ColumnDef{Name: name, Type: schema.BuiltIn(typ)}
}

// table adds a table; key is the column of its primary key, "" for none.
func (c *catalog) table(name, key string, columns ...schema.ColumnDef) *schema.TableDef {
	def := &schema.TableDef{Table: schema.Table{Schema: c.schema, Name: name}, Relation: schema.OrdinaryTable, Columns: columns}
	for i := range columns {
		if columns[i].Type.Name == c.own.Name {
			columns[i].Type = c.own.TypeRef
		}
	}
	if key != "" {
		def.Keys = []schema.KeyDef{{Name: name + "_pkey", Columns: []string{key}, Primary: true, NullsDistinct: true}}
	}
	c.tables = append(c.tables, def)
	return def
}

func (c *catalog) reference(name string, from *schema.TableDef, column string, to *schema.TableDef, referenced string) {
	c.keys = append(c.keys, schema.ForeignKey{Name: name, Table: from.Table, Columns: []string{column},
		References: to.Table, RefColumns: []string{referenced}})
}

func (c *catalog) make(t testing.TB) *schema.Schema {
	t.Helper()
	def := &schema.Catalog{Schemas: []string{c.schema}, ForeignKeys: c.keys, Types: []schema.TypeDef{c.own}}
	for _, table := range c.tables {
		def.Relations = append(def.Relations, *table)
	}
	s, err := schema.FromCatalog(def)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
