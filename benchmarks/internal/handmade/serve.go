package handmade

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const (
	collection = "/api/post"
	everything = "/api/comment"
)

func (s *Site) serve(a *answer, w http.ResponseWriter, r *http.Request) error {
	path := r.URL.Path
	if path == everything && r.Method == http.MethodGet {
		return s.stream(a, w, r)
	}
	if path == collection {
		switch r.Method {
		case http.MethodGet:
			return s.list(a, w, r)
		case http.MethodPost:
			return s.create(a, w, r)
		}
		return errNotFound
	}
	id, ok := strings.CutPrefix(path, collection+"/")
	if !ok {
		return errNotFound
	}
	n, err := strconv.ParseInt(id, 10, 32)
	if err != nil {
		return errNotFound
	}
	switch r.Method {
	case http.MethodGet:
		return s.single(a, w, r, int32(n))
	case http.MethodPatch:
		return s.update(a, w, r, int32(n))
	}
	return errNotFound
}

// A query is what the parameters of a list say.
type query struct {
	name, tag                   string // that authors' names contain; of a tag
	sort, limit, total, include string
}

// readQuery reads the parameters of a list.
func readQuery(raw string) (query, error) {
	var q query
	for raw != "" {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		key, value, _ := strings.Cut(part, "=")
		key, err := url.QueryUnescape(key)
		if err != nil {
			return q, errUnknown
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return q, errUnknown
		}
		switch key {
		case "filter[author][name$contains]":
			q.name = value
		case "filter[tags][name]":
			q.tag = value
		case "sort":
			q.sort = value
		case "page[limit]":
			q.limit = value
		case "page[total]":
			q.total = value
		case "include":
			q.include = value
		default:
			return q, errUnknown
		}
	}
	return q, nil
}

// list finds the handler of a list by what is asked for.
func (s *Site) list(a *answer, w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r.URL.RawQuery)
	if err != nil {
		return err
	}
	filtered := q.name != "" || q.tag != ""
	switch {
	case filtered && q.sort == "-createdAt" && q.limit == "20" && q.total == "none" && q.include == "author,tags,comments.author":
		return s.found(a, w, r, q)
	case filtered:
		return errUnknown
	case q.sort == "-createdAt" && q.limit == "20" && q.total == "none" && q.include == "":
		return s.plain(a, w, r, page{newestPosts, 20, "sort=-createdAt&", "page%5Blimit%5D=20", "&page%5Btotal%5D=none"})
	case q.sort == "" && q.limit == "1000" && q.total == "none" && q.include == "":
		return s.plain(a, w, r, page{firstPosts, 1000, "", "page%5Blimit%5D=1000", "&page%5Btotal%5D=none"})
	case q.sort == "" && q.limit == "100" && q.total == "none" && q.include == "author,comments":
		return s.commented(a, w, r, page{postsWithAuthors, 100, "", "page%5Blimit%5D=100", "&page%5Btotal%5D=none&include=author,comments"})
	case q.sort == "" && q.limit == "100" && q.total == "" && q.include == "author,comments":
		return s.counted(a, w, r, page{postsWithAuthors, 100, "", "page%5Blimit%5D=100", "&include=author,comments"})
	default:
		return errUnknown
	}
}

// A page is a list and how its links are spelled.
type page struct {
	statement          statement
	limit              int
	before, size, rest string // parameters, in the order of links
}
