package introspect_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// constraintsSQL has constraints of every kind, on tables, partitions, join
// tables and tables that are no models.
const constraintsSQL = `
CREATE SCHEMA parts;
CREATE SCHEMA away;
CREATE EXTENSION btree_gist;
CREATE DOMAIN short AS varchar(4);
CREATE DOMAIN shorter AS short CHECK (length(VALUE) < 3);
CREATE DOMAIN amount AS numeric(6, 2);

CREATE TABLE author (id int4 PRIMARY KEY, name text NOT NULL, email text, tenant int4, active bool NOT NULL DEFAULT true);
CREATE UNIQUE INDEX author_email ON author (lower(email)) WHERE active;
CREATE UNIQUE INDEX author_name ON author (tenant, (name || coalesce(email, ''))) INCLUDE (active);
CREATE UNIQUE INDEX author_active ON author (tenant) WHERE NOT active;
CREATE TABLE away.office (id int4 PRIMARY KEY);
CREATE TABLE tag (id int4 PRIMARY KEY);
CREATE TABLE book (
    id int4 PRIMARY KEY, isbn varchar(13) NOT NULL CONSTRAINT book_isbn UNIQUE, code char(2), letter char, free varchar, blanks bpchar,
    price numeric(8, 3), whole numeric(5), any_number numeric,
    label short, labels short[], tiny shorter, cost amount, codes varchar(5)[], hidden int4,
    author_id int4 CONSTRAINT book_author REFERENCES author, office_id int4 CONSTRAINT book_office REFERENCES away.office,
    loan int4range, shelf int4,
    CONSTRAINT book_price CHECK (price > 0 AND price < whole),
    CONSTRAINT book_hidden CHECK (hidden > 0),
    CONSTRAINT book_late CHECK (shelf > 0) NOT VALID,
    CONSTRAINT book_row CHECK (book IS NOT NULL OR true),
    CONSTRAINT book_system CHECK (tableoid > 0),
    CONSTRAINT book_loan EXCLUDE USING gist (shelf WITH =, loan WITH &&, (id % 2) WITH =)
);
CREATE TABLE book_tag (
    book_id int4 CONSTRAINT book_tag_book REFERENCES book, tag_id int4 CONSTRAINT book_tag_tag REFERENCES tag,
    PRIMARY KEY (book_id, tag_id));
CREATE TABLE keyless (n int4 CONSTRAINT keyless_n CHECK (n > 0));
CREATE TABLE event (
    no int4, at date, author_id int4 CONSTRAINT event_author REFERENCES author, note text NOT NULL,
    CONSTRAINT event_note CHECK (note <> ''), PRIMARY KEY (no, at)) PARTITION BY RANGE (at);
CREATE UNIQUE INDEX event_note_at ON event (lower(note), at);
CREATE TABLE event_2025 PARTITION OF event FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE parts.event_2026 PARTITION OF event FOR VALUES FROM ('2026-01-01') TO ('2027-01-01') PARTITION BY RANGE (at);
CREATE TABLE parts.event_2026_a PARTITION OF parts.event_2026 FOR VALUES FROM ('2026-01-01') TO ('2026-07-01');
CREATE TABLE ticket (id int4 PRIMARY KEY, event_id int4, event_at date, CONSTRAINT ticket_event FOREIGN KEY (event_id, event_at) REFERENCES event);

INSERT INTO author (id, name, email, tenant) VALUES (1, 'Ann', 'ann@example.com', 1);
INSERT INTO author (id, name, tenant, active) VALUES (3, 'Cy', 3, false);
INSERT INTO book (id, isbn, shelf, loan) VALUES (2, '2', 1, '[1,5)');
INSERT INTO tag VALUES (1);
INSERT INTO event VALUES (1, '2025-02-01', 1, 'a'), (1, '2026-02-01', 1, 'a');
INSERT INTO ticket VALUES (1, 1, '2026-02-01'), (2, 1, '2025-02-01');
`

// violations are statements that the database refuses, and what the schema
// says of the constraint that its error names.
var violations = []struct{ sql, want string }{
	{`INSERT INTO author (id, name) VALUES (1, 'B')`, "1 author (id)"},
	{`INSERT INTO author (id, name, email) VALUES (2, 'B', 'ANN@example.com')`, "1 author (email)"},
	{`INSERT INTO author (id, name, email, tenant) VALUES (2, 'Annann', '@example.com', 1)`, "1 author (tenant, name, email)"},
	{`INSERT INTO author (id, name, tenant, active) VALUES (2, 'B', 3, false)`, "1 author (tenant)"},
	{`INSERT INTO author (id) VALUES (2)`, "name of name"},
	{`INSERT INTO book (id, isbn) VALUES (3, '2')`, "1 book (isbn)"},
	{`INSERT INTO book (id, isbn, author_id) VALUES (3, '3', 9)`, "2 book (author_id) to author"},
	{`INSERT INTO book (id, isbn, office_id) VALUES (3, '3', 9)`, "2 book (office_id)"},
	{`INSERT INTO book (id, isbn, price) VALUES (3, '3', -1)`, "3 book (price, whole)"},
	{`INSERT INTO book (id, isbn, hidden) VALUES (3, '3', 0)`, "3 book (hidden)"},
	{`INSERT INTO book (id, isbn, shelf) VALUES (3, '3', 0)`, "3 book (shelf)"},
	{`INSERT INTO book (id, isbn, shelf, loan) VALUES (4, '4', 1, '[2,3)')`, "4 book (shelf, loan)"},
	{`INSERT INTO book_tag VALUES (2, 9)`, "2 no model [tag_id] to tag"},
	{`INSERT INTO book_tag VALUES (9, 1)`, "2 no model [book_id] to book"},
	{`INSERT INTO book_tag VALUES (2, 1), (2, 1)`, "1 no model [book_id tag_id]"},
	{`INSERT INTO keyless VALUES (0)`, "3 no model [n]"},
	{`INSERT INTO event VALUES (1, '2025-02-01', 1, 'b')`, "1 event (no, at)"},
	{`INSERT INTO event VALUES (1, '2026-02-01', 1, 'b')`, "1 event (no, at)"},
	{`INSERT INTO event VALUES (2, '2026-02-01', 1, 'A')`, "1 event (at, note)"},
	{`INSERT INTO event VALUES (3, '2026-02-01', 9, 'c')`, "2 event (author_id) to author"},
	{`INSERT INTO event VALUES (3, '2026-02-01', 1, '')`, "3 event (note)"},
	{`INSERT INTO event VALUES (3, '2026-02-01', 1)`, "note of note"},
	{`INSERT INTO ticket VALUES (3, 9, '2026-02-01')`, "2 ticket (event_id, event_at) to event"},
	{`DELETE FROM event WHERE at = '2026-02-01'`, "2 ticket (event_id, event_at) to event"},
	{`DELETE FROM event WHERE at = '2025-02-01'`, "2 ticket (event_id, event_at) to event"},
	{`DELETE FROM author WHERE id = 1`, "2 event (author_id) to author"},
}

// Whatever name a violation gives, the schema knows what it stands for, also
// where it was read from the generated file.
func TestConstraints(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, constraintsSQL)
	c, err := introspect.Load(ctx, conn, introspect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := c.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if c, err = schema.Decode(&file); err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromCatalog(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		_, err := conn.Exec(ctx, v.sql)
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if !ok {
			t.Errorf("%s: %v", v.sql, err)
			continue
		}
		if got := violated(s, refused); got != v.want {
			t.Errorf("%s: %q, want %q (%s of %s.%s)", v.sql, got, v.want, refused.ConstraintName, refused.SchemaName, refused.TableName)
		}
	}
	if c, ok := s.Constraint(schema.Table{Schema: "public", Name: "tag"}, "book_isbn"); ok {
		t.Errorf("a constraint of another table: %+v", c)
	}
	if f, ok := s.Column(schema.Table{Schema: "public", Name: "tag"}, "isbn"); ok {
		t.Errorf("a column of another table: %+v", f)
	}
}

func violated(s *schema.Schema, err *pgconn.PgError) string {
	table := schema.Table{Schema: err.SchemaName, Name: err.TableName}
	if err.Code == "23502" {
		f, ok := s.Column(table, err.ColumnName)
		if !ok {
			return "unknown column"
		}
		return f.Name + " of " + f.Column
	}
	c, ok := s.Constraint(table, err.ConstraintName)
	if !ok {
		return "unknown constraint"
	}
	text := fmt.Sprintf("%d no model %v", c.Kind, c.Columns)
	if c.Model != nil {
		text = fmt.Sprintf("%d %s (%s)", c.Kind, c.Model.Type, columns(c.Fields))
	}
	if c.References != nil {
		text += " to " + c.References.Type
	}
	return text
}

// What the modifiers of types say is in the fields, the constraints in the models.
func TestLimits(t *testing.T) {
	s, err := schema.FromCatalog(load(t, constraintsSQL))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := s.Model("book")
	var got strings.Builder
	for _, f := range m.Fields {
		if f.Length != 0 || f.Precision != 0 || f.Scale != 0 {
			fmt.Fprintf(&got, "%s %d (%d,%d)\n", f.Column, f.Length, f.Precision, f.Scale)
		}
	}
	for _, k := range m.Checks {
		fmt.Fprintf(&got, "%s (%s): %s\n", k.Name, columns(k.Fields), k.Expression)
	}
	for _, e := range m.Exclusions {
		fmt.Fprintf(&got, "%s (%s)\n", e.Name, columns(e.Fields))
	}
	author, _ := s.Model("author")
	for _, k := range author.PartialUnique {
		fmt.Fprintf(&got, "%s (%s)\n", k.Name, columns(k.Fields))
	}
	tags, _ := m.Relationship("tags")
	fmt.Fprintf(&got, "%s: %s, %s\n", tags, tags.Through.NearConstraint, tags.Through.FarConstraint)
	fmt.Fprintf(&got, "%s: %s, %s\n", tags.Inverse, tags.Inverse.Through.NearConstraint, tags.Inverse.Through.FarConstraint)
	want := `isbn 13 (0,0)
code 2 (0,0)
letter 1 (0,0)
price 0 (8,3)
whole 0 (5,0)
label 4 (0,0)
tiny 4 (0,0)
cost 0 (6,2)
book_hidden (hidden): (hidden > 0)
book_late (shelf): (shelf > 0)
book_price (price, whole): ((price > (0)::numeric) AND (price < whole))
book_row (): ((book.* IS NOT NULL) OR true)
book_system (): (tableoid > (0)::oid)
book_loan (shelf, loan)
author_active (tenant)
author_email (email)
author_name (tenant, name, email)
book.tags: book_tag_book, book_tag_tag
tag.books: book_tag_tag, book_tag_book
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
