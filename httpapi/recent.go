package httpapi

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/parse"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// recent keeps what was made of requests that read: clients ask the same of one
// resource after the other, or of one list again and again. Queries are the
// clients' choice, so only short ones are kept, and the least recently used are
// forgotten. It is safe for concurrent use.
type recent struct {
	reads *lru.Cache[recentKey, recentRead]
}

// What is kept: a few megabytes, and some tens of them if every request asks for
// as many include paths as such a query holds.
const (
	keptReads = 1024
	keptText  = 1024 // bytes of query and id
)

func newRecent() recent {
	reads, err := lru.New[recentKey, recentRead](keptReads)
	if err != nil {
		panic(err) // of sizes below one
	}
	return recent{reads}
}

// A recentKey is all that a plan is made of but for the id in the path. The view
// stands for what the caller may see.
type recentKey struct {
	view              *schema.View
	shape             parse.Shape
	typ, relationship string
	query             string
	cursors           bool // the cursor profile was asked for
}

// A recentRead is a plan for some id, and where its document is served but for
// the path.
type recentRead struct {
	plan *plan.Plan
	at   encode.Address
	typ  string // as links have it
}

func (k recentKey) clone() recentKey {
	k.typ, k.relationship, k.query = strings.Clone(k.typ), strings.Clone(k.relationship), strings.Clone(k.query)
	return k
}

// planned plans a request that reads, and says where its document is served.
func (s *rest) planned(c caller, query string, v visit) (*plan.Plan, encode.Address, error) {
	o, t := v.options(s.plan), v.target
	key := recentKey{c.view, t.Shape, t.Type, t.Relationship, query, o.CursorProfile}
	known, ok := c.recent.reads.Get(key)
	if ok {
		p, err := known.plan.For(t, o)
		t.Type = known.typ
		known.at.Path = t.Path()
		return p, known.at, err
	}
	request, err := parse.Query(t, query, s.parse)
	if err != nil {
		return nil, encode.Address{}, err
	}
	p, err := plan.Build(c.view, request, o)
	if err != nil {
		return nil, encode.Address{}, err
	}
	at := s.address(c.view, request)
	if len(query)+len(t.ID) <= keptText {
		kept := recentRead{plan: p, at: at, typ: typeOf(c.view, t)}
		kept.at.Path = ""
		c.recent.reads.Add(key.clone(), kept)
	}
	return p, at, nil
}
