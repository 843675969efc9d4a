package sqlgen_test

import (
	"fmt"

	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// From a URL to SQL and its arguments, without a database. A statement's SQL is
// the same for every request of one shape; what the request said is in the
// plan's values. The bound form is the one that runs outside of a pipeline.
func Example() {
	s, err := schema.Load("../internal/golden/schema.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := parse.Path("/post")
	if err != nil {
		fmt.Println(err)
		return
	}
	request, err := parse.Query(target, "filter[author][name]=Ann,Bob&sort=-title&fields[post]=title&page[limit]=10", parse.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := plan.Build(s.FullView(), request, plan.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, st := range sqlgen.NewCompiler().Compile(p.Action).Statements {
		fmt.Println(st.Part, st.Bound.SQL)
		for i, param := range st.Bound.Params {
			fmt.Printf("  $%d = %v, from %s\n", i+1, p.Values[param.Slot], p.Sources[param.Slot])
		}
	}
	// Output:
	// page SELECT t0."id" AS c0, t0."title" AS c1 FROM "public"."Post" t0 WHERE (EXISTS (SELECT 1 FROM "public"."User" t1 WHERE (t1."id" OPERATOR(pg_catalog.=) t0."authorId" AND t1."name" OPERATOR(pg_catalog.=) ANY($1::text[])))) ORDER BY t0."title" DESC, t0."id" DESC LIMIT 10
	//   $1 = [Ann Bob], from filter[author][name]
	// count SELECT pg_catalog.count(*) FROM "public"."Post" t0 WHERE (EXISTS (SELECT 1 FROM "public"."User" t1 WHERE (t1."id" OPERATOR(pg_catalog.=) t0."authorId" AND t1."name" OPERATOR(pg_catalog.=) ANY($1::text[]))))
	//   $1 = [Ann Bob], from filter[author][name]
}

// A write is its row, a guard that the caller can read it, and the answer. The
// guard fails under a name of its own, and nothing is kept then.
func Example_write() {
	s, err := schema.Load("../internal/golden/schema.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := parse.Document(parse.Update, []byte(`{"data": {"type": "tag", "id": "7", "attributes": {"name": "go"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := plan.Build(s.FullView(), &parse.Request{
		Verb: parse.Update, Target: parse.Target{Shape: parse.Resource, Type: "tag", ID: "7"}, Body: body,
	}, plan.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, st := range sqlgen.NewCompiler().Compile(p.Action).Statements {
		fmt.Println(st.Part, st.SQL)
	}
	// Output:
	// write WITH w AS (UPDATE "public"."Tag" AS t0 SET "name" = $1::text WHERE (t0."id" OPERATOR(pg_catalog.=) $2::int4) RETURNING 1 AS r) SELECT EXISTS (SELECT FROM w) AS c0, CASE WHEN n.count OPERATOR(pg_catalog.>) 1 THEN pg_catalog.concat('resourcery.abort.several')::int4 END AS c1, pg_catalog.set_config('resourcery.ok', (EXISTS (SELECT FROM w))::text, true) FROM (SELECT pg_catalog.count(*) FROM w) AS n
	// guard SELECT CASE WHEN pg_catalog.current_setting('resourcery.ok')::bool AND NOT EXISTS (SELECT FROM "public"."Tag" t2 WHERE (t2."id" OPERATOR(pg_catalog.=) $1::int4)) THEN pg_catalog.concat('resourcery.abort.unreadable')::int4 END AS c0
	// page SELECT t0."id" AS c0, t0."name" AS c1 FROM "public"."Tag" t0 WHERE (t0."id" OPERATOR(pg_catalog.=) $1::int4) ORDER BY t0."id"
}
