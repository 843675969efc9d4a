package sqlgen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/internal/golden/request"
	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// TestGolden lowers the requests of the files.
//
//	sql     the statements as they run in one trip
//	bound   those that differ where keys are handed on as parameters
//	where   the conditions of several requests, one to a line
//	        all with on=NAME: a schema of catalog_test.go, else the common one;
//	        page-size=unlimited; digests; cursor=(a,NULL,7): a cursor of these
//	        values for CURSOR
func TestGolden(t *testing.T) {
	schemas := map[string]*schema.Schema{"": golden.Schema(t), "odd": oddNames(t), "keys": loosely(t)}
	golden.Run(t, "testdata", func(t *testing.T, c *golden.Case) string {
		var on string
		var cursor []string
		o := plan.Options{AllowEstimates: true}
		for _, arg := range c.CmdArgs {
			switch {
			case arg.Key == "on" && schemas[arg.Vals[0]] != nil:
				on = arg.Vals[0]
			case arg.Key == "language":
				o.SearchLanguage = arg.Vals[0]
			case arg.Key == "digests":
				o.Digests = true
			case arg.Key == "cursor":
				cursor = arg.Vals
			case arg.Key == "page-size" && arg.Vals[0] == "unlimited":
				o.PageSize = plan.Unlimited
			default:
				c.Fatalf(t, "unknown argument %s", arg)
			}
		}
		if c.Cmd == "where" {
			return wheres(t, schemas[on], c.Input, cursor, o)
		}
		url := c.Input
		if cursor != nil {
			url = withCursor(t, schemas[on], url, cursor)
		}
		p, err := request.Plan(schemas[on].FullView(), url, o)
		if err != nil {
			return golden.Errors(err)
		}
		pipeline := NewCompiler().Compile(p.Action)
		switch c.Cmd {
		case "sql":
			return pipeline.String()
		case "bound":
			return boundText(pipeline)
		default:
			c.Fatalf(t, "unknown command %q", c.Cmd)
			return ""
		}
	})
}

// wheres prints the WHERE of the page of each request of the input.
func wheres(t *testing.T, s *schema.Schema, input string, cursor []string, o plan.Options) string {
	o.AllowRegexp = true
	var b strings.Builder
	for url := range strings.Lines(input) {
		url = strings.TrimSpace(url)
		b.WriteString("= " + url + "\n")
		if cursor != nil {
			url = withCursor(t, s, url, cursor)
		}
		p, err := request.Plan(s.FullView(), url, o)
		if err != nil {
			b.WriteString(golden.Errors(err))
			continue
		}
		_, where, _ := strings.Cut(NewCompiler().Compile(p.Action).Statements[0].SQL, " WHERE ")
		where, _, _ = strings.Cut(where, " ORDER BY ")
		b.WriteString(where + "\n")
	}
	return b.String()
}

// withCursor puts a cursor with these values for CURSOR. NULL is NULL.
func withCursor(t testing.TB, s *schema.Schema, url string, values []string) string {
	t.Helper()
	list, query, _ := strings.Cut(url, "?")
	if i := strings.Index(query, "sort="); i >= 0 {
		sort, _, _ := strings.Cut(query[i:], "&")
		list += "?" + sort
	}
	parts := make([][]byte, len(values))
	for i, value := range values {
		if value != "NULL" {
			parts[i] = []byte(value)
		}
	}
	q := action(t, s, list).(*plan.Read).Query
	return strings.ReplaceAll(url, "CURSOR", string(q.AppendCursor(nil, parts)))
}

// action is the shape of a request that must be right.
func action(t testing.TB, s *schema.Schema, url string) plan.Action {
	t.Helper()
	p, err := request.Plan(s.FullView(), url, plan.Options{AllowEstimates: true})
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return p.Action
}

// boundText prints what the statements hand on, and the bound form of those
// that have one of their own.
func boundText(p *Pipeline) string {
	var b strings.Builder
	for i, st := range p.Statements {
		fmt.Fprintf(&b, "%d %s\n", i, st.Part)
		for _, h := range st.Hands {
			fmt.Fprintf(&b, "  hands on column %d as keys %d%s\n", h.Column, h.Key, map[bool]string{true: ", each once"}[h.Distinct])
		}
		if st.Bound.SQL == st.SQL {
			continue
		}
		b.WriteString("  " + st.Bound.SQL + "\n")
		for n, param := range st.Bound.Params {
			from := fmt.Sprintf("slot %d", param.Slot)
			if param.Key > 0 {
				from = fmt.Sprintf("keys %d", param.Key)
			}
			fmt.Fprintf(&b, "  $%d is %s\n", n+1, from)
		}
	}
	return b.String()
}
