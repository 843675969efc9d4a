package jsonapi

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Source names the part of the request that an error is about. At most one
// of its members is set. https://jsonapi.org/format/1.1/#error-objects
type Source struct {
	Parameter string `json:"parameter,omitzero"` // the query parameter, as the client named it
	Pointer   string `json:"pointer,omitzero"`   // an RFC 6901 pointer into the request's document
	Header    string `json:"header,omitzero"`    // the request header
	// Document is set for an error about the request's document as a whole, whose
	// pointer is the empty text: its form, or a member that is missing.
	Document bool `json:"-"`
}

// MarshalJSON encodes the one member that is set.
func (s Source) MarshalJSON() ([]byte, error) {
	if s.Document {
		return []byte(`{"pointer":""}`), nil
	}
	type members Source
	return json.Marshal(members(s))
}

// Parameter returns the source that points at a query parameter.
func Parameter(name string) Source { return Source{Parameter: name} }

// Pointer returns the source that points into the request's document.
func Pointer(pointer string) Source { return Source{Pointer: pointer} }

// Header returns the source that points at a request header.
func Header(name string) Source { return Source{Header: name} }

// String returns whichever member is set, or "" for the zero Source.
func (s Source) String() string {
	switch {
	case s.Document:
		return "the document"
	case s.Parameter != "":
		return s.Parameter
	case s.Pointer != "":
		return s.Pointer
	default:
		return s.Header
	}
}

// An Error is one error object. Detail is meant for the client: it quotes what
// the client sent and says what to change; it never holds SQL, rows of others
// or internals. Cause is for the log only and is never encoded.
type Error struct {
	Code    Code
	Detail  string
	Source  Source
	ORMCode string         // the SQLSTATE, where the database raised the error
	Type    string         // a URI that names the kind of problem, of a profile for example; encoded in `links.type`
	Meta    map[string]any // encoded as the `meta` member where not empty
	Cause   error
}

// Errorf returns an error with a formatted detail.
func Errorf(code Code, source Source, format string, args ...any) *Error {
	return &Error{Code: code, Source: source, Detail: fmt.Sprintf(format, args...)}
}

// Error returns the code, the source and the detail, in the form in which
// goldens and logs print it: `400 invalid-filter at filter[x]: ...`.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", e.Code.Status(), e.Code)
	if at := e.Source.String(); at != "" {
		b.WriteString(" at " + at)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// MaxErrors bounds the error objects of one answer: clients choose how many
// mistakes they make.
const MaxErrors = 32

// Errors is all that one stage found wrong, in the order in which it stands in
// the request. It is never empty where it is returned as an error.
type Errors []*Error

// Error joins the errors by line breaks.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors one by one, for errors.Is and errors.As.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// Status returns the HTTP status of the response that carries the errors: the
// common status if they agree, else 500 if any is a 5xx, else 400.
// https://jsonapi.org/format/1.1/#errors-processing
func (es Errors) Status() int { return es.common(Code.Status) }

// StrictStatus returns the same of Code.StrictStatus.
func (es Errors) StrictStatus() int { return es.common(Code.StrictStatus) }

func (es Errors) common(statusOf func(Code) int) int {
	status := statusOf(es[0].Code)
	for _, e := range es[1:] {
		switch s := statusOf(e.Code); {
		case s == status:
		case s >= 500 || status >= 500:
			return 500
		default:
			status = 400
		}
	}
	return status
}

// Err returns es as an error, and nil where there is nothing in it.
func (es Errors) Err() error {
	if len(es) == 0 {
		return nil
	}
	return es
}

// AsErrors returns the error objects that err holds: of what it wraps, the
// outermost. Any other error becomes an unknown-error whose cause it is.
func AsErrors(err error) Errors {
	if es := outermost(err); es != nil {
		return es
	}
	return Errors{{Code: UnknownError, Detail: "The server met a fault of its own.", Cause: err}}
}

func outermost(err error) Errors {
	switch e := err.(type) {
	case nil:
		return nil
	case *Error:
		return Errors{e}
	case Errors:
		if len(e) > 0 {
			return e
		}
		return nil
	case interface{ Unwrap() error }:
		return outermost(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, wrapped := range e.Unwrap() {
			if es := outermost(wrapped); es != nil {
				return es
			}
		}
	}
	return nil
}
