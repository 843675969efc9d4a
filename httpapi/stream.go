package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/plan"
)

// defaultStreamTimeout is long for a client that reads at all.
const defaultStreamTimeout = 30 * time.Second

// stream answers with a document that is sent while its rows come, so that there
// may be any number of them. One that is small is sent as any other, and whatever
// goes wrong before the first piece is sent has an answer of its own. After that
// the connection is cut.
func (s *rest) stream(c caller, r *http.Request, at encode.Address, p *plan.Plan, out *response) error {
	to := &stream{out: out, head: r.Method == http.MethodHead, timeout: s.streamTimeout, control: http.NewResponseController(out.exchange.w)}
	document := s.encoder.Stream(to, at, p)
	defer document.Close()
	err := c.stream(r.Context(), p, document)
	switch {
	case errors.Is(err, errHead):
		return nil
	case err != nil:
		return err
	default:
		return to.end()
	}
}

// gather answers with a document that is written while its rows come, and is sent
// once it is whole.
func (s *rest) gather(c caller, r *http.Request, at encode.Address, p *plan.Plan, out *response) error {
	document := s.encoder.Gather(out.body, at, p)
	defer document.Close()
	if err := c.stream(r.Context(), p, document); err != nil {
		return err
	}
	out.body = document.Text()
	return nil
}

// errHead ends the reading of an answer to HEAD: its head has been sent.
var errHead = errors.New("the answer has no body")

// A stream is where a document is written piece by piece. The first piece is
// kept: it may be all.
type stream struct {
	out     *response
	head    bool
	timeout time.Duration
	control *http.ResponseController
}

// Write takes a piece, which is whole: documents come in pieces of some size, but
// for the last.
func (st *stream) Write(piece []byte) (int, error) {
	if x := st.out.exchange; !x.sent {
		if len(st.out.body) == 0 {
			st.out.body = append(st.out.body, piece...)
			return len(piece), nil
		}
		x.sent = true
		st.out.writeHead(x.w, unknownLength)
		if st.head {
			return 0, errHead
		}
		if _, err := st.send(st.out.body); err != nil {
			return 0, err
		}
	}
	return st.send(piece)
}

// send sends a piece, which the client has some time to read.
func (st *stream) send(piece []byte) (n int, err error) {
	err = st.timely(func() (err error) {
		n, err = st.out.exchange.w.Write(piece)
		return err
	})
	return n, err
}

// end sends what is left of pieces that were sent.
func (st *stream) end() error {
	if !st.out.exchange.sent {
		return nil
	}
	return st.timely(st.control.Flush)
}

// timely sends something before a deadline, which is taken back: Postgres may take
// its time until the next piece, HTTP/2 resets a stream whose deadline passes even
// where nothing is being sent, and the connection serves on. A ResponseWriter that
// knows no deadlines leaves that to its server.
func (st *stream) timely(send func() error) error {
	for _, step := range []func() error{
		func() error { return st.control.SetWriteDeadline(time.Now().Add(st.timeout)) },
		send,
		func() error { return st.control.SetWriteDeadline(time.Time{}) },
	} {
		if err := step(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return &unsent{err}
		}
	}
	return nil
}

// An unsent is why a piece of an answer did not reach the client.
type unsent struct{ cause error }

func (e *unsent) Error() string { return fmt.Sprintf("send the answer: %v", e.cause) }
func (e *unsent) Unwrap() error { return e.cause }

// cut ends an answer that has been sent in part: the connection is aborted, and
// the client cannot take what it has for all.
func (x *exchange) cut(err error) {
	_, unsent := errors.AsType[*unsent](err)
	switch {
	case unsent && errors.Is(err, os.ErrDeadlineExceeded):
		x.log(slog.LevelInfo, "client too slow")
	case unsent, x.left():
		x.log(slog.LevelInfo, "client left")
	default:
		_, objects := x.host.style.spell(jsonapi.AsErrors(err))
		x.logErrors(objects, err)
		x.log(slog.LevelError, "answer cut")
	}
	panic(http.ErrAbortHandler)
}
