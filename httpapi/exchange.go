package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/resourcery/resourcery/jsonapi"
)

// loggedPath bounds how much of a path goes into the log.
const loggedPath = 256

// An exchange is one request on its way to its answer.
type exchange struct {
	host  *host
	w     http.ResponseWriter
	r     *http.Request
	id    string
	start time.Time
	sent  bool // the status line may be out
}

// send writes the answer.
func (x *exchange) send(out *response) {
	if x.left() {
		x.abandon()
	}
	x.sent = true
	out.writeTo(x.w, x.r.Method)
	x.logAnswer(out.status)
}

// logAnswer tells of a request that has its answer.
func (x *exchange) logAnswer(status int) {
	level := slog.LevelInfo
	if status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	x.log(level, "request", slog.Int("status", status))
}

// fail answers with the error objects that err holds.
func (x *exchange) fail(out *response, err error) {
	if x.left() {
		x.abandon()
	}
	status, objects := x.host.style.spell(jsonapi.AsErrors(err))
	if encodeErr := out.setErrors(status, objects); encodeErr != nil {
		// Only Meta of a host's own error cannot be encoded. Its own codes and
		// headers go with it.
		err = fault(fmt.Errorf("encode the error document of %q: %w", x.host.cause(err), encodeErr))
		status, objects = x.host.style.spell(jsonapi.AsErrors(err))
		if encodeErr := out.setErrors(status, objects); encodeErr != nil {
			panic(encodeErr)
		}
	}
	out.addErrorHeader(err)
	x.logErrors(objects, err)
	x.send(out)
}

// abandon ends a request whose client has left. Nothing is sent, and the answer
// is aborted, as one left out would read as an empty 200.
func (x *exchange) abandon() {
	x.log(slog.LevelInfo, "client left")
	panic(http.ErrAbortHandler)
}

// logErrors tells of the server's own faults with their causes, and at Debug of
// what was refused.
func (x *exchange) logErrors(objects []errorObject, err error) {
	ctx, log := x.r.Context(), x.host.log
	faults := false
	for _, o := range objects {
		if o.ID == "" {
			continue
		}
		faults = true
		log.LogAttrs(ctx, slog.LevelError, "error", slog.String("request_id", x.id),
			slog.String("error_id", o.ID), slog.String("code", o.Code), slog.String("cause", x.host.cause(err)))
	}
	if !faults && log.Enabled(ctx, slog.LevelDebug) {
		log.LogAttrs(ctx, slog.LevelDebug, "refused", slog.String("request_id", x.id), slog.String("cause", x.host.cause(err)))
	}
}

// answerPanic turns a panic into a 500. It is the only place that recovers, and
// is deferred itself, as recover works nowhere else.
func (x *exchange) answerPanic() {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	cause := &panicked{v}
	x.log(slog.LevelError, "panic", slog.String("cause", x.host.cause(cause)), slog.String("stack", string(debug.Stack())))
	if x.sent {
		panic(http.ErrAbortHandler)
	}
	out := newResponse(x)
	defer out.release()
	x.fail(out, fault(cause))
}

// left reports whether nobody waits for the answer any more. A deadline that
// the host has set is not that: its client does wait.
func (x *exchange) left() bool {
	return errors.Is(x.r.Context().Err(), context.Canceled)
}

// log writes one line about the request, with further attributes behind those
// that every such line has.
func (x *exchange) log(level slog.Level, message string, further ...slog.Attr) {
	ctx, log := x.r.Context(), x.host.log
	if !log.Enabled(ctx, level) {
		return
	}
	path := x.r.URL.EscapedPath()
	if len(path) > loggedPath {
		path = path[:loggedPath] + "..."
	}
	log.LogAttrs(ctx, level, message, append([]slog.Attr{
		slog.String("request_id", x.id),
		slog.String("method", x.r.Method),
		slog.String("path", path),
		slog.Duration("duration", time.Since(x.start)),
	}, further...)...)
}
