package httpapi

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/jsonapi"
)

// cause prints an error for the log, with what its error objects keep to
// themselves.
func (h *host) cause(err error) string {
	if h.logValues {
		return causes(err)
	}
	return withoutValues(err)
}

// causes prints everything.
func causes(err error) string {
	text := err.Error()
	for _, e := range jsonapi.AsErrors(err) {
		if e.Cause != nil && !strings.Contains(text, e.Cause.Error()) {
			text += ": " + e.Cause.Error()
		}
	}
	return text
}

// withoutValues prints an error without what may be a value of the request or of
// a row: details for clients, which quote them, what Postgres says in its own
// words, and numbers that could not be read. The rest is as it is: what wraps
// these, and errors of others, the host's own among them.
func withoutValues(err error) string {
	if text, ok := exec.Postgres(err); ok {
		return text
	}
	switch e := err.(type) {
	case *jsonapi.Error:
		return ofObject(e)
	case jsonapi.Errors:
		texts := make([]string, len(e))
		for i, object := range e {
			texts[i] = ofObject(object)
		}
		return strings.Join(texts, "; ")
	case *strconv.NumError:
		return e.Func + ": " + withoutValues(e.Err)
	case *panicked:
		return "panic: " + ofPanic(e.value)
	case opaque:
		return withoutValues(e.cause)
	case interface{ Unwrap() error }:
		return ofWrapper(err, e.Unwrap())
	case interface{ Unwrap() []error }:
		return ofWrapper(err, e.Unwrap()...)
	default:
		return err.Error()
	}
}

// ofWrapper prints what stands around the errors that one wraps, as it is. Of one
// that words them anew there is its type alone, as it may repeat their values.
func ofWrapper(err error, wrapped ...error) string {
	text, inner := err.Error(), ""
	for _, e := range wrapped {
		if e == nil {
			continue
		}
		whole, safe := e.Error(), withoutValues(e)
		inner += ": " + safe
		switch {
		case whole == safe:
		case whole != "" && strings.Contains(text, whole):
			text = strings.ReplaceAll(text, whole, safe)
		default:
			text = ""
		}
	}
	if text == "" {
		return fmt.Sprintf("%T%s", err, inner)
	}
	return text
}

func ofObject(e *jsonapi.Error) string {
	text := strconv.Itoa(e.Code.Status()) + " " + e.Code.String()
	if e.Cause != nil {
		text += ": " + withoutValues(e.Cause)
	}
	return text
}

// A panicked is a panic as the cause of an answer.
type panicked struct{ value any }

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// ofPanic prints what was panicked with: the runtime's own words, which tell of
// types and indexes, and of anything else the type. The stack says the rest.
func ofPanic(v any) string {
	switch v := v.(type) {
	case runtime.Error:
		return v.Error()
	case error:
		return fmt.Sprintf("%T: %s", v, withoutValues(v))
	default:
		return fmt.Sprintf("a %T", v)
	}
}
