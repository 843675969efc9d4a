package check

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// A Report is what there is to say about a database.
type Report struct {
	Database  string       `json:"database"`
	Version   string       `json:"version"` // of Postgres
	Login     string       `json:"login"`
	Anonymous string       `json:"anonymousRole"` // "": the login role
	Roles     []string     `json:"roles"`         // that requests may run as, the login role first
	Access    []Permission `json:"access"`        // in the order of the relations, then of Roles; without those that allow nothing
	Findings  []Finding    `json:"findings"`      // the worst first
}

// A Permission is what one role may do with one relation.
type Permission struct {
	Relation string   `json:"relation"` // quoted as in SQL
	Role     string   `json:"role"`
	Rows     Rows     `json:"rows"`
	Select   []string `json:"select"` // columns; all of them as "*"
	Insert   []string `json:"insert"`
	Update   []string `json:"update"`
	Delete   bool     `json:"delete"`
	Truncate bool     `json:"truncate"`
}

// Rows says what decides on which rows a role may do so.
type Rows string

const (
	Every    Rows = "every row"
	ByPolicy Rows = "by policy"
	ByView   Rows = "by view"
	NoPolicy Rows = "no row"
)

// permissions are what the roles may do.
func (j *judge) permissions() []Permission {
	out := []Permission{}
	for _, rel := range j.exposed {
		for i := range j.Roles {
			r := &j.Roles[i]
			p := rel.Privileges[r.Name]
			if !p.Any() {
				continue
			}
			out = append(out, Permission{
				Relation: quoteTable(rel.Table), Role: r.Name, Rows: rows(rel, r),
				Select: columns(rel, p.Select), Insert: columns(rel, p.Insert), Update: columns(rel, p.Update), Delete: p.Delete, Truncate: p.Truncate,
			})
		}
	}
	return out
}

func rows(rel *introspect.Relation, r *introspect.RoleAccess) Rows {
	switch {
	case rel.Relation == schema.PlainView:
		return ByView
	case !rel.RowSecurity || !r.Bound(rel):
		return Every
	case slices.ContainsFunc(rel.Policies, func(p introspect.Policy) bool { return p.Permissive && applies(p, r) }):
		return ByPolicy
	default:
		return NoPolicy
	}
}

func columns(rel *introspect.Relation, names []string) []string {
	if len(names) == len(rel.Columns) {
		return []string{"*"}
	}
	return append([]string{}, names...)
}

// Count returns how many findings there are of a severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// WriteJSON writes the report as one JSON document.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// WriteText writes the report for people to read.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "database %s, PostgreSQL %s\n", r.Database, r.Version)
	fmt.Fprintf(&b, "requests run as %s", quoteRole(r.Login))
	for _, role := range r.Roles {
		if role != r.Login {
			b.WriteString(", " + quoteRole(role))
		}
	}
	b.WriteString("\n")
	r.writeAccess(&b)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s %s: %s\n  %s\n", f.Severity, f.Code, f.Object, f.Detail)
		for _, s := range f.SQL {
			fmt.Fprintf(&b, "    %s\n", s)
		}
	}
	fmt.Fprintf(&b, "\n%s, %s, %s\n", counted(r.Count(Error), Error), counted(r.Count(Warning), Warning), counted(r.Count(Note), Note))
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) writeAccess(b *strings.Builder) {
	b.WriteString("\naccess\n")
	width := 0
	for _, p := range r.Access {
		width = max(width, len(quote(p.Role)))
	}
	relation := ""
	for _, p := range r.Access {
		if p.Relation != relation {
			relation = p.Relation
			fmt.Fprintf(b, "  %s\n", relation)
		}
		fmt.Fprintf(b, "    %-*s  %-9s  %s\n", width, quote(p.Role), p.Rows, p.verbs())
	}
	if len(r.Access) == 0 {
		b.WriteString("  none: no role may do anything with an exposed table\n")
	}
}

// verbs lists what is allowed, with the columns where it is not all.
func (p Permission) verbs() string {
	var out []string
	for _, v := range []struct {
		name    string
		columns []string
	}{{"select", p.Select}, {"insert", p.Insert}, {"update", p.Update}} {
		switch {
		case len(v.columns) == 1 && v.columns[0] == "*":
			out = append(out, v.name)
		case len(v.columns) > 0:
			out = append(out, v.name+" ("+quoteAll(v.columns)+")")
		}
	}
	if p.Delete {
		out = append(out, "delete")
	}
	if p.Truncate {
		out = append(out, "truncate")
	}
	return strings.Join(out, ", ")
}

func counted(n int, s Severity) string {
	if n == 1 {
		return "1 " + s.String()
	}
	return fmt.Sprintf("%d %ss", n, s)
}
