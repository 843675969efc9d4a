package encode_test

import (
	"strings"
	"testing"

	"github.com/resourcery/resourcery/encode"
	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/sqlgen"
)

// asAnswer makes a read the answer of a write: statements of every part that a
// write has come before it, so that its own stand elsewhere in the pipeline.
func asAnswer(p *plan.Plan, result *exec.Result) (*plan.Plan, *exec.Result) {
	read := p.Action.(*plan.Read)
	write := *p
	write.Action = &plan.Create{Write: plan.Write{Model: read.Query.Model, Answer: read}}
	out := &exec.Result{Pipeline: &sqlgen.Pipeline{Writes: true}}
	for _, part := range []sqlgen.Part{sqlgen.Unseen, sqlgen.Step, sqlgen.Written, sqlgen.Again, sqlgen.Step, sqlgen.Guard} {
		out.Pipeline.Statements = append(out.Pipeline.Statements, &sqlgen.Statement{Part: part})
		out.Parts = append(out.Parts, exec.NewRows(1, [][]byte{{1}}))
	}
	before := len(out.Parts)
	for i, st := range result.Pipeline.Statements {
		moved := *st
		if st.Edge != nil {
			edge := *st.Edge
			edge.Parent += before
			moved.Edge = &edge
		}
		out.Pipeline.Statements = append(out.Pipeline.Statements, &moved)
		out.Parts = append(out.Parts, result.Parts[i])
	}
	return &write, out
}

// resultsOf writes the document of a batch. The input has the answer of each
// operation, a request and its parts as for a document, or `nothing` for an
// operation without one, with a blank line between them. A document that need
// not be sent has a remark behind it.
func resultsOf(t *testing.T, c *golden.Case, s *schema.Schema, o plan.Options) string {
	batch, all := &plan.Batch{}, &exec.Result{}
	for operation := range strings.SplitSeq(c.Input, "\n\n") {
		url, parts, _ := strings.Cut(operation, "\n")
		if url == "nothing" {
			batch.Operations = append(batch.Operations, &plan.Plan{Action: &plan.Delete{}})
			all.Operations = append(all.Operations, &exec.Result{})
			continue
		}
		_, p, err := request(s, url, o)
		if err != nil {
			c.Fatalf(t, "%v", err)
		}
		result, err := spelled(p, parts)
		if err != nil {
			c.Fatalf(t, "%v", err)
		}
		p, result = asAnswer(p, result)
		batch.Operations = append(batch.Operations, p)
		all.Operations = append(all.Operations, result)
	}
	p := &plan.Plan{Action: batch}
	out, err := encode.NewEncoder(encoding(o, c)).AppendResults(nil, p, all)
	if err != nil {
		return golden.Errors(err) + strings.Repeat("and a document\n", min(len(out), 1))
	}
	text := indented(t, out)
	if !encode.HasResults(p) {
		text += "\nnot to be sent"
	}
	return text
}
