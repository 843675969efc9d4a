package live

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// pingTimeout bounds the question whether the database is there.
const pingTimeout = 2 * time.Second

// A Site is what the server answers besides the API: whether it lives and
// whether it is ready (contract 11.4).
type Site struct {
	// Base is the API's path, with a leading and without a trailing slash,
	// escaped as in requests.
	Base string
	API  http.Handler
	// Ping reports whether the database can be reached.
	Ping func(context.Context) error
	Log  *slog.Logger
}

// The paths beside the API.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// Reserved reports whether an API at that path would hide one beside it.
func Reserved(base string) bool { return base == healthPath || base == readyPath }

// ServeHTTP dispatches by itself: http.ServeMux would redirect paths such as
// /api//post, whose refusal is the API's.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	switch {
	case path == s.Base || strings.HasPrefix(path, s.Base+"/"):
		s.API.ServeHTTP(w, r)
	case path == healthPath:
		state(w, r, http.StatusOK, "ok\n")
	case path == readyPath:
		s.ready(w, r)
	default:
		state(w, r, http.StatusNotFound, "There is nothing here; the API is at "+s.Base+".\n")
	}
}

// ready answers 503 while the database cannot be reached. The schema has been
// read whenever a Site exists.
func (s *Site) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), pingTimeout)
	defer cancel()
	if err := s.Ping(ctx); err != nil {
		s.Log.Warn("not ready", "error", err)
		state(w, r, http.StatusServiceUnavailable, "the database cannot be reached\n")
		return
	}
	state(w, r, http.StatusOK, "ok\n")
}

// state answers reads with a line of text.
func state(w http.ResponseWriter, r *http.Request, status int, text string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		status, text = http.StatusMethodNotAllowed, "use GET\n"
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, text) // the client has left; nobody is there to tell
	}
}
