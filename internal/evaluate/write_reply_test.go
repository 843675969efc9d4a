package evaluate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"

	"github.com/resourcery/resourcery/internal/evaluate"
	"github.com/resourcery/resourcery/jsonapi"
)

func (w writeRequest) url() string {
	return request{path: w.path, params: w.params}.url()
}

// A reply is what the server answered to a write.
type reply struct {
	status   int
	problems []problem
	document map[string]any
	header   http.Header
}

type problem struct{ code, pointer, detail string }

// sent is the server's reply.
func (s *writeSite) sent(w writeRequest) reply {
	var body *bytes.Reader
	if w.body != nil {
		text, err := json.Marshal(w.body)
		if err != nil {
			panic(err)
		}
		body = bytes.NewReader(text)
	} else {
		body = bytes.NewReader(nil)
	}
	q := httptest.NewRequestWithContext(context.Background(), w.method, "/api"+w.url(), body)
	q.Header.Set("X-Role", w.role)
	q.Header.Set("Content-Type", jsonapi.MediaType)
	if w.atomic {
		q.Header.Set("Content-Type", jsonapi.MediaType+`; ext="`+jsonapi.AtomicExtension+`"`)
		q.Header.Set("Accept", jsonapi.MediaType+`; ext="`+jsonapi.AtomicExtension+`"`)
	}
	if w.ifMatch != "" {
		q.Header.Set("If-Match", w.ifMatch)
	}
	answer := httptest.NewRecorder()
	s.server.ServeHTTP(answer, q)
	r := reply{status: answer.Code, header: answer.Header()}
	if answer.Body.Len() == 0 {
		return r
	}
	d := json.NewDecoder(answer.Body)
	d.UseNumber()
	if err := d.Decode(&r.document); err != nil {
		r.problems = append(r.problems, problem{"no JSON", "", err.Error()})
		return r
	}
	list, _ := r.document["errors"].([]any)
	for _, e := range list {
		e := e.(map[string]any)
		source, _ := e["source"].(map[string]any)
		pointer, _ := source["pointer"].(string)
		r.problems = append(r.problems, problem{e["code"].(string), pointer, fmt.Sprint(e["ormCode"], " ", e["detail"])})
	}
	return r
}

// statuses are those of the codes (contract 8.1).
var statuses = map[string]int{
	"not-found": 404, "related-not-found": 404, "forbidden": 403, "method-not-allowed": 405, "type-mismatch": 409, "id-mismatch": 409,
	"conflict": 409, "precondition-failed": 412, "invalid-parameter": 400, "invalid-include": 400, "invalid-fields": 400,
	"invalid-value": 400, "invalid-payload": 400, "required-relationship": 400, "validation-error": 400, "too-many-included": 400,
}

// refusedAs says in what a reply differs from every refusal that will do.
func (s *writeSite) refusedAs(got reply, want *evaluate.Refused) string {
	if !slices.ContainsFunc(want.Answers, func(a []evaluate.Problem) bool { return told(got.problems, a) }) {
		return fmt.Sprintf("the server answers %d %v, but right were %v", got.status, got.problems, want.Answers)
	}
	status := 0
	for _, p := range got.problems {
		of := statuses[p.code]
		if s.strict && slices.Contains([]string{"invalid-value", "invalid-payload", "required-relationship", "validation-error"}, p.code) {
			of = http.StatusUnprocessableEntity
		}
		if status != 0 && status != of {
			of = http.StatusBadRequest
		}
		status = of
	}
	if got.status != status && !(s.strict && got.status == http.StatusBadRequest) {
		return fmt.Sprintf("the status of %v is %d, but right were %d", got.problems, got.status, status)
	}
	s.seen.Refused[got.problems[0].code]++
	return ""
}

// told reports whether errors tell the problems, in any order.
func told(got []problem, want []evaluate.Problem) bool {
	if len(got) != len(want) {
		return false
	}
	rest := slices.Clone(got)
	for _, w := range want {
		i := slices.IndexFunc(rest, func(p problem) bool { return w.Fits(p.code, p.pointer) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}

// doneAs says in what a reply differs from that to a write that is done.
func (s *writeSite) doneAs(w writeRequest, got reply, want evaluate.Written) string {
	status := http.StatusOK
	switch {
	case want.Document == nil:
		status = http.StatusNoContent
	case want.Created:
		status = http.StatusCreated
	}
	if got.status != status {
		return fmt.Sprintf("the server answers %d %v, the evaluator %d", got.status, got.problems, status)
	}
	s.seen.done(w, want.Created)
	if w.ifMatch != "" {
		s.seen.Matched++
	}
	if want.Document == nil {
		if got.document != nil {
			return "there is a document where none belongs"
		}
		return ""
	}
	if fault := difference("", normal("", any(got.document)), normal("", any(want.Document))); fault != "" || !want.Created {
		return fault
	}
	self := got.document["data"].(map[string]any)["links"].(map[string]any)["self"]
	if got.header.Get("Location") != self {
		return fmt.Sprintf("the resource is at %v, and Location is %q", self, got.header.Get("Location"))
	}
	return ""
}

// remember notes the entity tag of a reply, with the row that it is of.
func (s *writeSite) remember(w writeRequest, got reply) {
	object, ok := got.document["data"].(map[string]any)
	etag := got.header.Get("ETag")
	if !ok || etag == "" {
		return
	}
	c := client{s.world, w.role, s.views[w.role]}
	m, _ := s.schema.Model(object["type"].(string))
	for _, row := range s.table(m.Table).rows {
		if id := c.spell(m, rowKey(m, row)); id == fmt.Sprint(object["id"]) {
			s.tags = append(s.tags, tag{w.role, id, etag, evaluate.Digest(row, digested(c.view, m)), m, rowKey(m, row)})
		}
	}
}
