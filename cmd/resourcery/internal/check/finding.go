package check

import "fmt"

// A Severity says how much a finding matters.
type Severity uint8

const (
	Note    Severity = iota + 1 // worth knowing
	Warning                     // slow, broken for somebody, or one mistake away from being unsafe
	Error                       // somebody may see or change what they should not
)

var severityNames = [...]string{Note: "note", Warning: "warning", Error: "error"}

// String returns the severity as reports and flags spell it.
func (s Severity) String() string { return severityNames[s] }

// MarshalText is String.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSeverity is the inverse of String.
func ParseSeverity(text string) (Severity, error) {
	for s := Note; s <= Error; s++ {
		if s.String() == text {
			return s, nil
		}
	}
	return 0, fmt.Errorf("write error, warning or note")
}

// A Finding is one thing to mend.
type Finding struct {
	Code     string   `json:"code"` // one of Codes
	Severity Severity `json:"severity"`
	Object   string   `json:"object"` // quoted as in SQL
	Detail   string   `json:"detail"` // one sentence: why
	// SQL are the statements that mend it, in order, each to be run as it is.
	// They are empty where no statement can say what is meant.
	SQL []string `json:"sql"`
}

// A Code is one kind of finding. Codes are stable; each has one severity.
type Code struct {
	Name     string
	Severity Severity
	About    string // what is found, for the documentation
}

// Codes are all kinds of findings in the order of reports.
var Codes = []Code{
	{"role-missing", Error, "The anonymous role does not exist."},
	{"role-not-granted", Error, "The login role may not become the anonymous role."},
	{"role-superuser", Error, "The login role is a superuser, or a role that it may become is."},
	{"role-bypassrls", Error, "The same for `BYPASSRLS`."},
	{"role-createrole", Warning, "The role has `CREATEROLE`."},
	{"role-replication", Warning, "The role has `REPLICATION`."},
	{"role-predefined", Warning, "The role is a member of a role of Postgres's own that reaches past privileges: `pg_read_all_data`, `pg_write_all_data`, `pg_maintain`, `pg_read_server_files`, `pg_write_server_files`, `pg_execute_server_program`, `pg_signal_backend`, `pg_create_subscription`."},
	{"schema-create", Warning, "A role may create objects in an exposed schema, or in one that is searched for names."},
	{"schema-no-usage", Warning, "A role has privileges on relations of a schema that it may not use."},
	{"type-no-usage", Warning, "A role has privileges on a column whose type is in a schema that it may not use."},
	{"table-no-rls", Error, "An exposed table that a role may use has no row-level security."},
	{"table-not-forced", Error, "A role owns a table whose policies do not bind its owner."},
	{"table-no-policy", Warning, "Row-level security is on and no policy admits a row, though a role has privileges."},
	{"table-foreign", Warning, "A role may use a foreign table, which no policy can guard."},
	{"table-owned", Note, "A role owns an exposed table whose policies bind it, and could take them off."},
	{"table-unreached", Note, "An exposed table without row-level security that no role whom a policy could bind may use."},
	{"view-bypasses-rls", Error, "A view reads guarded tables with the rights of an owner whom their policies do not bind."},
	{"matview-bypasses-rls", Error, "A materialized view keeps rows of guarded tables, for everybody who may read it."},
	{"grant-public", Warning, "Privileges on an exposed relation are granted to PUBLIC."},
	{"grant-truncate", Warning, "A role may TRUNCATE, which no policy stops."},
	{"policy-missing", Note, "A role has a privilege for which no policy admits it."},
	{"policy-per-row", Warning, "A policy calls a function for each row, though no column is among its arguments."},
	{"policy-no-index", Warning, "A policy looks for rows by a column that no index begins with."},
	{"policy-definer", Note, "A policy relies on a SECURITY DEFINER function whose owner the policies do not bind."},
	{"function-sets-session", Error, "A function in a policy sets the role or session variables."},
	{"function-definer", Warning, "A role may call a SECURITY DEFINER function whose owner the policies do not bind."},
	{"function-search-path", Warning, "A SECURITY DEFINER function looks for names wherever its caller says."},
	{"function-no-execute", Warning, "A role may not call a function that its policies or defaults need."},
	{"sequence-no-usage", Warning, "A role may insert rows but not take numbers from the sequence of their default."},
	{"key-no-index", Warning, "A foreign key whose columns no index begins with."},
	{"key-cascade", Note, "A delete goes on to rows of a guarded table, which the caller may not see."},
	{"index-not-leakproof", Note, "An index of a guarded table that no filter can use ahead of the policies."},
}

// codeOrder has the place of each code in Codes.
var codeOrder = func() map[string]int {
	order := make(map[string]int, len(Codes))
	for i, c := range Codes {
		order[c.Name] = i
	}
	return order
}()
