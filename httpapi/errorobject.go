package httpapi

import (
	"bytes"
	"crypto/rand"
	"errors"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/jsonapi"
)

// retryAfter is what 503 answers ask for, in seconds: long enough for a failover
// to begin, short enough for a lost connection.
const retryAfter = "5"

// An errorObject is one error as it is encoded, with its members in this order
// (contract 8.1).
type errorObject struct {
	Code    string         `json:"code"`
	Status  jsontext.Value `json:"status"` // a number, in strict answers a string
	Title   string         `json:"title"`
	Detail  string         `json:"detail,omitzero"`
	Source  jsonapi.Source `json:"source,omitzero"`
	Links   errorLinks     `json:"links,omitzero"`
	ORMCode string         `json:"ormCode,omitzero"`
	ID      string         `json:"id,omitzero"` // of the server's own faults alone; the log has it too
	Meta    map[string]any `json:"meta,omitempty"`
}

// errorLinks name the kind of problem where a profile has a URI for it.
type errorLinks struct {
	Type []string `json:"type,omitempty"`
}

// An errorDocument is what stands in place of a document.
type errorDocument struct {
	Errors []errorObject `json:"errors"`
}

// spell makes the error objects of an answer, and its status. Strict answers
// have both by the letter of JSON:API (contract 10.6).
func (s *rest) spell(errs jsonapi.Errors) (status int, objects []errorObject) {
	if s.strict {
		return errs.StrictStatus(), newErrorObjects(errs, jsonapi.Code.StrictStatus, quoted)
	}
	return errs.Status(), newErrorObjects(errs, jsonapi.Code.Status, strconv.Itoa)
}

func quoted(n int) string { return strconv.Quote(strconv.Itoa(n)) }

func newErrorObjects(errs jsonapi.Errors, statusOf func(jsonapi.Code) int, text func(int) string) []errorObject {
	objects := make([]errorObject, len(errs))
	for i, e := range errs {
		status := statusOf(e.Code)
		o := errorObject{
			Code: e.Code.String(), Status: jsontext.Value(text(status)), Title: e.Code.Title(),
			Detail: e.Detail, Source: e.Source, ORMCode: e.ORMCode, Meta: e.Meta,
		}
		if e.Type != "" {
			o.Links.Type = []string{e.Type}
		}
		if status >= http.StatusInternalServerError {
			o.ID = rand.Text()
		}
		objects[i] = o
	}
	return objects
}

// fault returns a fault of the server's own; the cause is for the log.
func fault(cause error) *jsonapi.Error { return jsonapi.AsErrors(opaque{cause})[0] }

// opaque keeps a cause from being taken for the error object itself.
type opaque struct{ cause error }

func (o opaque) Error() string { return o.cause.Error() }

// setErrors makes out an error document, and drops what was in it before. Its
// error means that some Meta cannot be encoded.
func (out *response) setErrors(status int, objects []errorObject) error {
	out.clear()
	out.status = status
	// Details quote what the client sent, whatever bytes that was.
	body := bytes.NewBuffer(out.body)
	err := json.MarshalWrite(body, errorDocument{objects}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	out.body = body.Bytes()
	return err
}

// addErrorHeader adds what goes beside the error objects of err.
func (out *response) addErrorHeader(err error) {
	if r, ok := errors.AsType[*refusal](err); ok {
		out.header = append(out.header, r.header...)
	} else if out.status == http.StatusUnauthorized {
		out.addHeader("WWW-Authenticate", defaultChallenge)
	}
	if out.status == http.StatusServiceUnavailable {
		out.addHeader("Retry-After", retryAfter)
	}
}
