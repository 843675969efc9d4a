package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/resourcery/resourcery/internal/pgtest/postgres"
	"github.com/resourcery/resourcery/internal/sample"
)

// A guide is what the demo prints once it is ready.
type guide struct {
	tokens []string // of sample.People, in that order
}

func newGuide(secret string, now time.Time) (*guide, error) {
	signed, err := tokens(secret, now)
	if err != nil {
		return nil, err
	}
	return &guide{tokens: signed}, nil
}

// tries are requests that show something, each with what it shows.
var tries = []struct{ shows, request string }{
	{"the newest posts, five to a page", "/post?sort=-createdAt&page[limit]=5"},
	{"Ann's posts, with the comments and who wrote them", "/post?filter[author][name]=Ann&include=comments.author"},
	{"one post, its author and its tags", "/post/1?include=author,tags"},
	{"some attributes of some posts, by author and views", "/post?fields[post]=title,viewCount,author&sort=author.name,-viewCount&page[limit]=10"},
	{"what Bob wrote, from Bob's side", "/user/2/posts?page[limit]=3"},
	{"which tags a post has, as identifiers", "/post/1/relationships/tags"},
	{"posts that Cleo commented on", "/post?filter[comments][author][name]=Cleo&fields[post]=title"},
	{"likes, which have compound ids", "/like?page[limit]=5&include=user"},
}

// draft is what Ann writes.
const draft = `{"data": {"type": "post", "attributes": {"title": "Rye, slowly"}, "relationships": {"author": {"data": {"type": "user", "id": 1}}}}}`

// drafts is a request that each caller gets another answer to.
const drafts = "/post?filter[published]=false&fields[post]=title,author"

func (g *guide) print(w io.Writer, at endpoint, server *postgres.Server, data string) {
	fmt.Fprintf(w, "\nThe API is %s, over PostgreSQL %s (%s).\n\nOpen one of these:\n", at.url, server.Version, server.Source)
	for _, try := range tries {
		fmt.Fprintf(w, "\n  %s\n  %s%s\n", try.shows, at.url, try.request)
	}
	fmt.Fprint(w, "\nWithout a token you see what is published. Ann, Bob and Cleo see their drafts as well:\n")
	fmt.Fprintf(w, "\n  nobody\n  curl -g '%s%s'\n", at.url, drafts)
	for i, person := range sample.People() {
		fmt.Fprintf(w, "\n  %s\n  curl -g -H 'Authorization: Bearer %s' '%s%s'\n", person.Name, g.tokens[i], at.url, drafts)
	}
	fmt.Fprintf(w, "\nAnn writes one more:\n\n  curl -X POST -H 'Authorization: Bearer %s' -H 'Content-Type: application/vnd.api+json' -d '%s' '%s/post'\n", g.tokens[0], draft, at.url)
	fmt.Fprintf(w, "\n%s\n", goodbye(data))
}

// goodbye says how to stop, and what is left then.
func goodbye(data string) string {
	if data == "" {
		return "Ctrl-C stops the server and its database and removes the data."
	}
	return fmt.Sprintf("Ctrl-C stops the server and its database; the data stays in %s.", strings.TrimRight(data, "/"))
}
