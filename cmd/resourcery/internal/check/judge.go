package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// Options say what the server is told at its start.
type Options struct {
	// AnonymousRole is that of callers without a token, "": the login role's.
	AnonymousRole string
}

// Judge returns the report on a database.
func Judge(a *introspect.Access, o Options) *Report {
	j := &judge{Access: a, anonymous: o.AnonymousRole, suggested: map[string]bool{}, findings: []Finding{}}
	for i := range a.Roles {
		if r := &a.Roles[i]; !r.Superuser && !r.BypassRLS {
			j.bindable = append(j.bindable, r)
		}
	}
	for i := range a.Relations {
		if a.Relations[i].Exposed {
			j.exposed = append(j.exposed, &a.Relations[i])
		}
	}
	for _, rule := range []func(){
		j.roles, j.namespaces, j.tables, j.views, j.grants, j.policies, j.functions, j.keys, j.indexes,
	} {
		rule()
	}
	slices.SortStableFunc(j.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(codeOrder[a.Code], codeOrder[b.Code]), cmp.Compare(a.Object, b.Object))
	})
	report := &Report{
		Database: a.Database, Version: version(a.Version), Login: a.Login, Anonymous: o.AnonymousRole,
		Access: j.permissions(), Findings: j.findings,
	}
	for _, r := range a.Roles {
		report.Roles = append(report.Roles, r.Name)
	}
	return report
}

// version spells server_version_num as people do.
func version(number int) string { return fmt.Sprintf("%d.%d", number/10000, number%10000) }

// A judge collects the findings.
type judge struct {
	*introspect.Access
	anonymous string
	bindable  []*introspect.RoleAccess // the roles that policies can bind
	exposed   []*introspect.Relation
	suggested map[string]bool // indexes that a finding asks for
	findings  []Finding
}

// find adds a finding. Its sentence is put together from the format.
func (j *judge) find(code, object string, sql []string, format string, args ...any) {
	at, ok := codeOrder[code]
	if !ok {
		panic(fmt.Sprintf("check: no code %q", code))
	}
	if sql == nil {
		sql = []string{}
	}
	j.findings = append(j.findings, Finding{
		Code: code, Severity: Codes[at].Severity, Object: object, Detail: fmt.Sprintf(format, args...), SQL: sql,
	})
}

// named returns the role of that name among those that are judged.
func (j *judge) named(name string) (*introspect.RoleAccess, bool) {
	i := slices.IndexFunc(j.Roles, func(r introspect.RoleAccess) bool { return r.Name == name })
	if i < 0 {
		return nil, false
	}
	return &j.Roles[i], true
}

// users returns the bindable roles that may do something with the relation.
func (j *judge) users(rel *introspect.Relation) []*introspect.RoleAccess {
	return slices.DeleteFunc(slices.Clone(j.bindable), func(r *introspect.RoleAccess) bool { return !rel.Privileges[r.Name].Any() })
}

// grantees returns those to whom one of the privileges was granted from which
// the role has it, PUBLIC as "".
func grantees(role *introspect.RoleAccess, grants []introspect.Grant, privileges ...string) []string {
	var out []string
	for _, g := range grants {
		if slices.Contains(privileges, g.Privilege) && (g.Grantee == "" || role.Inherits(g.Grantee)) && !slices.Contains(out, g.Grantee) {
			out = append(out, g.Grantee)
		}
	}
	return out
}

// revoke is the statement that takes privileges on an object from a grantee.
func revoke(privileges []string, object, grantee string) string {
	return fmt.Sprintf("REVOKE %s ON %s FROM %s;", strings.Join(privileges, ", "), object, quoteRole(grantee))
}

func quoteRole(name string) string {
	if name == "" {
		return "PUBLIC"
	}
	return quote(name)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteTable(t schema.Table) string { return quote(t.Schema) + "." + quote(t.Name) }

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quote(n)
	}
	return strings.Join(quoted, ", ")
}

func quoteFunction(f *introspect.Function) string {
	return fmt.Sprintf("%s.%s(%s)", quote(f.Schema), quote(f.Name), f.Arguments)
}

// Exposed returns the relations that a schema serves: the models' and the join
// tables between them, by name.
func Exposed(s *schema.Schema) []schema.Table {
	var out []schema.Table
	add := func(t schema.Table) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, m := range s.Models() {
		add(m.Table)
		for _, r := range m.Relationships {
			if r.Through != nil {
				add(r.Through.Table)
			}
		}
	}
	slices.SortFunc(out, func(a, b schema.Table) int {
		return cmp.Or(strings.Compare(a.Schema, b.Schema), strings.Compare(a.Name, b.Name))
	})
	return out
}
