package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/httpapi"
)

// measured has 20,000 rows of some 600 bytes. Reading the 15,000th waits for
// whoever holds the lock 7; that of the flawed one with the same id fails.
// Statistics are whole, as autovacuum leaves the tables alone: otherwise a plan that
// sorts, and so reads all rows first, may be the cheaper one for a while.
const measured = `
CREATE TABLE measure (id int PRIMARY KEY, at timestamptz, text text) WITH (autovacuum_enabled = off);
INSERT INTO measure SELECT i, '2026-01-02T03:04:05Z', repeat('x', 600) FROM generate_series(1, 20000) i;
CREATE FUNCTION held() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN true; END $$;
ALTER TABLE measure ENABLE ROW LEVEL SECURITY;
CREATE POLICY waits ON measure USING (id <> 15000 OR held());
CREATE TABLE flawed (id int PRIMARY KEY, text text) WITH (autovacuum_enabled = off);
INSERT INTO flawed SELECT id, text FROM measure;
ALTER TABLE flawed ENABLE ROW LEVEL SECURITY;
CREATE POLICY fails ON flawed USING (1 / (15000 - id) IS NOT NULL);
CREATE TABLE few (id int PRIMARY KEY, at timestamptz);
INSERT INTO few VALUES (1, '2026-01-02T03:04:05Z');
ANALYZE measure, flawed;
`

var unlimited = httpapi.RESTOptions{PageSize: httpapi.Unlimited}

func newMeasured(t *testing.T, o httpapi.RESTOptions) *site {
	return newSite(t, siteOptions{sql: measured, rest: o, config: connections(1)})
}

// open sends a request as the reader, and gives back the answer with its body to
// be read.
func (s *site) open(t *testing.T, method, path string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.server.URL+"/api"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(callerHeader, people["reader"].encoded(t))
	resp, err := s.server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// TestUnlimitedPage reads a document that is sent while its rows come: the first
// of them arrive while another has to wait. Its length is not known, and it has
// no entity tag.
func TestUnlimitedPage(t *testing.T) {
	s := newMeasured(t, unlimited)
	holder := s.owner(t)
	defer holder.Close(context.Background())
	if err := holder.Exec(t.Context(), "SELECT pg_advisory_lock(7)").Close(); err != nil {
		t.Fatal(err)
	}
	resp := s.open(t, http.MethodGet, "/measure")
	if resp.StatusCode != http.StatusOK || resp.ContentLength != -1 || resp.Header.Get("Etag") != "" || resp.Header.Get("Content-Type") != "application/vnd.api+json" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	first := make([]byte, 1<<20)
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	if err := holder.Exec(t.Context(), "SELECT pg_advisory_unlock(7)").Close(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Data []struct{ ID int }
		Meta struct {
			Total         int
			Serialization struct{ Values map[string]any }
		}
		Links map[string]any
	}
	if err := json.Unmarshal(append(first, rest...), &d); err != nil {
		t.Fatal(err)
	}
	for i, r := range d.Data {
		if r.ID != i+1 {
			t.Fatalf("row %d has the id %d", i, r.ID)
		}
	}
	if len(d.Data) != 20_000 || d.Meta.Total != 20_000 || len(d.Meta.Serialization.Values) != 20_000 || len(d.Links) != 1 {
		t.Errorf("%d rows, total %d, %d annotations, links %v", len(d.Data), d.Meta.Total, len(d.Meta.Serialization.Values), d.Links)
	}
}

// TestSmallUnlimitedPage reads documents of one piece: they are sent as any other,
// and faults have an answer.
func TestSmallUnlimitedPage(t *testing.T) {
	s := newMeasured(t, unlimited)
	for path, want := range map[string]string{
		"/few": `200 {"jsonapi":{"version":"1.1"},"data":[{"type":"few","id":1,"attributes":{"at":"2026-01-02T03:04:05.000Z"},"links":{"self":"http://test/api/few/1"}}],` +
			`"links":{"self":"http://test/api/few"},"meta":{"total":1,"serialization":{"values":{"data.0.attributes.at":["Date"]}}}}`,
		"/few?filter[id]=2": `200 {"jsonapi":{"version":"1.1"},"data":[],"links":{"self":"http://test/api/few?filter%5Bid%5D=2"},"meta":{"total":0}}`,
		"/flawed?filter[id$gte]=14990&filter[id$lte]=15010": `400 {"errors":[{"code":"query-error"`,
	} {
		resp := s.open(t, http.MethodGet, path)
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSuffix(resp.Status[:4], " ") + " " + string(body)
		if !strings.HasPrefix(got, want) || resp.ContentLength != int64(len(body)) {
			t.Errorf("%s: length %d\n%s\nwant\n%s", path, resp.ContentLength, got, want)
		}
	}
}

// TestUnlimitedPageFails has a row fail after others were sent: the connection is
// cut, and what the client has is no JSON. The pool serves on.
func TestUnlimitedPageFails(t *testing.T) {
	s := newMeasured(t, unlimited)
	resp := s.open(t, http.MethodGet, "/flawed")
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || !errors.Is(err, io.ErrUnexpectedEOF) || len(body) < 1<<20 || json.Valid(body) {
		t.Errorf("%d, %d bytes, %v", resp.StatusCode, len(body), err)
	}
	s.get(t, "reader", "/few")
}

// TestSlowReader leaves an answer unread: it is cut, and its connection to the
// database serves others.
func TestSlowReader(t *testing.T) {
	s := newMeasured(t, httpapi.RESTOptions{PageSize: httpapi.Unlimited, StreamTimeout: 500 * time.Millisecond})
	resp := s.open(t, http.MethodGet, "/measure")
	s.get(t, "reader", "/few") // waits for the one connection
	body, err := io.ReadAll(resp.Body)
	if err == nil || json.Valid(body) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// TestReaderLeaves goes away in the middle of an answer.
func TestReaderLeaves(t *testing.T) {
	s := newMeasured(t, unlimited)
	for range 3 {
		resp := s.open(t, http.MethodGet, "/measure")
		if _, err := io.ReadFull(resp.Body, make([]byte, 100_000)); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		s.get(t, "reader", "/few")
	}
}

// TestUnlimitedHead asks for the head alone.
func TestUnlimitedHead(t *testing.T) {
	s := newMeasured(t, unlimited)
	for path, length := range map[string]int64{"/measure": -1, "/few": 267} {
		resp := s.open(t, http.MethodHead, path)
		if body, err := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK || resp.ContentLength != length || len(body) > 0 || err != nil {
			t.Errorf("%s: %d, length %d, %d bytes, %v", path, resp.StatusCode, resp.ContentLength, len(body), err)
		}
	}
	s.get(t, "reader", "/few")
}

// TestConnectionServesOn sends two answers over one connection, the first of them
// in pieces, and takes longer between them than a piece may take.
func TestConnectionServesOn(t *testing.T) {
	const timeout = 500 * time.Millisecond
	s := newMeasured(t, httpapi.RESTOptions{PageSize: httpapi.Unlimited, StreamTimeout: timeout})
	if _, err := io.Copy(io.Discard, s.open(t, http.MethodGet, "/measure").Body); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * timeout)
	s.get(t, "reader", "/few")
}

// A sink takes an answer and watches the heap.
type sink struct {
	header http.Header
	bytes  int
	last   []byte
	heap   uint64
}

func (s *sink) Header() http.Header { return s.header }
func (s *sink) WriteHeader(int)     {}
func (s *sink) Write(p []byte) (int, error) {
	s.bytes += len(p)
	s.last = append(s.last[:0], p...)
	if s.bytes>>24 != (s.bytes-len(p))>>24 { // every 16 MiB
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.heap = max(s.heap, m.HeapAlloc)
	}
	return len(p), nil
}

// TestMillionRows reads a million of them, in process, in bounded memory: what is
// annotated among them is told at the end.
func TestMillionRows(t *testing.T) {
	s := newSite(t, siteOptions{rest: unlimited, sql: `
CREATE TABLE number (id int PRIMARY KEY, n bigint, at timestamptz);
INSERT INTO number SELECT i, CASE WHEN i % 3 > 0 THEN i END, '2026-01-02T03:04:05Z' FROM generate_series(1, 1000000) i;
`})
	style, err := httpapi.REST(httpapi.RESTOptions{Endpoint: endpoint, PageSize: httpapi.Unlimited})
	if err != nil {
		t.Fatal(err)
	}
	host, err := httpapi.NewHost(httpapi.HostOptions{Handler: style, Schema: s.schema, Client: func(*http.Request) (exec.Client, error) {
		return s.db.As(exec.Session{Role: "reader"}), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/api/number", nil)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	w := &sink{header: make(http.Header)}
	host.ServeHTTP(w, r)
	const end = `"data.999999.attributes.n":["bigint"],"data.999999.attributes.at":["Date"]}}}}`
	if !bytes.HasSuffix(w.last, []byte(end)) {
		t.Errorf("the end is %s", w.last[max(0, len(w.last)-200):])
	}
	if w.bytes < 150<<20 || w.heap > 64<<20 {
		t.Errorf("%d MiB of document with a heap of %d MiB", w.bytes>>20, w.heap>>20)
	}
	t.Logf("%d MiB of document with a heap of up to %d MiB", w.bytes>>20, w.heap>>20)
}

// TestUnlimitedPageOverHTTP2 has Postgres take longer between two pieces than a
// client may take to read one: a deadline that passes then ends nothing. A row
// that fails resets the stream.
func TestUnlimitedPageOverHTTP2(t *testing.T) {
	const timeout = 500 * time.Millisecond
	s := newMeasured(t, httpapi.RESTOptions{PageSize: httpapi.Unlimited, StreamTimeout: timeout})
	secure := httptest.NewUnstartedServer(s.server.Config.Handler)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(secure.Close)
	s.server = secure
	holder := s.owner(t)
	defer holder.Close(context.Background())
	if err := holder.Exec(t.Context(), "SELECT pg_advisory_lock(7)").Close(); err != nil {
		t.Fatal(err)
	}
	resp := s.open(t, http.MethodGet, "/measure")
	if _, err := io.ReadFull(resp.Body, make([]byte, 1<<20)); err != nil || resp.ProtoMajor != 2 {
		t.Fatalf("%s: %v", resp.Proto, err)
	}
	go func() {
		time.Sleep(3 * timeout)
		_ = holder.Exec(context.Background(), "SELECT pg_advisory_unlock(7)").Close()
	}()
	if n, err := io.Copy(io.Discard, resp.Body); err != nil || n < 10<<20 {
		t.Errorf("%d more bytes, %v", n, err)
	}
	s.get(t, "reader", "/few")
	body, err := io.ReadAll(s.open(t, http.MethodGet, "/flawed").Body)
	if err == nil || len(body) < 1<<20 || json.Valid(body) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	s.get(t, "reader", "/few")
}
