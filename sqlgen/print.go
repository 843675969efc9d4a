package sqlgen

import (
	"fmt"
	"strings"
)

// String prints the pipeline's statements with their parameters as slots of the
// plan, for people and for goldens.
func (p *Pipeline) String() string {
	var b strings.Builder
	for i, st := range p.Statements {
		fmt.Fprintf(&b, "%d %s\n", i, st)
	}
	return b.String()
}

// String prints what the statement is for, its SQL, and which slot each
// parameter takes its value from.
func (st *Statement) String() string {
	var b strings.Builder
	b.WriteString(st.Part.String())
	if st.Edge != nil {
		fmt.Fprintf(&b, " %s of %d", st.Edge.Relationship, st.Edge.Parent)
	}
	if st.Relationship != nil {
		fmt.Fprintf(&b, " %s", st.Relationship)
	}
	b.WriteString("\n  " + st.SQL + "\n")
	for i, p := range st.Params {
		kind := strings.ReplaceAll(typeName(p.Type), "??", "?") // as it is, not as squirrel reads it
		if p.List {
			kind += "[]"
		}
		fmt.Fprintf(&b, "  $%d is slot %d, %s\n", i+1, p.Slot, kind)
	}
	return b.String()
}

// String names the part.
func (p Part) String() string {
	return [...]string{
		Check: "check", Page: "page", Rows: "rows", Pairs: "pairs", Count: "count", Estimate: "estimate",
		Unseen: "unseen targets", Written: "write", Again: "again", Step: "step", Guard: "guard",
	}[p]
}
