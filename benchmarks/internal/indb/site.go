package indb

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// statements are the prepared ones, by the query that they answer.
var statements = map[string]string{
	"session":   session,
	"single":    single,
	"newest":    newest.sql(),
	"many":      many.sql(),
	"commented": commented.sql(),
	"counted":   counted.sql(),
	"found":     found.sql(),
}

// A Site is the handler with its pool.
type Site struct{ Pool *pgxpool.Pool }

// Open connects to an installed data set.
func Open(ctx context.Context, config *pgxpool.Config) (*Site, error) {
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	config.AfterConnect = prepare
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the site in Postgres: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the site in Postgres: %w", err)
	}
	return &Site{pool}, nil
}

// Close closes the pool.
func (s *Site) Close() { s.Pool.Close() }

func prepare(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "SET ROLE "+blog.Role); err != nil {
		return err
	}
	for name, sql := range statements {
		if _, err := conn.PgConn().Prepare(ctx, name, sql, nil); err != nil {
			return fmt.Errorf("prepare the statement %s: %w", name, err)
		}
	}
	_, err := conn.Exec(ctx, "RESET ROLE")
	return err
}

var errNotFound = errors.New("there is no such document")

// ServeHTTP answers one request.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, params, err := route(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if err := s.answer(w, r, name, params); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// route finds the statement of a request and its parameters.
func route(r *http.Request) (name string, params [][]byte, err error) {
	if r.Method != http.MethodGet {
		return "", nil, errNotFound
	}
	if id, ok := strings.CutPrefix(r.URL.Path, "/api/post/"); ok {
		return "single", [][]byte{[]byte(id)}, nil
	}
	if r.URL.Path != "/api/post" {
		return "", nil, errNotFound
	}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", nil, err
	}
	switch shape := q.Get("sort") + " " + q.Get("page[limit]") + " " + q.Get("page[total]") + " " + q.Get("include"); shape {
	case "-createdAt 20 none ":
		return "newest", nil, nil
	case " 1000 none ":
		return "many", nil, nil
	case " 100 none author,comments":
		return "commented", nil, nil
	case " 100  author,comments":
		return "counted", nil, nil
	case "-createdAt 20 none author,tags,comments.author":
		tag, name := q.Get("filter[tags][name]"), q.Get("filter[author][name$contains]")
		filters := "filter%5Bauthor%5D%5Bname$contains%5D=" + url.QueryEscape(name) +
			"&filter%5Btags%5D%5Bname%5D=" + url.QueryEscape(tag) + "&sort=-createdAt&"
		return "found", [][]byte{[]byte(tag), []byte("%" + literal.Replace(name) + "%"), []byte(filters)}, nil
	default:
		return "", nil, errNotFound
	}
}

// literal takes the wildcards of LIKE as they are.
var literal = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// answer runs the statement and sends its one cell, as long as the row lasts.
func (s *Site) answer(w http.ResponseWriter, r *http.Request, name string, params [][]byte) error {
	conn, err := s.Pool.Acquire(r.Context())
	if err != nil {
		return err
	}
	defer conn.Release()
	p := conn.Conn().PgConn().StartPipeline(r.Context())
	p.SendQueryPrepared("session", [][]byte{[]byte(blog.UserID), []byte(blog.TenantID), []byte(blog.Role)}, nil, nil)
	p.SendQueryPrepared(name, params, nil, nil)
	if err := p.Sync(); err != nil {
		return err
	}
	for last := range 2 {
		results, err := p.GetResults()
		if err != nil {
			return errors.Join(err, p.Close())
		}
		rows := results.(*pgconn.ResultReader)
		for rows.NextRow() {
			if last == 1 {
				send(w, rows.Values())
			}
		}
		if _, err := rows.Close(); err != nil {
			return errors.Join(err, p.Close())
		}
	}
	return p.Close()
}

// send sends the document of a row, whose second cell is the row's digest.
func send(w http.ResponseWriter, row [][]byte) {
	h := w.Header()
	h["Content-Type"] = []string{"application/vnd.api+json"}
	h["X-Content-Type-Options"] = []string{"nosniff"}
	h["Vary"] = []string{"Accept"}
	h["X-Request-Id"] = []string{rand.Text()}
	h["Content-Length"] = []string{strconv.Itoa(len(row[0]))}
	if len(row) > 1 {
		sum := sha256.Sum256(row[0])
		h["Etag"] = []string{`"` + string(row[1]) + "-" + hex.EncodeToString(sum[:16]) + `"`}
	}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(row[0]) // that the client has left is no error of ours
}
