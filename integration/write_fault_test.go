package integration

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// added are the names of tags that a test has created.
const added = `SELECT count(*) || ' ' || count(DISTINCT name) FROM tag WHERE name LIKE 'new %'`

func newTag(n int) string {
	return fmt.Sprintf(`{"data": {"type": "tag", "attributes": {"name": "new %d"}}}`, n)
}

// TestIdleConnectionsDie kills every backend of a pool before a write: it is
// done, and once.
func TestIdleConnectionsDie(t *testing.T) {
	s := newLibrary(t, "", connections(4))
	const times = 12
	for n := range times {
		s.fill(t)
		s.answer(t, "GET /author", "")
		s.killBackends(t)
		if n%4 == 3 {
			time.Sleep(idleTime) // as long as it takes to distrust a connection
		}
		if got := s.answer(t, "POST /tag", newTag(n)); got.status != http.StatusCreated {
			t.Errorf("write %d: %v", n, got)
		}
	}
	if got, want := s.rows(t, added), fmt.Sprintf("%d %[1]d\n", times); got != want {
		t.Errorf("%swant %s", got, want)
	}
}

const idleTime = 1100 * time.Millisecond

// TestBackendDiesInAWrite kills the backend of a write that waits for a lock. The
// server says so itself, so nothing is in doubt.
func TestBackendDiesInAWrite(t *testing.T) {
	s := newLibrary(t, "", connections(2))
	before := s.rows(t, dumped)
	for _, a := range []string{
		`PATCH /author/1 {"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`,
		`DELETE /author/1 `,
		`POST /operations {"atomic:operations": [
			{"op": "add", "data": {"type": "tag", "attributes": {"name": "new"}}},
			{"op": "remove", "ref": {"type": "book", "id": 9}},
			{"op": "update", "data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}]}`,
		`PATCH /author/1?include=books {"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`,
	} {
		block := s.block(t, lock1)
		request, body := requestOf(a)
		coming := s.begin(t, 1, ask{who: people["reader"], request: request, body: body})
		s.asOwner(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
		got := <-coming
		block.end(t, "")
		unavailable(t, request, got, "database-unavailable")
		if after := s.rows(t, dumped); after != before {
			t.Fatalf("%s: left something:\n%s", request, after)
		}
	}
	if got := s.answer(t, "POST /tag", newTag(1)); got.status != http.StatusCreated {
		t.Errorf("afterwards: %v", got)
	}
}

// unavailable checks a 503.
func unavailable(t *testing.T, request string, got *reply, code string) {
	t.Helper()
	if got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, `"code":"`+code+`"`) || got.header.Get("Retry-After") == "" {
		t.Errorf("%s: want 503 %s with Retry-After, got %v\n%v", request, code, got, got.header)
	}
	if code != "outcome-unknown" { // it speaks of the connection, which discreet would not
		discreet(t, []byte(got.body))
	}
}

// A wire is a connection to Postgres that breaks at one point of a request.
type wire struct {
	net.Conn
	fault *fault
	sent  bool
}

// A fault is where the next wire breaks that is used.
type fault struct{ at atomic.Int32 }

const (
	sound    int32 = iota
	unsent         // nothing can be sent
	halfSent       // half of a message can
	unheard        // Postgres answers, and nothing of it arrives
	hungUp         // as unheard, of the second answer
)

func (w *wire) Write(b []byte) (int, error) {
	switch at := w.fault.at.Load(); at {
	case unsent, halfSent:
		w.fault.at.Store(sound)
		n := 0
		if at == halfSent {
			n, _ = w.Conn.Write(b[:len(b)/2])
		}
		w.Conn.Close()
		return n, net.ErrClosed
	default:
		w.sent = true
		return w.Conn.Write(b)
	}
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if at := w.fault.at.Load(); err == nil && w.sent {
		switch at {
		case unheard:
			w.fault.at.Store(sound)
			w.Conn.Close()
			return 0, net.ErrClosed
		case hungUp:
			w.fault.at.Store(unheard)
			w.sent = false
		}
	}
	return n, err
}

// over has a pool connect over wires.
func (f *fault) over(configure func(*pgxpool.Config)) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) {
		configure(c)
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &wire{Conn: conn, fault: f}, nil
		}
	}
}

// TestConnectionBreaks cuts the connection at each point of a write, and looks
// whether it was done. Nobody is told that it was where it was not, or the other
// way about.
func TestConnectionBreaks(t *testing.T) {
	f := new(fault)
	s := newLibrary(t, "", f.over(single))
	for _, c := range []struct {
		name    string
		at      int32
		request string
		status  int
		code    string
		done    bool
	}{
		{"unsent", unsent, "POST /tag", http.StatusCreated, "", true},
		{"half sent", halfSent, "POST /tag", http.StatusServiceUnavailable, "outcome-unknown", false},
		{"unheard", unheard, "POST /tag", http.StatusServiceUnavailable, "outcome-unknown", true},
		{"half sent, answer counted first", halfSent, "POST /tag?include=books", http.StatusServiceUnavailable, "database-unavailable", false},
		{"unheard, answer counted first", unheard, "POST /tag?include=books", http.StatusServiceUnavailable, "database-unavailable", false},
		{"end unheard, answer counted first", hungUp, "POST /tag?include=books", http.StatusServiceUnavailable, "outcome-unknown", true},
	} {
		for _, warm := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, warm %v", c.name, warm), func(t *testing.T) {
				if !warm {
					s.pool.Reset()
				}
				s.answer(t, "GET /tag/1", "")
				if warm {
					s.answer(t, c.request, `{"data": {"type": "tag"}}`)
				}
				f.at.Store(c.at)
				got := s.answer(t, c.request, newTag(1))
				f.at.Store(sound)
				if c.code != "" {
					unavailable(t, c.request, got, c.code)
				} else if got.status != c.status {
					t.Errorf("%v", got)
				}
				want := "0 0\n"
				if c.done {
					want = "1 1\n"
				}
				if rows := s.rows(t, added); rows != want {
					t.Errorf("there is %swant %s", rows, want)
				}
				s.asOwner(t, "DELETE FROM tag WHERE name LIKE 'new %'")
			})
		}
	}
}

// TestDeadlocks has pairs of clients take two rows in opposite order. Postgres
// ends one of each pair, which is tried again.
func TestDeadlocks(t *testing.T) {
	s := newLibrary(t, `
CREATE SEQUENCE updates;
CREATE FUNCTION count_update() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN PERFORM nextval(''updates''); RETURN new; END';
CREATE TRIGGER counted BEFORE UPDATE ON author FOR EACH ROW EXECUTE FUNCTION count_update();
`, connections(4))
	s.set(t, "deadlock_timeout", "50ms")
	for range 3 {
		block := s.block(t, "SELECT FROM author WHERE id IN (3, 4) FOR UPDATE")
		there := s.begin(t, 1, ask{who: people["reader"], request: "POST /operations", body: renames(1, 3, 2)})
		back := s.begin(t, 2, ask{who: people["reader"], request: "POST /operations", body: renames(2, 4, 1)})
		block.end(t, "")
		for _, coming := range []<-chan *reply{there, back} {
			if got := <-coming; got.status != http.StatusOK {
				t.Errorf("%v", got)
			}
		}
	}
	if got := s.rows(t, "SELECT last_value > 3 * 6 FROM updates"); got != "t\n" {
		t.Error("nothing was tried twice, so there was no deadlock")
	}
	if got := s.rows(t, "SELECT count(*) FROM author WHERE name LIKE 'changed%'"); got != "4\n" {
		t.Errorf("%s authors were changed", got)
	}
}

// renames updates authors in this order.
func renames(ids ...int) string {
	operations := make([]string, len(ids))
	for i, id := range ids {
		operations[i] = fmt.Sprintf(`{"op": "update", "data": {"type": "author", "id": %d, "attributes": {"name": "changed %[1]d"}}}`, id)
	}
	return `{"atomic:operations": [` + strings.Join(operations, ", ") + `]}`
}

// set sets a setting for connections to come.
func (s *site) set(t *testing.T, setting, value string) {
	t.Helper()
	s.asOwner(t, fmt.Sprintf("DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I SET %s TO %%L', current_database(), '%s'); END $$", setting, value))
	s.pool.Reset()
}

// TestWritesAreTriedAgain has Postgres ask for another try, some times.
func TestWritesAreTriedAgain(t *testing.T) {
	s := newLibrary(t, `
CREATE SEQUENCE tries;
CREATE TABLE recovers (after int);
INSERT INTO recovers VALUES (0);
CREATE FUNCTION conflicts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF nextval('tries') < (SELECT after FROM recovers) THEN
		RAISE serialization_failure;
	END IF;
	RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON tag DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION conflicts();
`, single)
	for _, c := range []struct {
		after, status, tries int
		done                 string
	}{
		{1, http.StatusCreated, 1, "1 1\n"},
		{2, http.StatusCreated, 2, "1 1\n"},
		{4, http.StatusCreated, 4, "1 1\n"},
		{99, http.StatusServiceUnavailable, 4, "0 0\n"},
	} {
		s.asOwner(t, fmt.Sprintf("UPDATE recovers SET after = %d; SELECT setval('tries', 1, false)", c.after))
		got := s.answer(t, "POST /tag", newTag(1))
		if got.status != c.status {
			t.Errorf("recovers after %d: %v", c.after, got)
		}
		if c.status == http.StatusServiceUnavailable {
			unavailable(t, "POST /tag", got, "database-unavailable")
		}
		if rows := s.rows(t, "SELECT last_value FROM tries"); rows != fmt.Sprintf("%d\n", c.tries) {
			t.Errorf("recovers after %d: %stries, want %d", c.after, rows, c.tries)
		}
		if rows := s.rows(t, added); rows != c.done {
			t.Errorf("recovers after %d: there is %swant %s", c.after, rows, c.done)
		}
		s.asOwner(t, "DELETE FROM tag WHERE name LIKE 'new %'")
	}
}

// TestStricterDatabases writes where transactions are stricter by default: two
// updates of one row do not fail on that account.
func TestStricterDatabases(t *testing.T) {
	for _, isolation := range []string{"serializable", "repeatable read"} {
		s := newLibrary(t, "", connections(4))
		s.set(t, "default_transaction_isolation", isolation)
		block := s.block(t, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; UPDATE author SET version = 1 WHERE id = 1; UPDATE book SET isbn = NULL WHERE id = 4")
		first := s.begin(t, 1, ask{who: people["reader"], request: "PATCH /author/1", body: `{"data": {"type": "author", "id": 1, "attributes": {"name": "changed"}}}`})
		second := s.begin(t, 2, ask{who: people["reader"], request: "DELETE /author/2/relationships/books", body: identifiers("book", 4)})
		third := s.begin(t, 3, ask{who: people["reader"], request: "PATCH /book/4", body: `{"data": {"type": "book", "id": 4, "attributes": {"title": "changed"}}}`})
		block.end(t, "COMMIT")
		expect(t, "PATCH", <-first, `200 "version":1`)
		expect(t, "DELETE", <-second, "200")
		expect(t, "PATCH", <-third, "200")
	}
}

// TestLockTimeout waits for a lock no longer than the database lets it.
func TestLockTimeout(t *testing.T) {
	s := newLibrary(t, "", connections(2))
	s.set(t, "lock_timeout", "100ms")
	block := s.block(t, lock1)
	defer block.end(t, "")
	unavailable(t, "DELETE", s.answer(t, "DELETE /author/1", ""), "database-unavailable")
}

// TestReadOnlyDatabases writes where nothing may be written: after a failover, or
// where the house has said so.
func TestReadOnlyDatabases(t *testing.T) {
	s := newLibrary(t, "", connections(2))
	before := s.rows(t, dumped)
	s.set(t, "default_transaction_read_only", "on")
	for _, c := range changes {
		got := s.answer(t, c.request, c.body)
		unavailable(t, c.request, got, "database-unavailable")
		if !strings.Contains(got.body, `"ormCode":"25006"`) {
			t.Errorf("%s: no ormCode: %v", c.request, got)
		}
	}
	if after := s.rows(t, dumped); after != before {
		t.Errorf("left something:\n%s", after)
	}
	if got := s.answer(t, "GET /author/1", ""); got.status != http.StatusOK {
		t.Errorf("a read: %v", got)
	}
}

// TestClientLeavesAWrite has clients leave in the middle of operations: all of
// them were done, or none.
func TestClientLeavesAWrite(t *testing.T) {
	s := newLibrary(t, "", connections(2))
	block := s.block(t, lock1)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := s.perform(ctx, t, ask{who: people["reader"], request: "POST /operations", body: renames(2, 3, 1, 4)})
		left <- err
	}()
	s.waits(t, 1)
	leave()
	if err := <-left; err == nil {
		t.Error("the request was answered")
	}
	s.waits(t, 0)
	block.end(t, "")
	if got := s.rows(t, "SELECT count(*) FROM author WHERE name LIKE 'changed%'"); got != "0\n" {
		t.Errorf("%s of the operations were done", got)
	}
	for n := range 60 {
		ctx, leave := context.WithTimeout(t.Context(), time.Duration(n)*200*time.Microsecond)
		_, err := s.perform(ctx, t, ask{who: people["reader"], request: "POST /operations", body: renames(1, 2, 3, 4)})
		leave()
		s.pause(t)
		if got := s.rows(t, "SELECT count(*) FROM author WHERE name LIKE 'changed%'"); got != "0\n" && got != "4\n" || err == nil && got != "4\n" {
			t.Errorf("%s of 4 operations were done, %v", got, err)
		}
		s.asOwner(t, "CALL fill()")
	}
	s.leavesNothing(t)
}

// pause waits until no request runs in the database any more.
func (s *site) pause(t *testing.T) {
	t.Helper()
	conn := s.owner(t)
	defer conn.Close(context.Background())
	if !eventually(t, conn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()", 0) {
		t.Error("requests go on")
	}
}
