package blog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Workload is one kind of request. Lists say page[total]=none but for W3t, as
// a count in Postgres would hide what the rest costs.
type Workload struct {
	// Name is short: W1.
	Name string
	// Title says what the request asks for.
	Title string
	// Writes says that it changes rows, as Restore takes back.
	Writes bool

	requests func(Size) []Request
}

// Requests are those that the workload goes through, over and over; the same
// ones every time.
func (w Workload) Requests(s Size) []Request { return w.requests(s) }

// A Request is one of a workload.
type Request struct {
	Method string
	Path   string // below the endpoint, with a leading slash
	Query  string // escaped as clients do, without a question mark; "" for none
	Body   string // "" for none
}

// URI is the request's path from the root of the server, with its query.
func (r Request) URI() string {
	if r.Query == "" {
		return base + r.Path
	}
	return base + r.Path + "?" + r.Query
}

// base is the path of Endpoint.
const base = "/api"

// variants is how many different requests a workload that goes through rows
// has.
const variants = 1024

// Workloads are all of them, in the order in which they are shown.
var Workloads = []Workload{
	{Name: "W1", Title: "one post", requests: single},
	{Name: "W2", Title: "20 posts by -createdAt", requests: list("sort=-createdAt", "page[limit]=20", "page[total]=none")},
	{Name: "W3", Title: "100 posts with author and comments", requests: list("page[limit]=100", "page[total]=none", "include=author,comments")},
	{Name: "W3t", Title: "the same with the exact total", requests: list("page[limit]=100", "include=author,comments")},
	{Name: "W4", Title: "20 posts by author's name and tag, with author, tags, comments.author", requests: list("filter[author][name$contains]=Mar",
		"filter[tags][name]=tag-7", "sort=-createdAt", "page[limit]=20", "page[total]=none", "include=author,tags,comments.author")},
	{Name: "W5", Title: "1000 posts", requests: list("page[limit]=1000", "page[total]=none")},
	{Name: "W6", Title: "create a post", Writes: true, requests: create},
	{Name: "W7", Title: "update a post", Writes: true, requests: update},
}

// Named returns the workload of a name.
func Named(name string) (Workload, bool) {
	i := slices.IndexFunc(Workloads, func(w Workload) bool { return w.Name == name })
	if i < 0 {
		return Workload{}, false
	}
	return Workloads[i], true
}

// single reads one post each, all over the table.
func single(s Size) []Request {
	out := make([]Request, 0, variants)
	for n := int64(1); len(out) < variants; n++ {
		if id := 1 + draw(n, 17)%int64(s.Posts()); visible(id) {
			out = append(out, Request{Method: "GET", Path: "/post/" + strconv.FormatInt(id, 10)})
		}
	}
	return out
}

func list(params ...string) func(Size) []Request {
	query := escape.Replace(strings.Join(params, "&"))
	return func(Size) []Request { return []Request{{Method: "GET", Path: "/post", Query: query}} }
}

var escape = strings.NewReplacer("[", "%5B", "]", "%5D", "$", "%24")

const text = `The oven was warm, and \"nobody waits any more\".\nFlour hung in the light — like weather; a recipe is a promise about time.`

func create(Size) []Request {
	return []Request{{Method: "POST", Path: "/post", Body: `{"data":{"type":"post","attributes":{` +
		`"title":"Rye, slowly","content":"` + text + `","published":true,"createdAt":"2026-01-02T03:04:05.678Z"},` +
		`"relationships":{"author":{"data":{"type":"user","id":` + UserID + `}}}}}`}}
}

// update changes posts of the session's user, one after the other.
func update(s Size) []Request {
	out := make([]Request, min(variants, s.Posts()/ownEvery))
	for i := range out {
		id := strconv.Itoa((i + 1) * ownEvery)
		out[i] = Request{Method: "PATCH", Path: "/post/" + id, Body: fmt.Sprintf(
			`{"data":{"type":"post","id":%s,"attributes":{"title":"Rye, slowly, part %d","content":"%s"}}}`, id, i, text)}
	}
	return out
}

// ownEvery is how far apart the ids of posts by the session's user are.
const ownEvery = 50

// visible reports whether the session may read a post.
func visible(id int64) bool { return id%ownEvery == 0 || draw(id, 8)%10 != 0 }

// draw is the function of that name by which the rows are made.
func draw(n, salt int64) int64 {
	return ((n + salt*7919) * 2654435761 % 4294967291 * 40503 % 4294967279) >> 1
}
