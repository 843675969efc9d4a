package sample

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// How many rows the full site has.
const (
	postCount     = 400
	commentCount  = 1500
	likeCount     = 1000
	revisionCount = 500
)

var (
	opened = time.Date(2024, time.January, 8, 7, 0, 0, 0, time.UTC)
	closed = time.Date(2026, time.September, 30, 20, 0, 0, 0, time.UTC)
)

// A site is the full data while it is made. Everything is drawn from one
// seeded source in a fixed order, and no clock is read, so that each run gives
// the same text.
type site struct {
	*rand.Rand
	joined []time.Time // by user
	posts  []post
	tables []*table
}

// A post is what later rows need to know of one.
type post struct {
	id, author int
	topic      int
	published  bool
	created    time.Time
}

func fullSQL() string {
	s := &site{Rand: rand.New(rand.NewPCG(1452, 1605))}
	s.addUsers()
	s.addProfiles()
	s.addTags()
	s.addPosts()
	s.addPostTags()
	s.addComments()
	s.addLikes()
	s.addRevisions()

	var b strings.Builder
	for _, t := range s.tables {
		t.appendSQL(&b)
	}
	for _, t := range []string{"User", "Profile", "Post", "Comment", "Tag"} {
		fmt.Fprintf(&b, "ALTER TABLE %q ALTER COLUMN id RESTART WITH 10001;\n", t)
	}
	return b.String()
}

func (s *site) table(name, columns string) *table {
	t := &table{name: name, columns: columns}
	s.tables = append(s.tables, t)
	return t
}

func (s *site) addUsers() {
	t := s.table(`"User"`, `id, name, handle, email, "countryCode", reputation, active, "suspendedUntil", "createdAt"`)
	joined := opened
	for i, w := range writers {
		var suspended any
		switch i {
		case 26:
			suspended = "infinity"
		case 33:
			suspended = closed.AddDate(1, 0, 0)
		}
		t.add(i+1, w.name, w.handle, w.handle+"@example.org", w.country, s.skewed(5000), i != 26 && s.often(0.95), suspended, joined)
		s.joined = append(s.joined, joined)
		joined = joined.Add(s.upTo(20 * 24 * time.Hour))
	}
}

func (s *site) addProfiles() {
	t := s.table(`"Profile"`, `id, "userId", bio, website, address, languages, birthday, "membershipEnds", "digestAt", "callsFrom", avatar, settings`)
	for i, w := range writers {
		if i > 2 && s.often(0.15) {
			continue
		}
		field := topics[i%len(topics)]
		ends := any(closed.AddDate(0, s.IntN(24), s.IntN(28)).Format(time.DateOnly))
		if s.often(0.2) {
			ends = "infinity"
		}
		t.add(len(t.rows)+1, i+1,
			about(pick(s, bios), pick(s, field.subjects)),
			s.maybe(0.7, "https://"+w.handle+".example.org/"),
			"("+quoted([]string{w.street, w.city, fmt.Sprintf("%05d", s.IntN(100000)), w.country})+")",
			w.languages,
			s.maybe(0.8, time.Date(1950+s.IntN(55), time.January, 1+s.IntN(365), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)),
			ends,
			s.maybe(0.6, fmt.Sprintf("%02d:%02d:00", 5+s.IntN(16), 15*s.IntN(4))),
			s.maybe(0.3, fmt.Sprintf("%02d:00:00%+03d", 8+s.IntN(10), s.IntN(14)-4)),
			s.maybe(0.5, s.bytes(24)),
			fmt.Sprintf(`{"theme": %q, "pageSize": %d, "notify": {"email": %t, "topics": [%q]}}`,
				pick(s, []string{"light", "dark"}), 10*(1+s.IntN(5)), s.often(0.5), field.name))
	}
}

func (s *site) addTags() {
	t := s.table(`"Tag"`, `id, name, description, color, rank`)
	for _, field := range topics {
		for i, name := range field.tags {
			id := len(t.rows) + 1
			description := any("What our writers have to say on " + name + ", filed under " + field.name + ".")
			if i == len(field.tags)-1 {
				description = nil
			}
			t.add(id, name, description, pick(s, colors), id*10)
		}
	}
}

func (s *site) addPosts() {
	t := s.table(`"Post"`, `id, "authorId", title, slug, summary, body, published, status, "viewCount", "readSeconds", trend, earnings, `+
		`keywords, scores, metadata, "featuredDuring", "embargoUntil", "createdAt", "updatedAt", "publishedAt"`)
	step := (closed.AddDate(0, -2, 0).Sub(opened) / (postCount + 1)).Truncate(time.Second)
	for i, idea := range s.Perm(len(topics) * len(topics[0].subjects) * len(titles))[:postCount] {
		p := post{id: i + 1, topic: idea % len(topics), created: opened.Add(time.Duration(i+1)*step + s.upTo(step))}
		p.author = s.author(p.created)
		p.published = s.often(0.85)
		s.posts = append(s.posts, p)

		field := topics[p.topic]
		subject := field.subjects[idea/len(topics)%len(field.subjects)]
		title := about(titles[idea/len(topics)/len(field.subjects)], subject)
		views := 0
		var publishedAt, earnings, trend any
		if p.published {
			views = s.skewed(20000)
			publishedAt = p.created.Add(s.upTo(48 * time.Hour))
			earnings = fmt.Sprintf("%d.%02d", views/50, s.IntN(100))
			trend = s.trend()
		}
		t.add(p.id, p.author, title, slug(title), s.maybe(0.8, about(pick(s, summaries), subject)), s.body(field, subject),
			p.published, s.status(p.published), views, views*(30+s.IntN(200)), trend, earnings,
			s.keywords(field, subject), s.maybe(0.6, s.scores()), s.metadata(field),
			s.featured(p), s.embargo(p), p.created, p.created.Add(s.upTo(30*24*time.Hour)), publishedAt)
	}
}

func (s *site) status(published bool) string {
	if published {
		return pick(s, []string{"FINAL", "FINAL", "FINAL", "FINAL", "REVIEW"})
	}
	return pick(s, []string{"IDEA", "DRAFT", "DRAFT", "REVIEW", "FINAL"})
}

func (s *site) trend() any {
	switch s.IntN(20) {
	case 0:
		return "NaN"
	case 1:
		return "Infinity"
	default:
		return strconv.FormatFloat(s.Float64()*3, 'f', 4, 64)
	}
}

func (s *site) keywords(field topic, subject string) []string {
	words := append(strings.Fields(strings.ToLower(subject)), field.name)
	return words[s.IntN(len(words)):]
}

func (s *site) scores() string {
	given := make([]string, s.IntN(6))
	for i := range given {
		given[i] = strconv.Itoa(1 + s.IntN(5))
		if s.often(0.1) {
			given[i] = "NULL"
		}
	}
	return "{" + strings.Join(given, ",") + "}"
}

func (s *site) metadata(field topic) any {
	return s.maybe(0.8, fmt.Sprintf(`{"level": %d, "topic": %q, "minutes": %d, "sources": %d, "place": {"city": %q}}`,
		1+s.IntN(3), field.name, 3+s.IntN(15), s.IntN(9), pick(s, writers).city))
}

func (s *site) featured(p post) any {
	from := p.created.AddDate(0, 0, 2+s.IntN(10))
	switch {
	case !p.published || s.often(0.7):
		return nil
	case s.often(0.1):
		return "[" + instant(from) + ",)"
	default:
		return "[" + instant(from) + "," + instant(from.AddDate(0, 0, 7)) + ")"
	}
}

func (s *site) embargo(p post) any {
	switch {
	case s.often(0.85):
		return nil
	case p.published:
		return p.created.Add(time.Hour)
	default:
		return pick(s, []string{"infinity", "2027-01-01 06:00:00"})
	}
}

func (s *site) addPostTags() {
	t := s.table(`"_PostToTag"`, `"A", "B"`)
	for _, p := range s.posts {
		own := len(topics[p.topic].tags)
		first := 0
		for i := range p.topic {
			first += len(topics[i].tags)
		}
		// The last tag of all stays unused.
		last := first + own
		if p.topic == len(topics)-1 {
			last--
		}
		for _, i := range s.Perm(last - first)[:s.IntN(4)] {
			t.add(p.id, first+i+1)
		}
	}
}

// A thread entry is what a reply needs to know of a comment.
type entry struct {
	id, post int
	at       time.Time
}

func (s *site) addComments() {
	t := s.table(`"Comment"`, `id, "postId", "authorId", "parentId", body, "spamScore", "createdAt", "editedAt"`)
	var thread []entry
	for id := 1; id <= commentCount; id++ {
		p := s.discussed()
		at := p.created.Add(48*time.Hour + s.upTo(50*24*time.Hour))
		text, parent := pick(s, comments), any(nil)
		if s.often(0.4) {
			text = pick(s, topics[p.topic].remarks)
		}
		if len(thread) > 0 && s.often(0.3) {
			to := thread[s.IntN(len(thread))]
			p, parent, text = s.posts[to.post-1], to.id, pick(s, replies)
			at = to.at.Add(s.upTo(72 * time.Hour))
		}
		thread = append(thread, entry{id, p.id, at})
		author := s.visitor(p, at)
		t.add(id, p.id, author, parent, text, s.spamScore(), at, s.maybe(0.1, at.Add(s.upTo(time.Hour))))
	}
}

// discussed is mostly a published post; drafts have a few notes of their
// author's.
func (s *site) discussed() post {
	for {
		if p := pick(s, s.posts); p.published || s.often(0.1) {
			return p
		}
	}
}

// visitor is somebody who may comment on the post at that time.
func (s *site) visitor(p post, at time.Time) int {
	if !p.published {
		return p.author
	}
	for {
		if i := s.IntN(len(s.joined)); s.joined[i].Before(at) {
			return i + 1
		}
	}
}

func (s *site) spamScore() any {
	switch s.IntN(40) {
	case 0:
		return "NaN"
	case 1, 2:
		return nil
	default:
		return strconv.FormatFloat(s.Float64()*s.Float64(), 'f', 3, 32)
	}
}

func (s *site) addLikes() {
	t := s.table(`"Like"`, `"userId", "postId", strength, "createdAt"`)
	given := map[[2]int]bool{}
	for len(given) < likeCount {
		p := s.discussed()
		at := p.created.Add(48*time.Hour + s.upTo(50*24*time.Hour))
		pair := [2]int{s.visitor(p, at), p.id}
		if given[pair] {
			continue
		}
		given[pair] = true
		t.add(pair[0], pair[1], 1+s.IntN(3), at)
	}
}

func (s *site) addRevisions() {
	t := s.table(`"Revision"`, `id, "postId", "editorId", note, "savedAt", "timeSpent", "linesChanged", "savedFrom", network, patch, diff, "approvedAt"`)
	for range revisionCount {
		p := pick(s, s.posts)
		saved := p.created.Add(s.upTo(40 * 24 * time.Hour))
		editor := any(p.author)
		if p.published && s.often(0.2) {
			editor = s.visitor(p, saved)
		}
		from := 1 + s.IntN(40)
		host := s.IntN(254) + 1
		t.add(s.uuid(), p.id, editor, s.maybe(0.9, pick(s, notes)), saved,
			fmt.Sprintf("%d hours %d minutes", s.IntN(4), 1+s.IntN(59)),
			fmt.Sprintf("[%d,%d)", from, from+1+s.IntN(20)),
			s.maybe(0.9, fmt.Sprintf("198.51.100.%d", host)), s.maybe(0.5, fmt.Sprintf("198.51.100.%d/26", host&^63)),
			s.maybe(0.7, s.bytes(12)), fmt.Sprintf(`{"added": %d, "removed": %d}`, s.IntN(60), s.IntN(30)),
			s.approvals(saved))
	}
}

func (s *site) approvals(saved time.Time) []string {
	out := make([]string, s.IntN(3))
	for i := range out {
		saved = saved.Add(s.upTo(24 * time.Hour))
		out[i] = instant(saved)
	}
	return out
}
