package handmade

import (
	"net/http"
	"slices"
	"strconv"
)

// commented answers with a page of posts, their authors and comments.
func (s *Site) commented(a *answer, w http.ResponseWriter, r *http.Request, p page) error {
	if _, err := s.readCommented(a, r, p, uncounted); err != nil {
		return err
	}
	more := len(a.posts) > p.limit
	a.posts = a.posts[:min(len(a.posts), p.limit)]
	a.commentedData()
	a.text(`],"links":{`)
	a.pageLinks(p, more)
	a.meta("")
	a.send(w, http.StatusOK)
	return nil
}

// counted answers with the same and how many posts there are.
func (s *Site) counted(a *answer, w http.ResponseWriter, r *http.Request, p page) error {
	total, err := s.readCommented(a, r, p, counted)
	if err != nil {
		return err
	}
	a.posts = a.posts[:min(len(a.posts), p.limit)]
	a.commentedData()
	a.text(`],"links":{"self":`)
	a.pageLink(p, "", p.size)
	a.text(`,"first":`)
	a.pageLink(p, "", p.size)
	a.text(`,"last":`)
	// The limit is the default one, which this link leaves out.
	last := max(0, total-1) / int64(p.limit) * int64(p.limit)
	a.pageLink(p, "page%5Boffset%5D="+strconv.FormatInt(last, 10), "")
	a.nextLink(p, total > int64(p.limit))
	a.meta(strconv.FormatInt(total, 10))
	a.send(w, http.StatusOK)
	return nil
}

// A counting says whether the total is asked for.
type counting bool

const (
	uncounted counting = false
	counted   counting = true
)

func (s *Site) readCommented(a *answer, r *http.Request, p page, c counting) (total int64, err error) {
	x, err := s.begin(r.Context())
	if err != nil {
		return 0, err
	}
	defer func() { err = first(err, x.end()) }()
	x.send(snapshot, nil, nil, nil)
	x.seal(a, readOnly)
	x.send(p.statement, nil, textual, authoredFormats)
	x.send(commentsOfPosts, nil, textual, commentFormats)
	if c == counted {
		x.send(countPosts, nil, textual, countFormats)
	}
	if err := x.sync(2); err != nil {
		return 0, err
	}
	if err := x.authored(a); err != nil {
		return 0, err
	}
	err = x.each(func(row [][]byte) {
		var c comment
		c.read(row)
		c.content = a.keep(c.content)
		a.comments = append(a.comments, c)
	})
	if err != nil || c == uncounted {
		return 0, err
	}
	err = x.each(func(row [][]byte) { total = int8(row[0]) })
	return total, err
}

// authored reads posts with their authors.
func (x exchange) authored(a *answer) error {
	return x.each(func(row [][]byte) {
		var p post
		p.read(row)
		p.title, p.content = a.keep(p.title), a.keep(p.content)
		var u user
		u.read(row[8:])
		u.name, u.email = a.keep(u.name), a.keep(u.email)
		a.posts, a.authors = append(a.posts, p), append(a.authors, u)
	})
}

// each reads the rows of the next statement. They last as long as the call.
func (x exchange) each(use func(row [][]byte)) error {
	rows, err := x.rows()
	if err != nil {
		return err
	}
	for rows.NextRow() {
		use(rows.Values())
	}
	_, err = rows.Close()
	return err
}

// commentedData appends the document up to the end of what is included.
func (a *answer) commentedData() {
	a.open(`[`)
	for i := range a.posts {
		if i > 0 {
			a.text(",")
		}
		a.place("data.", i)
		a.post(&a.posts[i], linked{comments: a.commentsOf(a.posts[i].id)})
	}
	a.text(`],"included":[`)
	n := a.includeAuthors(0)
	for i := range a.posts {
		n = a.includeComments(a.posts[i].id, n)
	}
}

// commentsOf returns the comments of a post, empty but not nil if there are
// none: they are sorted by it.
func (a *answer) commentsOf(id int32) []comment {
	from, _ := slices.BinarySearchFunc(a.comments, id, func(c comment, id int32) int { return int(c.post) - int(id) })
	to := from
	for to < len(a.comments) && a.comments[to].post == id {
		to++
	}
	return a.comments[from:to]
}

// includeAuthors appends the posts' authors as the included resources from n
// on, each once, and returns how many there are then.
func (a *answer) includeAuthors(n int) int {
	for i := range a.posts {
		n = a.includeUser(&a.authors[i], n)
	}
	return n
}

// includeUser appends a user who can be seen and was not there before.
func (a *answer) includeUser(u *user, n int) int {
	if _, seen := a.seenUsers[u.id]; seen || u.id == 0 {
		return n
	}
	a.seenUsers[u.id] = struct{}{}
	a.include(n)
	a.user(u)
	return n + 1
}

func (a *answer) includeComments(id int32, n int) int {
	of := a.commentsOf(id)
	for i := range of {
		a.include(n)
		a.comment(&of[i])
		n++
	}
	return n
}

// include goes on to the n-th included resource.
func (a *answer) include(n int) {
	if n > 0 {
		a.text(",")
	}
	a.place("included.", n)
}
