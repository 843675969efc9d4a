package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/plan"
	"github.com/resourcery/resourcery/schema"
)

// A Problem is one error of an answer.
type Problem struct {
	Code string // or several, with `|` between them
	// At are the pointers that it may have; each stands for all below it too. One
	// that begins with `=` stands for itself alone, and "" for no pointer. None:
	// whatever it points at.
	At []string
}

// Fits reports whether an error of the code, at the pointer, tells the problem.
func (p Problem) Fits(code, pointer string) bool {
	if !slices.Contains(strings.Split(p.Code, "|"), code) {
		return false
	}
	return p.At == nil || slices.ContainsFunc(p.At, func(at string) bool {
		exact, isExact := strings.CutPrefix(at, "=")
		switch {
		case at == "":
			return pointer == ""
		case isExact:
			return pointer == exact
		default:
			return pointer == at || strings.HasPrefix(pointer, at+"/")
		}
	})
}

// Refused says that a write leaves everything as it was. Where there is a choice
// of errors, as the contract does not say which Postgres finds first, it has
// several answers, and any of them will do.
type Refused struct{ Answers [][]Problem }

func (r *Refused) Error() string { return fmt.Sprint("refused: any of ", r.Answers) }

// oneOf is the refusal with one of the problems.
func oneOf(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	r := &Refused{}
	for _, p := range problems {
		r.Answers = append(r.Answers, []Problem{p})
	}
	return r
}

// also adds answers to a refusal.
func also(err error, problems ...Problem) error {
	if r, ok := err.(*Refused); ok {
		for _, p := range problems {
			r.Answers = append(r.Answers, []Problem{p})
		}
	}
	return err
}

// problem is one without a place of its own: in a batch it is at the operation.
func (o *operation) problem(code string) Problem {
	if o.plan.Pointer != "" {
		return Problem{code, []string{"=" + o.plan.Pointer}}
	}
	return Problem{code, []string{""}}
}

// places are where the request gives any of the columns, or nowhere.
func (o *operation) places(columns []string) []string {
	var out []string
	n := 0
	for _, a := range o.write.Set {
		if !slices.Contains(columns, a.Field.Column) {
			continue
		}
		at := o.placesOf(a.Value)
		if at == nil {
			return nil
		}
		out, n = append(out, at...), n+1
	}
	if n != 1 { // several places may be told by none
		out = append(out, o.problem("").At...)
	}
	return out
}

// placesOf are where a value stands; nil is unknown. A plan's Elements of a value
// that is no list are further places of it.
func (o *operation) placesOf(c plan.Cell) []string {
	switch c := c.(type) {
	case *plan.Given:
		out := []string{o.plan.Sources[c.Slot].Pointer}
		for _, at := range o.plan.Elements[c.Slot] {
			out = append(out, at.Pointer)
		}
		return out
	case *plan.Looked:
		return o.placesOf(c.Key[0])
	default:
		return nil
	}
}

// brokenRow says what is wrong with the row that the request writes (contract 8).
func (o *operation) brokenRow(breaches []breach) []Problem {
	var out []Problem
	for _, b := range breaches {
		at := o.places(b.columns)
		switch b.kind {
		case missing:
			code := "invalid-payload"
			if o.required(b.columns[0]) {
				code = "required-relationship"
			}
			if len(at) == 1 && at[0] == o.problem("").At[0] {
				at = []string{"=" + o.plan.Attributes}
				if o.isKey(b.columns[0]) { // which stands beside them
					at = append(at, "="+strings.TrimSuffix(o.plan.Attributes, "/attributes"))
				}
			}
			out = append(out, Problem{code, at})
		case checked:
			out = append(out, Problem{"validation-error", at})
		case taken:
			out = append(out, Problem{"conflict", at})
		case dangling:
			out = append(out, Problem{"related-not-found", at})
		case referred:
			// The contract's table has 23503 on update as related-not-found; that others
			// hold the row is a conflict by its words, and over a join table the
			// resource counts as gone.
			out = append(out, Problem{"conflict|related-not-found|not-found", nil})
		case followed:
			out = append(out, Problem{"invalid-payload|required-relationship|validation-error|conflict", nil})
		}
	}
	return out
}

func (o *operation) isKey(column string) bool {
	key := o.write.Model.Key
	return len(key) == 1 && key[0].Column == column
}

// required reports whether a column is of a to-one relationship that cannot be
// null.
func (o *operation) required(column string) bool {
	return slices.ContainsFunc(o.write.Model.Relationships, func(r *schema.Relationship) bool {
		return r.Required() && slices.ContainsFunc(r.From, func(f *schema.Field) bool { return f.Column == column })
	})
}

// brokenMember says what is wrong with a row that becomes a member, or is one no
// more, at the linkage.
func brokenMember(at []string, breaches []breach) []Problem {
	var out []Problem
	for _, b := range breaches {
		code := [...]string{
			missing: "required-relationship", checked: "validation-error", taken: "conflict",
			dangling: "related-not-found", referred: "conflict|related-not-found", followed: "required-relationship|validation-error|conflict",
		}[b.kind]
		out = append(out, Problem{code, at})
	}
	return out
}
