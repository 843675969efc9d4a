package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

// tables judges whether the exposed tables are guarded.
func (j *judge) tables() {
	for _, rel := range j.exposed {
		users := j.users(rel)
		switch rel.Relation {
		case schema.OrdinaryTable:
			j.table(rel, users)
		case schema.ForeignTable:
			if len(users) > 0 {
				j.find("table-foreign", quoteTable(rel.Table), j.revokeAll(rel, users), "%s may use it, and row-level security cannot guard foreign tables: where not every row is meant, serve a view of it", list(quoted(users)))
			}
		case schema.PlainView, schema.MaterializedView: // see views
		default:
			panic(fmt.Sprintf("check: no relation %d", rel.Relation))
		}
	}
}

func (j *judge) table(rel *introspect.Relation, users []*introspect.RoleAccess) {
	name := quoteTable(rel.Table)
	enable := fmt.Sprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY;", name)
	force := fmt.Sprintf("ALTER TABLE %s FORCE ROW LEVEL SECURITY;", name)
	switch {
	case !rel.RowSecurity && len(users) == 0:
		j.find("table-unreached", name, []string{enable, force}, "no role that a policy could bind may use it, and nothing would guard its rows if one might")
		return
	case !rel.RowSecurity:
		j.find("table-no-rls", name, []string{enable, force}, "row-level security is off, so %s may %s every row", list(quoted(users)), j.verbs(rel, users))
	case len(users) > 0 && !slices.ContainsFunc(rel.Policies, func(p introspect.Policy) bool { return p.Permissive }):
		j.find("table-no-policy", name, j.revokeAll(rel, users), "no policy admits a row, so the privileges of %s are of no use: write a policy, or take them away", list(quoted(users)))
	}
	var owners []*introspect.RoleAccess
	for _, r := range j.bindable {
		if r.Inherits(rel.Owner) {
			owners = append(owners, r)
		}
	}
	switch {
	case len(owners) == 0 || !rel.RowSecurity:
	case !rel.Forced:
		j.find("table-not-forced", name, []string{force}, "%s may act as its owner, whom its policies do not bind as long as they are not forced", list(quoted(owners)))
	default:
		j.find("table-owned", name, handOver(rel, owners), "%s may act as its owner, who can take the policies off", list(quoted(owners)))
	}
}

// handOver gives a table to whoever owns the database, and leaves the roles what
// they could do with its rows. It is nil where they own the database.
func handOver(rel *introspect.Relation, owners []*introspect.RoleAccess) []string {
	sql := []string{fmt.Sprintf("ALTER TABLE %s OWNER TO %s;", quoteTable(rel.Table), databaseOwner)}
	for _, r := range owners {
		if r.Inherits(databaseOwner) {
			return nil
		}
		sql = append(sql, fmt.Sprintf("GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s;", quoteTable(rel.Table), quote(r.Name)))
	}
	return sql
}

// verbs says what the roles together may do with a relation.
func (j *judge) verbs(rel *introspect.Relation, users []*introspect.RoleAccess) string {
	var out []string
	for _, command := range commands {
		if slices.ContainsFunc(users, func(r *introspect.RoleAccess) bool { return may(rel.Privileges[r.Name], command) }) {
			out = append(out, strings.ToLower(command))
		}
	}
	return list(out)
}

// commands are those that policies are for; PostgreSQL calls its privileges the same.
var commands = []string{"SELECT", "INSERT", "UPDATE", "DELETE"}

func may(t introspect.TableAccess, command string) bool {
	switch command {
	case "SELECT":
		return len(t.Select) > 0
	case "INSERT":
		return len(t.Insert) > 0
	case "UPDATE":
		return len(t.Update) > 0
	case "DELETE":
		return t.Delete
	default:
		panic("check: no command " + command)
	}
}

// revokeAll takes from the roles all that they have on a relation.
func (j *judge) revokeAll(rel *introspect.Relation, users []*introspect.RoleAccess) []string {
	var from []string
	for _, r := range users {
		for _, g := range grantees(r, rel.Grants, append(slices.Clone(commands), "TRUNCATE")...) {
			if !slices.Contains(from, g) {
				from = append(from, g)
			}
		}
	}
	var sql []string
	for _, g := range from {
		sql = append(sql, revoke([]string{"ALL"}, quoteTable(rel.Table), g))
	}
	return sql
}

// grants judges what privileges were granted beside and beyond what is needed.
func (j *judge) grants() {
	for _, rel := range j.exposed {
		name := quoteTable(rel.Table)
		var public []string
		for _, g := range rel.Grants {
			if g.Grantee == "" {
				public = append(public, g.Privilege)
			}
		}
		if len(public) > 0 {
			j.find("grant-public", name, []string{revoke(public, name, "")}, "PUBLIC has %s on it, which is every role there is and will be: grant it to the roles that need it", list(public))
		}
		j.truncates(rel)
		if rel.Relation == schema.OrdinaryTable && rel.RowSecurity {
			j.unadmitted(rel)
		}
	}
}

func (j *judge) truncates(rel *introspect.Relation) {
	var who, sql []string
	for _, r := range j.bindable {
		if !rel.Privileges[r.Name].Truncate || r.Inherits(rel.Owner) {
			continue
		}
		who = append(who, quote(r.Name))
		for _, g := range grantees(r, rel.Grants, "TRUNCATE") {
			if s := revoke([]string{"TRUNCATE"}, quoteTable(rel.Table), g); !slices.Contains(sql, s) {
				sql = append(sql, s)
			}
		}
	}
	if len(who) > 0 {
		j.find("grant-truncate", quoteTable(rel.Table), sql, "%s may truncate it, and no policy stops that", list(who))
	}
}

// unadmitted finds privileges that no policy lets the role make use of. Those
// that come from PUBLIC are told of already.
func (j *judge) unadmitted(rel *introspect.Relation) {
	if !slices.ContainsFunc(rel.Policies, func(p introspect.Policy) bool { return p.Permissive }) {
		return
	}
	for _, r := range j.users(rel) {
		if !r.Bound(rel) {
			continue
		}
		var missing, sql []string
		for _, command := range commands {
			from := grantees(r, rel.Grants, command)
			if !may(rel.Privileges[r.Name], command) || admitted(rel, r, command) || len(from) == 0 || slices.Contains(from, "") {
				continue
			}
			missing = append(missing, command)
			for _, g := range from {
				sql = append(sql, revoke([]string{command}, quoteTable(rel.Table), g))
			}
		}
		if len(missing) > 0 {
			j.find("policy-missing", quoteTable(rel.Table), sql, "%s has %s on it, but no policy admits a row: write one, or take the privilege away", quote(r.Name), list(missing))
		}
	}
}

func admitted(rel *introspect.Relation, r *introspect.RoleAccess, command string) bool {
	return slices.ContainsFunc(rel.Policies, func(p introspect.Policy) bool {
		return p.Permissive && (p.Command == "ALL" || p.Command == command) && applies(p, r)
	})
}

// applies reports whether a policy is one for the role.
func applies(p introspect.Policy, r *introspect.RoleAccess) bool {
	return len(p.Roles) == 0 || slices.ContainsFunc(p.Roles, r.Inherits)
}

func quoted(roles []*introspect.RoleAccess) []string {
	out := make([]string, len(roles))
	for i, r := range roles {
		out[i] = quote(r.Name)
	}
	return out
}

// list joins words as a sentence does.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
