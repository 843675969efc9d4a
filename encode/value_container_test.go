package encode

var containerCases = []valueCase{
	{typ: "int4[]", sql: "'{}'", want: `[]`},
	{typ: "int4[]", sql: "'{1,NULL,-3}'", want: `[1,null,-3]`},
	{typ: "int4[]", sql: "'[5:7]={1,2,3}'", want: `[1,2,3]`},
	{typ: "int4[]", sql: "'[-1:0][2:3]={{1,2},{3,4}}'", want: `[[1,2],[3,4]]`},
	{typ: "int4[]", sql: "'{{{1},{2}},{{3},{NULL}},{{5},{6}}}'", want: `[[[1],[2]],[[3],[null]],[[5],[6]]]`},
	{typ: "int2[]", sql: "'{1}'", want: `[1]`},
	{typ: "int8[]", sql: "'{1,NULL,3}'", want: `["1",null,"3"]`, notes: `"/0":["bigint"],"/2":["bigint"]`},
	{typ: "int8[]", sql: "'{{1,2},{NULL,4}}'", want: `[["1","2"],[null,"4"]]`, notes: `"/0.0":["bigint"],"/0.1":["bigint"],"/1.1":["bigint"]`},
	{typ: "float8[]", sql: "'{0.1,NaN,-Infinity,-0,1e30}'", want: `[0.1,"NaN","-Infinity",-0,1e+30]`, notes: `"/1":["number"],"/2":["number"]`},
	{typ: "float4[]", sql: "'{0.1}'", want: `[0.1]`},
	{typ: "numeric[]", sql: "'{1.50,NULL,-0.001}'", want: `["1.50",null,"-0.001"]`, notes: `"/0":[["custom","Decimal"]],"/2":[["custom","Decimal"]]`},
	{typ: "bool[]", sql: "'{t,f,NULL}'", want: `[true,false,null]`},
	{typ: "text[]", sql: `'{}'`, want: `[]`},
	{typ: "text[]", sql: `ARRAY['', 'NULL', NULL, 'a b', 'c,d', '{e}', '"', '\', E'\n', 'ü']`, want: `["","NULL",null,"a b","c,d","{e}","\"","\\","\n","ü"]`},
	{typ: "text[]", sql: `'{null}'`, want: `[null]`},
	{typ: "varchar[]", sql: `'{a}'`, want: `["a"]`},
	{typ: "name[]", sql: `'{a}'`, want: `["a"]`},
	{typ: "mood[]", sql: `ARRAY['fine', 'says "no"\', NULL]`, want: `["fine","says \"no\"\\",null]`},
	{typ: "uuid[]", sql: "'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'", want: `["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]`},
	{typ: "bytea[]", sql: `ARRAY['\x00'::bytea, '', NULL]`, want: `["AA==","",null]`, notes: `"/0":[["custom","Bytes"]],"/1":[["custom","Bytes"]]`},
	{typ: "json[]", sql: `ARRAY['{"a":[1, "x"]}', 'null']::json[]`, want: `[{"a":[1, "x"]},null]`},
	{typ: "jsonb[]", sql: `ARRAY['{"a":[1,"x,\"}"]}', 'null', NULL]::jsonb[]`, want: `[{"a": [1, "x,\"}"]},null,null]`},
	{typ: "timestamptz[]", sql: "'{2024-01-01 00:00:00+00,infinity,NULL,0044-03-15 00:00:00+00 BC}'",
		want: `["2024-01-01T00:00:00.000Z","infinity",null,"-000043-03-15T00:00:00.000Z"]`, notes: `"/0":["Date"],"/3":["Date"]`},
	{typ: "timestamp[]", sql: "'{2024-01-01}'", want: `["2024-01-01T00:00:00.000Z"]`, notes: `"/0":["Date"]`},
	{typ: "date[]", sql: "'{2024-01-01,-infinity}'", want: `["2024-01-01","-infinity"]`},
	{typ: "time[]", sql: "'{24:00}'", want: `["24:00:00"]`},
	{typ: "timetz[]", sql: "'{12:00+01}'", want: `["12:00:00+01:00"]`},
	{typ: "interval[]", sql: "'{1 day,-1 month}'", want: `["P1D","P-1M"]`},
	{typ: "inet[]", sql: "'{10.0.0.1/8,NULL,::1}'", want: `["10.0.0.1/8",null,"::1"]`},
	{typ: "tsvector[]", sql: `ARRAY['a:1 b'::tsvector, '''"'':3']`, want: `["'a':1 'b'","'\"':3"]`},
	{typ: "point[]", sql: `'{"(1,2)","(3,4)"}'`, want: `["(1,2)","(3,4)"]`},
	{typ: "box[]", sql: `'{(1,1),(0,0);(3,3),(2,2)}'`, want: `["(1,1),(0,0)","(3,3),(2,2)"]`},
	{typ: "positive[]", sql: "'{1,2}'", want: `[1,2]`},
	{typ: "address[]", sql: "'{::1,NULL}'", want: `["::1",null]`},
	{typ: "matrix", sql: "'{{1,2},{3,4}}'", want: `[["1","2"],["3","4"]]`, notes: `"/0.0":["bigint"],"/0.1":["bigint"],"/1.0":["bigint"],"/1.1":["bigint"]`},
	{typ: "matrix[]", sql: "ARRAY['{1}'::matrix, '{}', NULL]", want: `[["1"],[],null]`, notes: `"/0.0":["bigint"]`},
	{typ: "tstzrange[]", sql: `ARRAY['[2024-01-01 00:00:00+00,)'::tstzrange, 'empty', NULL]`, want: `["[\"2024-01-01 00:00:00+00\",)","empty",null]`},
	{typ: "inetrange[]", sql: `ARRAY['[::1,::2)'::inetrange]`, want: `["[::1,::2)"]`},

	{typ: "place", sql: "(NULL, NULL, NULL)", want: `{"x":null,"the.y":null,"at \"noon\"":null}`},
	{typ: "place", sql: "(1.5, 2, '2024-01-01 00:00:00+00')", want: `{"x":1.5,"the.y":"2","at \"noon\"":"2024-01-01T00:00:00.000Z"}`,
		notes: `"/the\\.y":["bigint"],"/at \"noon\"":["Date"]`},
	{typ: "place", sql: "('NaN', NULL, 'infinity')", want: `{"x":"NaN","the.y":null,"at \"noon\"":"infinity"}`, notes: `"/x":["number"]`},
	{typ: "place[]", sql: "ARRAY[(1, 2, NULL)::place, NULL]", want: `[{"x":1,"the.y":"2","at \"noon\"":null},null]`, notes: `"/0.the\\.y":["bigint"]`},
	{typ: "stay", sql: `('a "b", (c)', (1, 2, NULL)::place, ARRAY['', NULL, 'x]y'], ARRAY['fine', 'so so']::mood[])`,
		want:  `{"label":"a \"b\", (c)","place":{"x":1,"the.y":"2","at \"noon\"":null},"tags":["",null,"x]y"],"moods":["fine","so so"]}`,
		notes: `"/place.the\\.y":["bigint"]`},
	{typ: "stay", sql: `('', NULL, '{}', NULL)`, want: `{"label":"","place":null,"tags":[],"moods":null}`},
	{typ: "stay", sql: `(']', NULL, NULL, NULL)`, want: `{"label":"]","place":null,"tags":null,"moods":null}`},
	{typ: "stay[]", sql: `ARRAY[('\"', (0, 1, '2024-01-01 00:00:00+00'), '{{a,b},{c,"d e"}}', '{}')::stay]`,
		want:  `[{"label":"\\\"","place":{"x":0,"the.y":"1","at \"noon\"":"2024-01-01T00:00:00.000Z"},"tags":[["a","b"],["c","d e"]],"moods":[]}]`,
		notes: `"/0.place.the\\.y":["bigint"],"/0.place.at \"noon\"":["Date"]`},

	// host has members that Postgres sends in a form of their own only, so it
	// comes in text, and so does an array of it.
	{typ: "host", sql: fullHost, want: fullHostJSON, notes: fullHostNotes("/")},
	{typ: "host[]", sql: "ARRAY[NULL, " + fullHost + "::host]", want: "[null," + fullHostJSON + "]", notes: fullHostNotes("/1.")},
	{typ: "host", sql: `(NULL,NULL,'infinity',NULL,NULL,'empty',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)`,
		want: `{"name":null,"address":null,"seen":"infinity","on_date":null,"wakes":null,"up":"empty","marks":null,"blob":null,"doc":null,` +
			`"flag":null,"ratio":null,"id":null,"size":null,"near":null,"took":null,"boxes":null}`},
}

const fullHost = `('a,"b"\)', '::1', '1900-01-01 00:00:00+00', '0044-03-15 BC', '12:00-02', '(,1900-01-01 00:00:00.5+00]', '{1.50,NULL}', '\x0102',
	'{"k":["\"",1]}', true, 'Infinity', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 5, (1, NULL, '0044-03-15 00:00:00+00 BC'), '1 day 1 second', '{(1,1),(0,0);(3,3),(2,2)}')`

const fullHostJSON = `{"name":"a,\"b\"\\)","address":"::1","seen":"1900-01-01T00:00:00.000Z","on_date":"-000043-03-15","wakes":"12:00:00-02:00",` +
	`"up":"(,\"1900-01-01 00:00:00.5+00\"]","marks":["1.50",null],"blob":"AQI=","doc":{"k": ["\"", 1]},"flag":true,"ratio":"Infinity",` +
	`"id":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","size":"5","near":{"x":1,"the.y":null,"at \"noon\"":"-000043-03-15T00:00:00.000Z"},` +
	`"took":"P1DT1S","boxes":["(1,1),(0,0)","(3,3),(2,2)"]}`

func fullHostNotes(at string) string {
	return `"` + at + `seen":["Date"],"` + at + `marks.0":[["custom","Decimal"]],"` + at + `blob":[["custom","Bytes"]],"` +
		at + `ratio":["number"],"` + at + `size":["bigint"],"` + at + `near.at \"noon\"":["Date"]`
}

var rangeCases = []valueCase{
	{typ: "int4range", sql: "'[1,5]'", want: `"[1,6)"`},
	{typ: "int4range", sql: "'empty'", want: `"empty"`},
	{typ: "int4range", sql: "'(,)'", want: `"(,)"`},
	{typ: "int4range", sql: "'[-3,)'", want: `"[-3,)"`},
	{typ: "int8range", sql: "'(,9223372036854775807)'", want: `"(,9223372036854775807)"`},
	{typ: "numrange", sql: "'(1.50,1e20]'", want: `"(1.50,100000000000000000000]"`},
	{typ: "numrange", sql: "'[-Infinity,NaN]'", want: `"[-Infinity,NaN]"`},
	{typ: "daterange", sql: "'[2024-01-01,2024-01-31]'", want: `"[2024-01-01,2024-02-01)"`},
	{typ: "daterange", sql: "'[0044-03-15 BC,infinity)'", want: `"[\"0044-03-15 BC\",infinity)"`},
	{typ: "daterange", sql: "'[-infinity,12024-01-01)'", want: `"[-infinity,12024-01-01)"`},
	{typ: "tsrange", sql: "'[2024-01-01,2024-01-02 03:04:05.678]'", want: `"[\"2024-01-01 00:00:00\",\"2024-01-02 03:04:05.678\"]"`},
	{typ: "tsrange", sql: "'[0044-03-15 BC,infinity]'", want: `"[\"0044-03-15 00:00:00 BC\",infinity]"`},
	{typ: "tstzrange", sql: "'[2024-01-01 00:00:00+00,2024-01-02 00:00:00+02)'", want: `"[\"2024-01-01 00:00:00+00\",\"2024-01-01 22:00:00+00\")"`},
	{typ: "tstzrange", sql: "'[-infinity,0044-03-15 00:00:00+00 BC]'", want: `"[-infinity,\"0044-03-15 00:00:00+00 BC\"]"`},
	{typ: "tstzrange", sql: "'(,1900-01-01 00:00:00+00)'", want: `"(,\"1900-01-01 00:00:00+00\")"`},
	{typ: "tstzrange", sql: "'empty'", want: `"empty"`},
	{typ: "float8range", sql: "'[0.1,1e15)'", want: `"[0.1,1e+15)"`},
	{typ: "float8range", sql: "'[0.00001,999999999999999)'", want: `"[1e-05,999999999999999)"`},
	{typ: "float8range", sql: "'[-Infinity,NaN]'", want: `"[-Infinity,NaN]"`},
	{typ: "float4range", sql: "'[0.1,1000000)'", want: `"[0.1,1e+06)"`},
	{typ: "textrange", sql: `textrange('a b"c\', 'z,(1)', '[]')`, want: `"[\"a b\"\"c\\\\\",\"z,(1)\"]"`},
	{typ: "textrange", sql: `textrange('', E'\n', '()')`, want: `"(\"\",\"\n\")"`},
	{typ: "textrange", sql: `textrange('a', 'ü', '()')`, want: `"(a,ü)"`},
	{typ: "timerange", sql: "'[01:02:03.5,24:00]'", want: `"[01:02:03.5,24:00:00]"`},
	{typ: "timetzrange", sql: "'[01:02:03+00,24:00-05:30]'", want: `"[01:02:03+00,24:00:00-05:30]"`},
	{typ: "intervalrange", sql: "'[1 day,2 months]'", want: `"[P1D,P2M]"`},
	{typ: "bytearange", sql: `bytearange('\x00', '\xff')`, want: `"[\"\\\\x00\",\"\\\\xff\")"`},
	{typ: "boolrange", sql: "'[f,t]'", want: `"[f,t]"`},
	{typ: "uuidrange", sql: "'[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,)'", want: `"[a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,)"`},
	{typ: "moodrange", sql: `moodrange('fine', 'says "no"\')`, want: `"[fine,\"says \"\"no\"\"\\\\\")"`},
	{typ: "inetrange", sql: "'[10.0.0.1/8,::1)'", want: `"[10.0.0.1/8,::1)"`},
	{typ: "jsonbrange", sql: `jsonbrange('1', '{"a": 1}')`, want: `"[1,\"{\"\"a\"\": 1}\")"`},
}
