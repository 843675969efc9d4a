package introspect_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// operatorsSQL has types whose operators are in schemas of their own, off the
// path and not named after the types': extensions', and types made by hand.
const operatorsSQL = `
CREATE SCHEMA ext;
CREATE SCHEMA "Odd.ops";
CREATE EXTENSION citext SCHEMA ext;
CREATE EXTENSION ltree SCHEMA ext;
CREATE EXTENSION hstore SCHEMA ext;

CREATE TYPE degree;
CREATE FUNCTION degree_in(cstring) RETURNS degree LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
CREATE FUNCTION degree_out(degree) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE TYPE degree (INPUT = degree_in, OUTPUT = degree_out, LIKE = int4);
CREATE FUNCTION degree_eq(degree, degree) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'int4eq';
CREATE FUNCTION degree_hash(degree) RETURNS int4 LANGUAGE internal IMMUTABLE STRICT AS 'hashint4';
CREATE OPERATOR "Odd.ops".= (LEFTARG = degree, RIGHTARG = degree, FUNCTION = degree_eq, HASHES);
CREATE OPERATOR CLASS degree_ops DEFAULT FOR TYPE degree USING hash AS OPERATOR 1 "Odd.ops".=, FUNCTION 1 degree_hash(degree);

CREATE TYPE radian;
CREATE FUNCTION radian_in(cstring) RETURNS radian LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
CREATE FUNCTION radian_out(radian) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE TYPE radian (INPUT = radian_in, OUTPUT = radian_out, LIKE = int4);
CREATE FUNCTION radian_eq(radian, radian) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'int4eq';
CREATE FUNCTION radian_hash(radian) RETURNS int4 LANGUAGE internal IMMUTABLE STRICT AS 'hashint4';
CREATE OPERATOR === (LEFTARG = radian, RIGHTARG = radian, FUNCTION = radian_eq, HASHES);
CREATE OPERATOR CLASS radian_ops DEFAULT FOR TYPE radian USING hash AS OPERATOR 1 ===, FUNCTION 1 radian_hash(radian);

CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN nick AS ext.citext;
CREATE DOMAIN handle AS nick;
CREATE TYPE pair AS (path ext.ltree, nick nick);
CREATE TYPE pathrange AS RANGE (subtype = ext.ltree);
CREATE TABLE a (
	id int4 PRIMARY KEY, t text, vc varchar, mood mood, oid oid, class regclass, bits bit(3), money money, x xml,
	span int4range, spans int4multirange,
	ci ext.citext, cis ext.citext[], nick nick, handle handle, handles handle[],
	path ext.ltree, paths ext.ltree[], pair pair, branch pathrange, branches pathmultirange, tags ext.hstore,
	degree degree, radian radian
);
INSERT INTO a (id) VALUES (1);
`

func TestOperatorSchemas(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, operatorsSQL)
	catalog, err := introspect.Load(ctx, conn, introspect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := catalog.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(file.String(), `"operators": "pg_catalog"`) {
		t.Error("the file says of types that their operators are pg_catalog's")
	}
	decoded, err := schema.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromCatalog(decoded)
	if err != nil {
		t.Fatal(err)
	}

	m, _ := s.Model("a")
	var got strings.Builder
	for _, f := range m.Fields {
		fmt.Fprintf(&got, "%s %s", f.Column, f.Type.OperatorSchema())
		if !f.Type.Equal {
			got.WriteString(" no equality")
		}
		if !f.Type.Ordered {
			got.WriteString(" no order")
		}
		got.WriteString("\n")
	}
	want := `id pg_catalog
t pg_catalog
vc pg_catalog
mood pg_catalog
oid pg_catalog
class pg_catalog
bits pg_catalog
money pg_catalog
x pg_catalog no equality no order
span pg_catalog
spans pg_catalog
ci ext
cis pg_catalog
nick ext
handle ext
handles pg_catalog
path ext
paths pg_catalog
pair pg_catalog
branch pg_catalog
branches pg_catalog
tags ext
degree Odd.ops no order
radian public no equality no order
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	// Postgres finds the operator where it is said to be, with nothing on the path.
	if _, err := conn.Exec(ctx, "SET search_path = ''"); err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Fields {
		if !f.Type.Equal {
			continue
		}
		sql := fmt.Sprintf(`SELECT a.%[1]s OPERATOR(%[2]q.=) a.%[1]s FROM public.a a`, f.Column, f.Type.OperatorSchema())
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
