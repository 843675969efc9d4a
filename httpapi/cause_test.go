package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
)

// A reworded error says of the one that it wraps what it likes.
type reworded struct{ cause error }

func (e reworded) Error() string { return "MARKER again" }
func (e reworded) Unwrap() error { return e.cause }

// a refusal of Postgres that has a value wherever one can be.
var valued = &pgconn.PgError{
	Severity: "ERROR", Code: "23505", Message: "MARKER", Detail: "Key (a)=(MARKER) exists.", Hint: "MARKER", Where: "MARKER",
	InternalQuery: "MARKER", SchemaName: "public", TableName: "tag", ConstraintName: "tag_name_key", File: "nbtinsert.c", Line: 666, Routine: "_bt_check_unique",
}

const inShort = "SQLSTATE 23505, constraint tag_name_key, schema public, table tag, routine _bt_check_unique (nbtinsert.c:666)"

// What causes look like in the log where values are not asked for.
func TestCausesWithoutValues(t *testing.T) {
	_, number := strconv.Atoi("MARKER")
	var nothing []int
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"of the host", errors.New("the session store is down"), "the session store is down"},
		{"of Postgres", valued, inShort},
		{"wrapped", fmt.Errorf("run: %w", valued), "run: " + inShort},
		{"joined", fmt.Errorf("%w, and %w", errors.New("first"), fmt.Errorf("then %w", valued)), "first, and then " + inShort},
		{"reworded", fmt.Errorf("run: %w", reworded{valued}), "run: httpapi.reworded: " + inShort},
		{"an object", &jsonapi.Error{Code: jsonapi.Conflict, Detail: "MARKER", Source: jsonapi.Parameter("MARKER"), Cause: valued}, "409 conflict: " + inShort},
		{"objects", jsonapi.Errors{{Code: jsonapi.InvalidFilter, Detail: "MARKER"}, {Code: jsonapi.InvalidSort}}, "400 invalid-filter; 400 invalid-sort"},
		{"a refusal", tooMany(busy, "MARKER"), "429 too-many-requests"},
		{"a fault", fault(fmt.Errorf("look up: %w", jsonapi.Errors{{Detail: "MARKER", Cause: errors.New("why")}})), "500 unknown-error: look up: 500 unknown-error: why"},
		{"a number", fmt.Errorf("encode: %w", number), "encode: Atoi: invalid syntax"},
		{"a panic", &panicked{"MARKER"}, "panic: a string"},
		{"a panic with an error", &panicked{fmt.Errorf("run: %w", valued)}, "panic: *fmt.wrapError: run: " + inShort},
		{"a panic of the runtime", &panicked{recovered(func() { _ = nothing[3] })}, "panic: runtime error: index out of range [3] with length 0"},
		{"nothing", errors.Join(errors.New("")), ""},
	} {
		if got := withoutValues(c.err); got != c.want && c.name != "nothing" {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		if all := causes(c.err); strings.Contains(c.err.Error(), "MARKER") && !strings.Contains(all, "MARKER") {
			t.Errorf("%s, with values: %s", c.name, all)
		}
	}
}

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// Nothing that a request sends is in the log, at no level, unless asked for:
// whatever answers it, and whatever Postgres says of it.
func TestLogHasNoValues(t *testing.T) {
	style, err := REST(RESTOptions{Endpoint: endpoint, Limits: Limits{MaxURLBytes: 400, MaxBodyBytes: 100}})
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]func(*http.Request) (exec.Client, error){
		"refused":       refuse(Unauthorized("MARKER")),
		"conflict":      refuse(&jsonapi.Error{Code: jsonapi.Conflict, Detail: "MARKER", Cause: valued}),
		"unknown":       refuse(&jsonapi.Error{Detail: "MARKER", Cause: valued}),
		"Postgres":      refuse(fmt.Errorf("look up: %w", valued)),
		"several":       refuse(jsonapi.Errors{{Detail: "MARKER"}, {Code: jsonapi.InvalidValue, Detail: "MARKER"}}),
		"unencodable":   refuse(&jsonapi.Error{Code: jsonapi.Conflict, Detail: "MARKER", Meta: map[string]any{"a": func() {}}}),
		"panic":         func(r *http.Request) (exec.Client, error) { panic("MARKER " + r.URL.RawQuery) },
		"panic, error":  func(*http.Request) (exec.Client, error) { panic(fmt.Errorf("run: %w", valued)) },
		"panic, object": func(*http.Request) (exec.Client, error) { panic(valued) },
	}
	requests := func() []*http.Request {
		var out []*http.Request
		for _, method := range []string{"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "TRACE"} {
			for _, path := range []string{"/api/post", "/api/post/1", "/api/post/1/relationships/tags", "/api/operations", "/api/post//", "/nothing"} {
				r := httptest.NewRequest(method, path+"?filter[MARKER]=MARKER&MARKER", strings.NewReader(`{"data":{"type":"MARKER"}}`))
				for _, header := range []string{"Authorization", "Cookie", "Accept", "Content-Type", "If-Match", "If-None-Match", "X-Request-Id", "User-Agent", "Referer", "X-Own"} {
					r.Header.Set(header, `"MARKER `+header+`"`)
				}
				plain := r.Clone(r.Context())
				for _, header := range []string{"Accept", "Content-Type"} {
					plain.Header.Del(header)
				}
				long := plain.Clone(r.Context())
				long.URL.RawQuery = strings.Repeat("MARKER", 100)
				out = append(out, r, plain, long)
			}
		}
		return out
	}
	for name, client := range outcomes {
		for _, values := range []bool{false, true} {
			var log bytes.Buffer
			h, err := NewHost(HostOptions{
				Client: client, Schema: &schema.Schema{}, Handler: style, LogValues: values,
				Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range requests() {
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
			if got := strings.Contains(log.String(), "MARKER"); got != values {
				t.Errorf("%s, asked for %t: %t\n%.2000s", name, values, got, &log)
			}
		}
	}
}
