package indb

import "github.com/resourcery/resourcery/benchmarks/internal/blog"

const session = `SELECT set_config('transaction_read_only', 'on', true), set_config('app.user_id', $1, true), set_config('app.tenant_id', $2, true), set_config('role', $3, true)`

// plain is a post without linkage of its to-many relationships.
func plain(row string) string {
	return post(row, related("post", row, "comments"), related("post", row, "tags"))
}

// single is the document of one post; no row if there is none.
var single = `SELECT ` + object(
	"jsonapi", version,
	"data", plain("p"),
	"links", object("self", at("post", "p")),
	"meta", object("serialization", object("values", `CASE WHEN p."updatedAt" IS NULL
		THEN json_build_object('data.attributes.createdAt', `+date+`)
		ELSE json_build_object('data.attributes.createdAt', `+date+`, 'data.attributes.updatedAt', `+date+`) END`)),
) + `, md5(ROW(p.id, p."authorId", p.title, p.content, p.published, p."viewCount", p."createdAt" AT TIME ZONE 'UTC', p."updatedAt" AT TIME ZONE 'UTC')::text)
FROM "Post" p WHERE p.id = $1::int4`

const (
	version = `json_build_object('version', '1.1')`
	date    = `'["Date"]'::json`
)

// A list is how the statement of a list is put together.
type list struct {
	rows    string // FROM and what follows, for posts p; it reads one row more than the page has
	order   string
	limit   string
	with    string // further CTEs, each with a comma in front
	post    string // the object of a row of shown, p
	joins   string
	include string // a SELECT of the included resources' objects and annotations, "" for none
	before  string // an expression: parameters before those of the page
	size    string
	rest    string
	counted bool
}

func (l list) sql() string {
	address := func(offset, size string) string {
		return text(blog.Endpoint+"/post?") + " || " + l.before + " || " + text(offset+size+l.rest)
	}
	links := []string{"self", address("", l.size), "first", address("", l.size)}
	meta := []string{"serialization", object("values", "(SELECT json_object_agg(name, "+date+") FROM dated)")}
	next := "(SELECT count(*) FROM page) > " + l.limit
	if l.counted {
		// The limit is the default one, which this link leaves out.
		links = append(links, "last", text(blog.Endpoint+"/post?page%5Boffset%5D=")+
			" || (greatest(0, total.n - 1) / "+l.limit+" * "+l.limit+") || "+text(l.rest))
		meta = append(meta, "total", "total.n")
		next = "total.n > " + l.limit
	}
	links = append(links, "next", "CASE WHEN "+next+" THEN "+address("page%5Boffset%5D="+l.limit+"&", l.size)+" END", "prev", "NULL")

	members := []string{"jsonapi", version, "data",
		"(SELECT coalesce(json_agg(" + l.post + " ORDER BY p.i), '[]') FROM shown p " + l.joins + ")"}
	dated := `SELECT 'data.' || i || '.attributes.createdAt' AS name FROM shown
		UNION ALL SELECT 'data.' || i || '.attributes.updatedAt' FROM shown WHERE "updatedAt" IS NOT NULL`
	included := ""
	if l.include != "" {
		included = `, included AS MATERIALIZED (SELECT object, dated, row_number() OVER (ORDER BY part, place, id) - 1 AS i FROM (` + l.include + `) x)`
		members = append(members, "included", "(SELECT coalesce(json_agg(object ORDER BY i), '[]') FROM included)")
		dated += ` UNION ALL SELECT 'included.' || i || '.attributes.createdAt' FROM included WHERE dated`
	}
	members = append(members, "links", object(links...), "meta", object(meta...))
	sql := `WITH page AS MATERIALIZED (SELECT p.*, row_number() OVER (ORDER BY ` + l.order + `) - 1 AS i
			FROM (SELECT p.* FROM ` + l.rows + ` ORDER BY ` + l.order + ` LIMIT ` + l.limit + ` + 1) p),
		shown AS MATERIALIZED (SELECT * FROM page WHERE i < ` + l.limit + `)` + l.with + included + `,
		dated AS (` + dated + `)
		SELECT ` + object(members...)
	if l.counted {
		sql += ` FROM (SELECT count(*) AS n FROM "Post") total`
	}
	return sql
}

// What the lists with comments have in common.
const (
	commentsOfShown = `, comments AS MATERIALIZED (SELECT c.*, p.i AS place FROM shown p
			CROSS JOIN LATERAL (SELECT * FROM "Comment" c WHERE c."postId" = p.id ORDER BY c.id) c),
		commented AS (SELECT place, json_agg(json_build_object('type', 'comment', 'id', id) ORDER BY id) AS data FROM comments GROUP BY place)`
	joinCommented = `LEFT JOIN commented ON commented.place = p.i`
	commentData   = `coalesce(commented.data, '[]')`

	firstAuthors = `(SELECT "authorId", min(i) AS place FROM shown GROUP BY "authorId") f
		CROSS JOIN LATERAL (SELECT * FROM "User" u WHERE u.id = f."authorId" LIMIT 1) u`
)

var (
	newest = list{
		rows: `"Post" p`, order: `p."createdAt" DESC, p.id DESC`, limit: "20", post: plain("p"),
		before: text("sort=-createdAt&"), size: "page%5Blimit%5D=20", rest: "&page%5Btotal%5D=none",
	}
	many = list{
		rows: `"Post" p`, order: `p.id`, limit: "1000", post: plain("p"),
		before: text(""), size: "page%5Blimit%5D=1000", rest: "&page%5Btotal%5D=none",
	}
	commented = list{
		rows: `"Post" p`, order: `p.id`, limit: "100", with: commentsOfShown, joins: joinCommented,
		post: post("p", linkage("post", "p", "comments", commentData), related("post", "p", "tags")),
		include: `SELECT 1 AS part, f.place, 0 AS id, true AS dated, ` + user("u") + ` AS object FROM ` + firstAuthors + `
			UNION ALL SELECT 2, c.place, c.id, true, ` + comment("c") + ` FROM comments c`,
		before: text(""), size: "page%5Blimit%5D=100", rest: "&page%5Btotal%5D=none&include=author,comments",
	}
	counted = func() list {
		l := commented
		l.rest, l.counted = "&include=author,comments", true
		return l
	}()
	// Parameters: the tag, a pattern for the author's name, the filters as links
	// have them.
	found = list{
		rows: `"Tag" t JOIN "_PostToTag" l ON l."B" = t.id JOIN "Post" p ON p.id = l."A" JOIN "User" u ON u.id = p."authorId"
			WHERE t.name = $1 AND u.name LIKE $2`,
		order: `p."createdAt" DESC, p.id DESC`, limit: "20",
		with: commentsOfShown + `, pairs AS MATERIALIZED (SELECT t.*, p.i AS place FROM shown p
				CROSS JOIN LATERAL (SELECT t.* FROM "_PostToTag" l JOIN "Tag" t ON t.id = l."B" WHERE l."A" = p.id) t),
			tagged AS (SELECT place, json_agg(json_build_object('type', 'tag', 'id', id) ORDER BY id) AS data FROM pairs GROUP BY place)`,
		joins: joinCommented + ` LEFT JOIN tagged ON tagged.place = p.i`,
		post:  post("p", linkage("post", "p", "comments", commentData), linkage("post", "p", "tags", `coalesce(tagged.data, '[]')`)),
		include: `SELECT 1 AS part, f.place, 0 AS id, true AS dated, ` + user("u") + ` AS object FROM ` + firstAuthors + `
			UNION ALL SELECT 2, t.place, t.id, false, ` + tag("t") + ` FROM (SELECT DISTINCT ON (id) * FROM pairs ORDER BY id, place) t
			UNION ALL SELECT 3, c.place, c.id, true, ` + comment("c") + ` FROM comments c
			UNION ALL SELECT 4, f.place, f.first, true, ` + user("u") + `
				FROM (SELECT DISTINCT ON ("authorId") "authorId", place, id AS first FROM comments ORDER BY "authorId", place, id) f
				CROSS JOIN LATERAL (SELECT * FROM "User" u WHERE u.id = f."authorId" LIMIT 1) u
				WHERE NOT EXISTS (SELECT FROM shown p WHERE p."authorId" = u.id)`,
		before: `$3::text`, size: "page%5Blimit%5D=20", rest: "&page%5Btotal%5D=none&include=author,tags,comments.author",
	}
)
