package check

import (
	"fmt"
	"slices"

	"github.com/resourcery/resourcery/schema/introspect"
)

// reaching are the roles of Postgres's own that go past what tables' privileges
// say, each with what it lets its members do.
var reaching = map[string]string{
	"pg_read_all_data":          "read every table",
	"pg_write_all_data":         "write every table",
	"pg_maintain":               "maintain every table",
	"pg_read_server_files":      "read the server's files",
	"pg_write_server_files":     "write the server's files",
	"pg_execute_server_program": "run programs on the server",
	"pg_signal_backend":         "end the sessions of others",
	"pg_create_subscription":    "create subscriptions",
}

// roles judges what the roles are, whatever tables there may be.
func (j *judge) roles() {
	j.anonymousRole()
	for i := range j.Roles {
		r := &j.Roles[i]
		if r.Superuser {
			j.find("role-superuser", quote(r.Name), j.keepFrom(r, "NOSUPERUSER"), "%s; no policy and no privilege binds a superuser", j.place(r))
		}
		if r.BypassRLS {
			j.find("role-bypassrls", quote(r.Name), j.keepFrom(r, "NOBYPASSRLS"), "%s; no policy binds a role with BYPASSRLS", j.place(r))
		}
		if r.Superuser {
			continue
		}
		if r.CreateRole {
			j.find("role-createrole", quote(r.Name), alterRole(r, "NOCREATEROLE"), "%s; with CREATEROLE it can make roles, and before Postgres 16 give itself almost any", j.place(r))
		}
		if r.Replication {
			j.find("role-replication", quote(r.Name), alterRole(r, "NOREPLICATION"), "%s; with REPLICATION it can read the whole cluster from the write-ahead log", j.place(r))
		}
	}
	for _, m := range j.Memberships {
		what, ok := reaching[m.Role]
		holder := slices.IndexFunc(j.Roles, func(r introspect.RoleAccess) bool {
			return !r.Superuser && (r.Name == m.Member || r.Inherits(m.Member))
		})
		if ok && holder >= 0 {
			j.find("role-predefined", quote(m.Member), []string{leave(m.Role, m.Member)}, "as a member of %s it may %s", m.Role, what)
		}
	}
}

func (j *judge) anonymousRole() {
	if j.anonymous == "" {
		return
	}
	r, exists := j.named(j.anonymous)
	grant := fmt.Sprintf("GRANT %s TO %s;", quote(j.anonymous), quote(j.Login))
	switch {
	case !exists:
		j.find("role-missing", quote(j.anonymous), []string{fmt.Sprintf("CREATE ROLE %s NOLOGIN;", quote(j.anonymous)), grant},
			"callers without a token get this role, and there is none of this name")
	case !r.Assumable && !j.Roles[0].Superuser:
		j.find("role-not-granted", quote(j.anonymous), []string{grant}, "callers without a token get this role, and %s may not become it", quote(j.Login))
	}
}

// place says how the server comes by the role.
func (j *judge) place(r *introspect.RoleAccess) string {
	switch {
	case r.Name == j.Login:
		return "the server logs in as it"
	case r.Name == j.anonymous:
		return "callers without a token get it"
	default:
		return "the server may become it, and so a token may name it"
	}
}

// keepFrom keeps what a role must not have from the server: the server's own
// roles lose the attribute, others are no longer its to become.
func (j *judge) keepFrom(r *introspect.RoleAccess, attribute string) []string {
	if r.Name == j.Login || r.Name == j.anonymous {
		return alterRole(r, attribute)
	}
	var sql []string
	for _, m := range j.Memberships {
		if _, ours := j.named(m.Member); ours && m.Role == r.Name {
			sql = append(sql, leave(m.Role, m.Member))
		}
	}
	return sql
}

func alterRole(r *introspect.RoleAccess, attribute string) []string {
	return []string{fmt.Sprintf("ALTER ROLE %s %s;", quote(r.Name), attribute)}
}

func leave(role, member string) string {
	return fmt.Sprintf("REVOKE %s FROM %s;", quote(role), quote(member))
}

// namespaces judges who may use schemas and create objects in them.
func (j *judge) namespaces() {
	for _, name := range j.searched() {
		n, ok := j.Namespaces[name]
		if !ok {
			continue
		}
		var who, sql []string
		for _, r := range j.bindable {
			if !slices.Contains(n.Create, r.Name) {
				continue
			}
			who = append(who, quote(r.Name))
			for _, s := range j.closeNamespace(r, n) {
				if !slices.Contains(sql, s) {
					sql = append(sql, s)
				}
			}
		}
		if len(who) > 0 {
			j.find("schema-create", quote(name), sql, "%s may create objects in it, which stand in for others' wherever names are looked up there", list(who))
		}
	}
	for _, r := range j.bindable {
		j.unusable(r)
	}
}

// ownSchema stands in search paths for the schema that is called like the role.
const ownSchema = "$user"

// searched are the exposed schemas and those of the search path, each once.
func (j *judge) searched() []string {
	names := slices.Clone(j.Schemas)
	for _, name := range j.SearchPath {
		switch name {
		case ownSchema:
			for _, r := range j.Roles {
				names = append(names, r.Name)
			}
		case "pg_catalog", "pg_temp":
		default:
			names = append(names, name)
		}
	}
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (j *judge) closeNamespace(r *introspect.RoleAccess, n introspect.Namespace) []string {
	object := "SCHEMA " + quote(n.Name)
	if !r.Inherits(n.Owner) {
		var sql []string
		for _, g := range grantees(r, n.Grants, "CREATE") {
			sql = append(sql, revoke([]string{"CREATE"}, object, g))
		}
		return sql
	}
	if r.Inherits(databaseOwner) {
		return nil
	}
	return []string{
		fmt.Sprintf("ALTER %s OWNER TO %s;", object, databaseOwner),
		fmt.Sprintf("GRANT USAGE ON %s TO %s;", object, quote(n.Owner)),
	}
}

// databaseOwner is the role of whoever owns the database, there since Postgres 14.
const databaseOwner = "pg_database_owner"

// unusable finds the schemas that a role may not use though it has privileges
// on what is in them.
func (j *judge) unusable(r *introspect.RoleAccess) {
	var told []string
	tell := func(code, name, format string, args ...any) {
		if n, ok := j.Namespaces[name]; ok && !slices.Contains(n.Usage, r.Name) && !slices.Contains(told, name) {
			told = append(told, name)
			j.find(code, quote(name), []string{fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", quote(name), quote(r.Name))}, format, args...)
		}
	}
	for _, rel := range j.exposed {
		if rel.Privileges[r.Name].Any() {
			tell("schema-no-usage", rel.Schema, "%s may use %s, but not the schema that it is in", quote(r.Name), quoteTable(rel.Table))
		}
	}
	for _, rel := range j.exposed {
		p := rel.Privileges[r.Name]
		for _, c := range rel.Columns {
			if slices.Contains(p.Select, c.Name) || slices.Contains(p.Insert, c.Name) || slices.Contains(p.Update, c.Name) {
				tell("type-no-usage", c.TypeSchema, "%s may use the column %s of %s, but not the schema of its type, which conditions and values name", quote(r.Name), quote(c.Name), quoteTable(rel.Table))
			}
		}
	}
}
