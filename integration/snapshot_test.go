package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/exec"
)

// ledger says three things twice: how many comments a post has, how many posts
// there are, and the sum of what two tables hold. A policy holds every read of
// comments up, so that writers commit between the statements of one document.
const ledger = `
CREATE TABLE post (id int PRIMARY KEY, "commentCount" int NOT NULL, siblings int NOT NULL, balance int NOT NULL);
CREATE TABLE comment (id int PRIMARY KEY, "postId" int NOT NULL REFERENCES post, balance int NOT NULL);
INSERT INTO post SELECT i, 2, 6, 10 FROM generate_series(1, 6) i;
INSERT INTO comment SELECT i, (i + 1) / 2, 10 FROM generate_series(1, 12) i;
CREATE FUNCTION slowly() RETURNS boolean LANGUAGE sql VOLATILE RETURN (SELECT pg_sleep(0.004) IS NOT NULL);
ALTER TABLE comment ENABLE ROW LEVEL SECURITY;
CREATE POLICY slow ON comment USING ((SELECT slowly()));
ALTER TABLE post ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON post USING (true);
`

// turnover is one writer's transaction: a comment moves to another post, an
// amount moves from a post to a comment, a post comes or goes.
const turnover = `
WITH moved AS (
	UPDATE comment SET "postId" = 1 + ("postId" %% 6) WHERE id = %[1]d RETURNING "postId"
)
UPDATE post SET "commentCount" = "commentCount" + CASE WHEN post.id = moved."postId" THEN 1 ELSE -1 END
FROM moved WHERE post.id IN (moved."postId", 1 + ((moved."postId" + 4) %% 6));
UPDATE post SET balance = balance - 1 WHERE id = %[2]d;
UPDATE comment SET balance = balance + 1 WHERE id = %[1]d;
INSERT INTO post SELECT 7, 0, 0, 0 WHERE %[3]t;
DELETE FROM post WHERE id = 7 AND NOT %[3]t;
UPDATE post SET siblings = (SELECT count(*) FROM post);
`

// A writer commits turnovers until it is stopped.
type writer struct {
	commits atomic.Int64
	cancel  context.CancelFunc
	ended   chan error
}

func startWriter(t *testing.T, s *site) *writer {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := &writer{cancel: cancel, ended: make(chan error, 1)}
	go func() {
		defer conn.Close(context.Background())
		for i := 0; ctx.Err() == nil; i++ {
			sql := fmt.Sprintf(turnover, 1+i%12, 1+i%6, i%2 == 0)
			if err := conn.Exec(context.Background(), sql).Close(); err != nil {
				w.ended <- err
				return
			}
			w.commits.Add(1)
		}
		w.ended <- nil
	}()
	return w
}

func (w *writer) stop(t *testing.T) {
	t.Helper()
	w.cancel()
	if err := <-w.ended; err != nil {
		t.Errorf("the writer: %v", err)
	}
}

// TestOneSnapshot reads while a writer commits: page, included resources,
// linkage and total of one document always agree.
func TestOneSnapshot(t *testing.T) {
	for name, keys := range keyForms {
		t.Run(name, func(t *testing.T) {
			readsWhole(t, newSite(t, siteOptions{sql: ledger, keys: keys}))
		})
	}
}

// keyForms are the ways in which include steps learn their keys.
var keyForms = map[string]exec.Keys{"keys in variables": exec.KeysInSession, "keys bound": exec.KeysBound}

func readsWhole(t *testing.T, s *site) {
	t.Helper()
	w := startWriter(t, s)
	defer w.stop(t)
	for n := range 250 {
		before := w.commits.Load()
		doc := s.ledger(t, "/post?include=comments&page[limit]=100")
		if wrong := doc.torn(); wrong != "" {
			t.Fatalf("read %d, during which the writer committed %d times: %s", n, w.commits.Load()-before, wrong)
		}
	}
	if n := w.commits.Load(); n < 250 {
		t.Errorf("the writer committed %d times only: nothing was shown", n)
	}
}

// TestTwoReadsTear shows that the check above would notice: the same facts,
// read by two requests, disagree.
func TestTwoReadsTear(t *testing.T) {
	s := newSite(t, siteOptions{sql: ledger})
	w := startWriter(t, s)
	defer w.stop(t)
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		doc := s.ledger(t, "/post?page[limit]=100")
		linked := s.ledger(t, "/post?include=comments&page[limit]=100")
		for i := range doc.Data {
			if at := slices.IndexFunc(linked.Data, func(p ledgerResource) bool { return p.ID == doc.Data[i].ID }); at >= 0 {
				doc.Data[i].Relationships = linked.Data[at].Relationships
			}
		}
		doc.Included, doc.Meta = linked.Included, linked.Meta
		if doc.torn() != "" {
			return
		}
	}
	t.Error("two requests always agreed, so the check shows nothing")
}

// ledgerDocument is what the tests read of a document.
type ledgerDocument struct {
	Data, Included []ledgerResource
	Meta           struct{ Total int }
}

type ledgerResource struct {
	ID         int
	Attributes struct {
		CommentCount, Siblings, Balance int
		PostID                          int `json:"postId"`
	}
	Relationships struct {
		Comments struct{ Data []struct{ ID int } }
	}
}

func (s *site) ledger(t *testing.T, path string) *ledgerDocument {
	t.Helper()
	resp, body := s.request(t, people["reader"], path)
	var doc ledgerDocument
	if err := json.Unmarshal(body, &doc); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v\n%s", path, resp.StatusCode, err, body)
	}
	return &doc
}

// torn says how the parts of a document disagree.
func (d *ledgerDocument) torn() string {
	sum := 0
	for _, p := range d.Data {
		sum += p.Attributes.Balance
		if linked := len(p.Relationships.Comments.Data); linked != p.Attributes.CommentCount {
			return fmt.Sprintf("post %d says that it has %d comments, %d are linked", p.ID, p.Attributes.CommentCount, linked)
		}
		if p.Attributes.Siblings != d.Meta.Total || len(d.Data) != d.Meta.Total {
			return fmt.Sprintf("post %d says that there are %d posts, there are %d on the page and %d in total", p.ID, p.Attributes.Siblings, len(d.Data), d.Meta.Total)
		}
	}
	for _, c := range d.Included {
		sum += c.Attributes.Balance
	}
	if sum != 6*10+12*10 {
		return fmt.Sprintf("the balances sum up to %d", sum)
	}
	return ""
}
