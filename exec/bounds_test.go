package exec_test

import (
	"context"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/sqlgen"
)

const people = `
CREATE TABLE person (id int PRIMARY KEY, name text);
CREATE TABLE letter (
	id int PRIMARY KEY,
	"fromId" int REFERENCES person, "toId" int REFERENCES person, "copyId" int REFERENCES person
);
INSERT INTO person SELECT i, repeat('x', 1000) FROM generate_series(1, 50) i;
INSERT INTO letter SELECT i, 1 + i % 50, 1 + i % 49, 1 + i % 48 FROM generate_series(1, 90) i;
`

// compiled runs a URL through the stages up to the database.
func (d *database) compiled(t *testing.T, db *exec.DB, url string, included int) error {
	t.Helper()
	c := db.As(reader)
	p := planned(t, c, d.schema, url)
	if included > 0 {
		p.Action.(*plan.Read).MaxIncluded = included
	}
	_, err := c.Run(context.Background(), sqlgen.NewCompiler().Compile(p.Action), p)
	return err
}

// Steps that read alike are one statement where their keys are parameters: it
// is prepared once in the pipeline that asks for it three times.
func TestAlikeStatementsArePreparedOnce(t *testing.T) {
	d := newDatabase(t, people, single)
	db := d.open(t, exec.Options{AnonymousRole: reader.Role, Keys: exec.KeysBound})
	for range 2 {
		if err := d.compiled(t, db, "/letter?include=from,to,copy", 0); err != nil {
			t.Fatal(err)
		}
		if got := d.prepared(t); got != 5 { // isolation, session, page, person, total
			t.Fatalf("%d prepared statements, want 5", got)
		}
	}
}

func TestResultIsBounded(t *testing.T) {
	d := newDatabase(t, people, single)
	db := d.open(t, exec.Options{AnonymousRole: reader.Role, MaxResultBytes: 20_000})
	if err := d.compiled(t, db, "/person?page[limit]=10", 0); err != nil {
		t.Fatal(err)
	}
	err := d.compiled(t, db, "/person", 0)
	if e := refusal(t, err, jsonapi.QueryError); !strings.Contains(e.Detail, "20000 bytes") {
		t.Error(e.Detail)
	}
	if err := d.compiled(t, db, "/person?page[limit]=10", 0); err != nil {
		t.Errorf("after the refusal: %v", err)
	}
	_, err = exec.Open(context.Background(), d.pool, exec.Options{Schema: d.schema, AnonymousRole: reader.Role, MaxResultBytes: 2 << 30})
	if err == nil || !strings.Contains(err.Error(), "MaxResultBytes") {
		t.Errorf("Open took 2 GiB: %v", err)
	}
}

// Rows of include steps are bounded all together: 90 letters and 3 steps to 50
// people bring some 150 rows.
func TestIncludeStepsAreBounded(t *testing.T) {
	d := newDatabase(t, people, single)
	const url = "/letter?include=from,to,copy"
	if err := d.compiled(t, d.db, url, 15); err != nil {
		t.Fatal(err)
	}
	refusal(t, d.compiled(t, d.db, url, 10), jsonapi.TooManyIncluded)
	if err := d.compiled(t, d.db, url, 15); err != nil {
		t.Errorf("after the refusal: %v", err)
	}
}
