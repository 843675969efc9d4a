package handmade

// A statement is the index of a prepared statement.
type statement int

const (
	snapshot statement = iota // one snapshot for all statements to come
	readOnly                  // seals the session of a request that reads
	readWrite
	onePost
	newestPosts
	firstPosts
	postsWithAuthors
	commentsOfPosts
	countPosts
	foundPosts
	tagsOfFound
	commentsOfFound
	allComments
	createPost
	updatePost
	statements // how many there are
)

const (
	postColumns    = `p.id, p."authorId", p.title, p.content, p.published, p."viewCount", p."createdAt", p."updatedAt"`
	userColumns    = `u.id, u.name, u.email, u."createdAt"`
	commentColumns = `c.id, c."postId", c."authorId", c.content, c.hidden, c."createdAt"`

	// The digest of a row, as entity tags have it.
	digest = `md5(ROW(id, "authorId", title, content, published, "viewCount", "createdAt" AT TIME ZONE 'UTC', "updatedAt" AT TIME ZONE 'UTC')::text)`
	// What a write returns.
	writtenColumns = `id, "authorId", title, content, published, "viewCount", "createdAt", "updatedAt", ` + digest

	session = `set_config('app.user_id', $1, true), set_config('app.tenant_id', $2, true), set_config('role', $3, true)`

	// The keys of the page, which the statements after it start from: a search
	// is not run twice.
	keys = `(SELECT unnest((SELECT current_setting('blog.page'))::int4[]))`
)

// texts are the statements' SQL. Pages read one row more than they have, which
// tells whether there is a next one. Lookups by key are written as LATERAL, as
// the planner would rather hash a whole table.
var texts = [statements]string{
	snapshot:    `SET transaction_isolation TO 'repeatable read'`,
	readOnly:    `SELECT set_config('transaction_read_only', 'on', true), ` + session,
	readWrite:   `SELECT ` + session,
	onePost:     `SELECT ` + postColumns + `, ` + digest + ` FROM "Post" p WHERE p.id = $1::int4`,
	newestPosts: `SELECT ` + postColumns + ` FROM "Post" p ORDER BY p."createdAt" DESC, p.id DESC LIMIT 21`,
	firstPosts:  `SELECT ` + postColumns + ` FROM "Post" p ORDER BY p.id LIMIT 1001`,
	postsWithAuthors: `SELECT ` + postColumns + `, ` + userColumns + `
		FROM (SELECT * FROM "Post" ORDER BY id LIMIT 101) p
		LEFT JOIN LATERAL (SELECT * FROM "User" u WHERE u.id = p."authorId" LIMIT 1) u ON true
		ORDER BY p.id`,
	commentsOfPosts: `SELECT ` + commentColumns + `
		FROM (SELECT id FROM "Post" ORDER BY id LIMIT 100) p
		CROSS JOIN LATERAL (SELECT * FROM "Comment" c WHERE c."postId" = p.id ORDER BY c.id) c
		ORDER BY c."postId", c.id`,
	countPosts: `SELECT count(*) FROM "Post"`,
	foundPosts: `WITH page AS MATERIALIZED (
			SELECT ` + postColumns + `, u.id AS "userId", u.name, u.email, u."createdAt" AS "userCreatedAt"
			FROM "Tag" t JOIN "_PostToTag" l ON l."B" = t.id JOIN "Post" p ON p.id = l."A" JOIN "User" u ON u.id = p."authorId"
			WHERE t.name = $1 AND u.name LIKE $2
			ORDER BY p."createdAt" DESC, p.id DESC LIMIT 21
		), keys AS MATERIALIZED (SELECT set_config('blog.page', coalesce(array_agg(id)::text, '{}'), true) FROM page)
		SELECT * FROM page WHERE (SELECT true FROM keys) ORDER BY "createdAt" DESC, id DESC`,
	tagsOfFound: `SELECT l."A", t.id, t.name FROM "_PostToTag" l JOIN "Tag" t ON t.id = l."B"
		WHERE l."A" = ANY ` + keys + ` ORDER BY l."A", t.id`,
	commentsOfFound: `SELECT ` + commentColumns + `, ` + userColumns + `
		FROM (SELECT * FROM "Comment" WHERE "postId" = ANY ` + keys + ` ORDER BY "postId", id OFFSET 0) c
		LEFT JOIN LATERAL (SELECT * FROM "User" u WHERE u.id = c."authorId" LIMIT 1) u ON true
		ORDER BY c."postId", c.id`,
	allComments: `SELECT ` + commentColumns + ` FROM "Comment" c ORDER BY c.id`,
	createPost: `INSERT INTO "Post" ("authorId", title, content, published, "createdAt")
		VALUES ($1::int4, $2, $3, $4::bool, $5::timestamptz) RETURNING ` + writtenColumns,
	updatePost: `UPDATE "Post" SET title = coalesce($2, title), content = coalesce($3, content)
		WHERE id = $1::int4 RETURNING ` + writtenColumns,
}

// The forms in which columns are asked for: 1 is binary.
var (
	postFormats     = []int16{1, 1, 0, 0, 1, 1, 1, 1}
	singleFormats   = []int16{1, 1, 0, 0, 1, 1, 1, 1, 0}
	authoredFormats = []int16{1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1}
	commentFormats  = []int16{1, 1, 1, 0, 1, 1}
	repliedFormats  = []int16{1, 1, 1, 0, 1, 1, 1, 0, 0, 1}
	tagFormats      = []int16{1, 1, 0}
	countFormats    = []int16{1}
)

// The forms of parameters.
var (
	binaryKey     = []int16{1}
	binaryCreate  = []int16{1, 0, 0, 1, 1}
	binaryUpdate  = []int16{1, 0, 0}
	textual       []int16
	sessionFormat []int16
)
