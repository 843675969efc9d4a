package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// functions judges the functions that run when somebody reads or writes, and
// those that run with the rights of others.
func (j *judge) functions() {
	guards, needed := map[uint32]bool{}, map[uint32]bool{}
	for _, rel := range j.exposed {
		for i := range rel.Policies {
			j.policyFunctions(rel, &rel.Policies[i], guards)
		}
		for _, d := range rel.Defaults {
			j.reach(d.Value.Functions, needed)
		}
	}
	for _, oid := range j.inOrder() {
		f := j.Functions[oid]
		if !f.Definer || f.Trigger || f.Extension || f.Schema == "pg_catalog" {
			continue
		}
		j.searchPath(&f)
		switch free := j.free(f.Owner); {
		case len(free) == 0:
		case guards[oid]:
			j.find("policy-definer", quoteFunction(&f), []string{fmt.Sprintf("ALTER %s %s SECURITY INVOKER;", f.Kind, quoteFunction(&f))},
				"policies call it and it runs as %s, whom the policies of %s do not bind: whoever it admits is judged by rows that the caller may not see", quote(f.Owner), list(free))
		case !needed[oid]:
			j.callable(&f, free)
		}
	}
	j.missingExecute()
}

// inOrder are the functions by their names and arguments.
func (j *judge) inOrder() []uint32 {
	var oids []uint32
	for oid := range j.Functions {
		oids = append(oids, oid)
	}
	slices.SortFunc(oids, func(a, b uint32) int {
		f, g := j.Functions[a], j.Functions[b]
		return strings.Compare(quoteFunction(&f), quoteFunction(&g))
	})
	return oids
}

// reach adds functions and what their parsed bodies call.
func (j *judge) reach(oids []uint32, to map[uint32]bool) {
	for _, oid := range oids {
		if f, ok := j.Functions[oid]; ok && !to[oid] {
			to[oid] = true
			j.reach(f.Calls, to)
		}
	}
}

// free are the guarded tables whose policies do not bind a role.
func (j *judge) free(owner string) []string {
	o, ok := j.Owners[owner]
	var out []string
	for _, rel := range j.exposed {
		if ok && rel.Relation == schema.OrdinaryTable && rel.RowSecurity && !o.Bound(rel) {
			out = append(out, quoteTable(rel.Table))
		}
	}
	return shorten(out)
}

func (j *judge) callable(f *introspect.Function, free []string) {
	var who, from []string
	for _, r := range j.bindable {
		if slices.Contains(f.Callers, r.Name) && !r.Inherits(f.Owner) {
			who = append(who, quote(r.Name))
			for _, g := range grantees(r, f.Grants, "EXECUTE") {
				if !slices.Contains(from, g) {
					from = append(from, g)
				}
			}
		}
	}
	if len(who) == 0 {
		return
	}
	var sql []string
	for _, g := range from {
		sql = append(sql, revoke([]string{"EXECUTE"}, f.Kind+" "+quoteFunction(f), g))
	}
	j.find("function-definer", quoteFunction(f), sql, "%s may call it and it runs as %s, whom the policies of %s do not bind", list(who), quote(f.Owner), list(free))
}

// searchPath finds functions that look for names on the path of their callers.
// A body that is parsed has looked already.
func (j *judge) searchPath(f *introspect.Function) {
	if f.Source == "" || slices.ContainsFunc(f.Config, func(c string) bool { return strings.HasPrefix(c, "search_path=") }) {
		return
	}
	path := slices.DeleteFunc(slices.Clone(j.SearchPath), func(s string) bool { return s == "pg_temp" || s == ownSchema })
	j.find("function-search-path", quoteFunction(f), []string{fmt.Sprintf("ALTER %s %s SET search_path = %s;", f.Kind, quoteFunction(f), quoteAll(append(path, "pg_temp")))},
		"it runs as %s, and the search path of its caller decides which tables and functions its body means", quote(f.Owner))
}

// policyFunctions judges what a policy calls, and adds it to guards.
func (j *judge) policyFunctions(rel *introspect.Relation, p *introspect.Policy, guards map[uint32]bool) {
	reached := map[uint32]bool{}
	j.reach(p.Using.Functions, reached)
	j.reach(p.Check.Functions, reached)
	for _, oid := range j.inOrder() {
		if !reached[oid] {
			continue
		}
		guards[oid] = true
		f := j.Functions[oid]
		if setting, ok := roleSetting(&f); ok {
			j.find("function-sets-session", policyName(rel, p), []string{fmt.Sprintf("ALTER %s %s RESET %s;", f.Kind, quoteFunction(&f), setting)},
				"it calls %s, which runs as another role while the policy is asked", quoteFunction(&f))
		} else if j.setsSession(&f) {
			j.find("function-sets-session", policyName(rel, p), closePolicy(rel, p),
				"it calls %s, which sets the role or variables for all that comes after it in the request: the policy is closed until it does without", quoteFunction(&f))
		}
	}
}

// roleSetting returns the setting of a function that changes the role.
func roleSetting(f *introspect.Function) (string, bool) {
	for _, c := range f.Config {
		if name, _, _ := strings.Cut(c, "="); name == "role" || name == "session_authorization" {
			return name, true
		}
	}
	return "", false
}

// setting are the statements that set the role or a variable, where a statement
// can begin. UPDATE ... SET is none of them.
var setting = regexp.MustCompile(`(?is)(?:^|;|\bbegin\b|\bthen\b|\belse\b|\bloop\b|execute\s+(?:format\s*\(\s*)?e?')\s*(?:set\s+(?:(?:local|session)\s+)?(?:role\b|session\s+authorization\b|"?[a-z_][\w$]*"?(?:\."?[a-z_][\w$]*"?)*\s*(?:=|\bto\b))|reset\s+(?:role|all|session)\b)`)

var (
	setConfig = regexp.MustCompile(`(?i)\bset_config\s*\(`)
	comments  = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)
)

// setsSession reports whether a function sets what the rest of the request
// depends on.
func (j *judge) setsSession(f *introspect.Function) bool {
	if f.Schema == "pg_catalog" {
		return f.Name == "set_config"
	}
	body := comments.ReplaceAllString(f.Source, " ")
	return setConfig.MatchString(body) || setting.MatchString(body)
}

// closePolicy makes a policy admit nothing, restrictive ones as well.
func closePolicy(rel *introspect.Relation, p *introspect.Policy) []string {
	s := "ALTER POLICY " + policyName(rel, p)
	if p.Using.Text != "" {
		s += " USING (false)"
	}
	if p.Check.Text != "" {
		s += " WITH CHECK (false)"
	}
	return []string{s + ";"}
}

// missingExecute finds functions that run in a role's name and that it may not call.
func (j *judge) missingExecute() {
	told := map[string]bool{}
	tell := func(oid uint32, r *introspect.RoleAccess, what string) {
		f, ok := j.Functions[oid]
		if !ok || slices.Contains(f.Callers, r.Name) {
			return
		}
		sql := fmt.Sprintf("GRANT EXECUTE ON %s %s TO %s;", f.Kind, quoteFunction(&f), quote(r.Name))
		if !told[sql] {
			told[sql] = true
			j.find("function-no-execute", quoteFunction(&f), []string{sql}, "%s may not call it, which %s needs: its requests fail", quote(r.Name), what)
		}
	}
	for _, rel := range j.exposed {
		for _, r := range j.users(rel) {
			for i := range rel.Policies {
				if p := &rel.Policies[i]; rel.RowSecurity && r.Bound(rel) && applies(*p, r) {
					for _, oid := range slices.Concat(p.Using.Functions, p.Check.Functions) {
						tell(oid, r, "the policy "+policyName(rel, p))
					}
				}
			}
			for _, d := range rel.Defaults {
				if len(rel.Privileges[r.Name].Insert) > 0 {
					for _, oid := range d.Value.Functions {
						tell(oid, r, "the default of "+quoteTable(rel.Table)+"."+quote(d.Column))
					}
				}
			}
		}
	}
}
