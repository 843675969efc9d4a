package handmade

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// found answers with the posts that have a tag and whose author's name contains
// a text, with their authors, tags, comments and the authors of these.
func (s *Site) found(a *answer, w http.ResponseWriter, r *http.Request, q query) error {
	if err := s.readFound(a, r, q); err != nil {
		return err
	}
	p := page{
		limit: 20,
		before: "filter%5Bauthor%5D%5Bname$contains%5D=" + url.QueryEscape(q.name) +
			"&filter%5Btags%5D%5Bname%5D=" + url.QueryEscape(q.tag) + "&sort=-createdAt&",
		size: "page%5Blimit%5D=20",
		rest: "&page%5Btotal%5D=none&include=author,tags,comments.author",
	}
	more := len(a.posts) > p.limit
	a.posts = a.posts[:min(len(a.posts), p.limit)]
	a.foundData()
	a.text(`],"links":{`)
	a.pageLinks(p, more)
	a.meta("")
	a.send(w, http.StatusOK)
	return nil
}

// literal takes the wildcards of LIKE as they are.
var literal = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func (s *Site) readFound(a *answer, r *http.Request, q query) (err error) {
	x, err := s.begin(r.Context())
	if err != nil {
		return err
	}
	defer func() { err = first(err, x.end()) }()
	x.send(snapshot, nil, nil, nil)
	x.seal(a, readOnly)
	a.params = append(a.params, []byte(q.tag), []byte("%"+literal.Replace(q.name)+"%"))
	x.send(foundPosts, a.params, textual, authoredFormats)
	x.send(tagsOfFound, nil, textual, tagFormats)
	x.send(commentsOfFound, nil, textual, repliedFormats)
	if err := x.sync(2); err != nil {
		return err
	}
	if err := x.authored(a); err != nil {
		return err
	}
	err = x.each(func(row [][]byte) {
		var t tag
		t.read(row)
		t.name = a.keep(t.name)
		a.tags = append(a.tags, t)
	})
	if err != nil {
		return err
	}
	return x.each(func(row [][]byte) {
		var c comment
		c.read(row)
		c.content = a.keep(c.content)
		var u user
		u.read(row[6:])
		u.name, u.email = a.keep(u.name), a.keep(u.email)
		a.comments, a.replied = append(a.comments, c), append(a.replied, u)
	})
}

func (a *answer) foundData() {
	a.open(`[`)
	for i := range a.posts {
		if i > 0 {
			a.text(",")
		}
		id := a.posts[i].id
		a.place("data.", i)
		a.post(&a.posts[i], linked{comments: a.commentsOf(id), tags: a.tagsOf(id)})
	}
	a.text(`],"included":[`)
	n := a.includeAuthors(0)
	for i := range a.posts {
		n = a.includeTags(a.posts[i].id, n)
	}
	for i := range a.posts {
		n = a.includeComments(a.posts[i].id, n)
	}
	for i := range a.posts {
		n = a.includeRepliers(a.posts[i].id, n)
	}
}

func (a *answer) tagsOf(id int32) []tag {
	from, _ := slices.BinarySearchFunc(a.tags, id, func(t tag, id int32) int { return int(t.post) - int(id) })
	to := from
	for to < len(a.tags) && a.tags[to].post == id {
		to++
	}
	return a.tags[from:to]
}

func (a *answer) includeTags(id int32, n int) int {
	of := a.tagsOf(id)
	for i := range of {
		if _, seen := a.seen[of[i].id]; seen {
			continue
		}
		a.seen[of[i].id] = struct{}{}
		a.include(n)
		a.tag(&of[i])
		n++
	}
	return n
}

// includeRepliers appends the authors of a post's comments.
func (a *answer) includeRepliers(id int32, n int) int {
	of := a.commentsOf(id)
	if len(of) == 0 {
		return n
	}
	start := slices.IndexFunc(a.comments, func(c comment) bool { return c.id == of[0].id })
	for i := range of {
		n = a.includeUser(&a.replied[start+i], n)
	}
	return n
}
