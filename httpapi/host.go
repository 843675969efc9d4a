package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/validation"
	"github.com/resourcery/resourcery/sqlgen"
)

// DefaultSchema is the generated file that NewHost loads where it is given no
// schema, relative to the working directory.
const DefaultSchema = "resourcery.schema.json"

// HostOptions say whom and what a handler serves (contract 10.1).
type HostOptions struct {
	// Client returns the client of one request, usually db.As with the caller's
	// role and variables. Required. It is called once per request, after path,
	// method and Accept were found right and before any name of the request is
	// looked up; it must not keep the request, and must leave its body unread.
	//
	// Its errors are the answer (contract 7.5): a jsonapi.Error as it is, what
	// Unauthorized returns as a 401, and any other as a 500 whose cause is in
	// the log only.
	Client func(*http.Request) (exec.Client, error)
	// Logger gets one line per request (Info, from status 500 on Error) and one
	// per error of the server's own, with its cause. Lines hold method, path and
	// status, never the query, a body or a header but X-Request-Id. At Debug there
	// are the causes of refusals too. Nil: no log.
	Logger *slog.Logger
	// LogValues has causes logged as they are. Without it they tell nothing of
	// what a client sent or a row holds: of Postgres's errors there are the
	// SQLSTATE, the names of constraint, table and the like, and the routine, but
	// no message; of error objects the code, of panics the type and the stack.
	// What errors of Client say is logged in any case.
	LogValues bool
	// Schema is what is served; nil loads DefaultSchema.
	Schema *schema.Schema
	// Validation holds the resource objects of requests against JSON Schemas,
	// before the database is asked (contract 10.1): GeneratedValidation, or a set
	// of the host's own. Every model of the set must be one of Schema's. Nil: no
	// validation.
	Validation *validation.Set
	// MaxInFlight bounds how many requests are answered at the same time; those
	// past it are refused at once, with 429 and Retry-After. 0: no bound. A body
	// that comes in slowly counts, so set http.Server.ReadTimeout with it.
	MaxInFlight int
	// Rate bounds how many requests each caller makes; those past it are refused
	// with 429 and Retry-After. Nil: no bound.
	//
	// Both come before Client and before anything of the request is looked at;
	// OPTIONS is not counted. Each handler counts for itself.
	Rate *Rate
	// Handler is the style of the API. Required, as the only one there is,
	// REST, needs an endpoint.
	Handler Style
}

// DefaultValidation is the file that GeneratedValidation stands for, relative to
// the working directory.
const DefaultValidation = "resourcery.validation.json"

// GeneratedValidation as HostOptions.Validation has NewHost load
// DefaultValidation, which `resourcery introspect --validation` writes.
var GeneratedValidation = new(validation.Set)

// A Style is the way in which the API looks over HTTP; REST returns one.
type Style interface {
	// serve answers r in out, or returns what to tell the client instead.
	serve(h *host, r *http.Request, out *response) error
	// spell makes the error objects of an answer, and its status.
	spell(jsonapi.Errors) (status int, objects []errorObject)
	// admits returns what keeps the schema from being served in the style.
	admits(*schema.Schema) error
}

// host is the handler: what requests share. But for what limits count, it is
// immutable.
type host struct {
	client    func(*http.Request) (exec.Client, error)
	log       *slog.Logger
	logValues bool
	limits    limits
	schema    *schema.Schema
	compiler  *sqlgen.Compiler
	recent    recent
	style     Style
	// validation is nil where nothing is validated.
	validation *validation.Set
}

// NewHost returns the handler that serves o.Schema. It may be used by many
// goroutines, and lasts as long as its schema: after a reload the host makes
// another one.
func NewHost(o HostOptions) (http.Handler, error) {
	if o.Client == nil {
		return nil, errors.New("httpapi: HostOptions.Client is missing: write a function that returns db.As(exec.Session{...}) for the caller of the request")
	}
	if o.Handler == nil {
		return nil, errors.New("httpapi: HostOptions.Handler is missing and the RPC style does not exist: write the style that httpapi.REST returns")
	}
	h := &host{client: o.Client, log: o.Logger, logValues: o.LogValues, schema: o.Schema, style: o.Handler}
	if err := h.limits.set(o); err != nil {
		return nil, err
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.schema == nil {
		s, err := schema.Load(DefaultSchema)
		if err != nil {
			return nil, fmt.Errorf("httpapi: HostOptions.Schema is not set and %s is not usable: set the option, or write the file with `resourcery introspect --out %s`: %w", DefaultSchema, DefaultSchema, err)
		}
		h.schema = s
	}
	if err := h.style.admits(h.schema); err != nil {
		return nil, fmt.Errorf("httpapi: HostOptions.Schema: %w", err)
	}
	var err error
	if h.validation, err = validationOf(o.Validation, h.schema); err != nil {
		return nil, fmt.Errorf("httpapi: HostOptions.Validation: %w", err)
	}
	h.compiler, h.recent = sqlgen.NewCompiler(), newRecent()
	return h, nil
}

// validationOf loads the generated schemas where the option asks for them, and
// refuses schemas of models that are not there.
func validationOf(set *validation.Set, served *schema.Schema) (*validation.Set, error) {
	if set == GeneratedValidation {
		loaded, err := validation.Load(DefaultValidation)
		if err != nil {
			return nil, fmt.Errorf("%s is not usable: pass a set of your own, or write the file with `resourcery introspect --validation %s`: %w", DefaultValidation, DefaultValidation, err)
		}
		set = loaded
	}
	if set == nil {
		return nil, nil
	}
	return set, set.Covers(served)
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{host: h, w: w, r: r, id: requestID(w.Header(), r.Header), start: time.Now()}
	defer x.answerPanic()
	out := newResponse(x)
	defer out.release()
	leave, err := h.limits.enter(r)
	if err != nil {
		x.fail(out, err)
		return
	}
	defer leave()
	err = h.style.serve(h, r, out)
	switch {
	case x.sent && err != nil:
		x.cut(err)
	case x.sent:
		x.logAnswer(out.status)
	case err != nil:
		x.fail(out, err)
	default:
		x.send(out)
	}
}
