package handmade

import "encoding/binary"

// The resources, as read from a row. Their texts are those of the row, or of
// the answer's arena where the row does not last.
type (
	post struct {
		id, author, views  int32
		published, updated bool
		created, updatedAt int64
		title, content     []byte
	}
	user struct {
		id          int32
		created     int64
		name, email []byte
	}
	comment struct {
		id, post, author int32
		hidden           bool
		created          int64
		content          []byte
	}
	tag struct {
		post, id int32
		name     []byte
	}
)

func int4(raw []byte) int32 { return int32(binary.BigEndian.Uint32(raw)) }
func int8(raw []byte) int64 { return int64(binary.BigEndian.Uint64(raw)) }

func (p *post) read(row [][]byte) {
	*p = post{
		id: int4(row[0]), author: int4(row[1]), title: row[2], content: row[3],
		published: row[4][0] != 0, views: int4(row[5]), created: int8(row[6]),
	}
	if row[7] != nil {
		p.updated, p.updatedAt = true, int8(row[7])
	}
}

// read takes a user who may be invisible, whose id then stays 0.
func (u *user) read(row [][]byte) {
	*u = user{}
	if row[0] != nil {
		*u = user{id: int4(row[0]), name: row[1], email: row[2], created: int8(row[3])}
	}
}

func (c *comment) read(row [][]byte) {
	*c = comment{id: int4(row[0]), post: int4(row[1]), author: int4(row[2]), content: row[3], hidden: row[4][0] != 0, created: int8(row[5])}
}

func (t *tag) read(row [][]byte) {
	*t = tag{post: int4(row[0]), id: int4(row[1]), name: row[2]}
}

// Members of a to-many relationship that stand in a post.
type linked struct {
	comments []comment
	tags     []tag
}

// post appends a post, with linkage of the relationships that are not nil.
func (a *answer) post(p *post, l linked) {
	b := append(a.body, `{"type":"post","id":`...)
	b = appendInt(b, p.id)
	b = append(b, `,"attributes":{"authorId":`...)
	b = appendInt(b, p.author)
	b = append(b, `,"title":`...)
	b = appendString(b, p.title)
	b = append(b, `,"content":`...)
	b = appendString(b, p.content)
	b = append(b, `,"published":`...)
	b = appendBool(b, p.published)
	b = append(b, `,"viewCount":`...)
	b = appendInt(b, p.views)
	b = append(b, `,"createdAt":`...)
	b = appendTime(b, p.created)
	a.note(`.attributes.createdAt":["Date"]`)
	b = append(b, `,"updatedAt":`...)
	if p.updated {
		b = appendTime(b, p.updatedAt)
		a.note(`.attributes.updatedAt":["Date"]`)
	} else {
		b = append(b, `null`...)
	}
	b = append(b, `},"relationships":{"author":{"data":{"type":"user","id":`...)
	b = appendInt(b, p.author)
	b = append(b, `},"links":`...)
	b = appendLinks(b, postsAt, p.id, "author")
	b = append(b, `},"comments":{`...)
	if l.comments != nil {
		b = append(b, `"data":[`...)
		for i := range l.comments {
			b = appendIdentifier(b, i, `{"type":"comment","id":`, l.comments[i].id)
		}
		b = append(b, `],`...)
	}
	b = append(b, `"links":`...)
	b = appendLinks(b, postsAt, p.id, "comments")
	b = append(b, `},"tags":{`...)
	if l.tags != nil {
		b = append(b, `"data":[`...)
		for i := range l.tags {
			b = appendIdentifier(b, i, `{"type":"tag","id":`, l.tags[i].id)
		}
		b = append(b, `],`...)
	}
	b = append(b, `"links":`...)
	b = appendLinks(b, postsAt, p.id, "tags")
	b = append(b, `}}`...)
	a.body = appendSelf(b, postsAt, p.id)
}

func (a *answer) user(u *user) {
	b := append(a.body, `{"type":"user","id":`...)
	b = appendInt(b, u.id)
	b = append(b, `,"attributes":{"name":`...)
	b = appendString(b, u.name)
	b = append(b, `,"email":`...)
	b = appendString(b, u.email)
	b = append(b, `,"createdAt":`...)
	b = appendTime(b, u.created)
	a.note(`.attributes.createdAt":["Date"]`)
	b = append(b, `},"relationships":{"comments":{"links":`...)
	b = appendLinks(b, usersAt, u.id, "comments")
	b = append(b, `},"posts":{"links":`...)
	b = appendLinks(b, usersAt, u.id, "posts")
	b = append(b, `}}`...)
	a.body = appendSelf(b, usersAt, u.id)
}

func (a *answer) comment(c *comment) {
	b := append(a.body, `{"type":"comment","id":`...)
	b = appendInt(b, c.id)
	b = append(b, `,"attributes":{"postId":`...)
	b = appendInt(b, c.post)
	b = append(b, `,"authorId":`...)
	b = appendInt(b, c.author)
	b = append(b, `,"content":`...)
	b = appendString(b, c.content)
	b = append(b, `,"hidden":`...)
	b = appendBool(b, c.hidden)
	b = append(b, `,"createdAt":`...)
	b = appendTime(b, c.created)
	a.note(`.attributes.createdAt":["Date"]`)
	b = append(b, `},"relationships":{"author":{"data":{"type":"user","id":`...)
	b = appendInt(b, c.author)
	b = append(b, `},"links":`...)
	b = appendLinks(b, commentsAt, c.id, "author")
	b = append(b, `},"post":{"data":{"type":"post","id":`...)
	b = appendInt(b, c.post)
	b = append(b, `},"links":`...)
	b = appendLinks(b, commentsAt, c.id, "post")
	b = append(b, `}}`...)
	a.body = appendSelf(b, commentsAt, c.id)
}

func (a *answer) tag(t *tag) {
	b := append(a.body, `{"type":"tag","id":`...)
	b = appendInt(b, t.id)
	b = append(b, `,"attributes":{"name":`...)
	b = appendString(b, t.name)
	b = append(b, `},"relationships":{"posts":{"links":`...)
	b = appendLinks(b, tagsAt, t.id, "posts")
	b = append(b, `}}`...)
	a.body = appendSelf(b, tagsAt, t.id)
}

func appendIdentifier(b []byte, i int, open string, id int32) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = append(b, open...)
	b = appendInt(b, id)
	return append(b, '}')
}

// appendLinks appends the links of a relationship.
func appendLinks(b []byte, at string, id int32, name string) []byte {
	b = append(b, `{"self":"`...)
	b = append(b, at...)
	b = appendInt(b, id)
	b = append(b, `/relationships/`...)
	b = append(b, name...)
	b = append(b, `","related":"`...)
	b = append(b, at...)
	b = appendInt(b, id)
	b = append(b, '/')
	b = append(b, name...)
	return append(b, `"}`...)
}

// appendSelf appends the links of a resource and ends it.
func appendSelf(b []byte, at string, id int32) []byte {
	b = append(b, `,"links":{"self":"`...)
	b = append(b, at...)
	b = appendInt(b, id)
	return append(b, `"}}`...)
}
