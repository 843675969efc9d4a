package exec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$`)

// ownPrefix begins the variables in which statements of one pipeline leave keys
// for each other.
const ownPrefix = "resourcery."

// checkVariables refuses names that Postgres would not take as a custom
// variable, or that would change more than a value: the role, the search path,
// the transaction, row-level security itself, or our own keys.
func checkVariables(names []string) error {
	for i, name := range names {
		lower := strings.ToLower(name)
		switch {
		case slices.ContainsFunc(names[:i], func(n string) bool { return strings.EqualFold(n, name) }): // Postgres folds case
			return fmt.Errorf("variable %q is declared twice", name)
		case slices.Contains([]string{"role", "session_authorization", "search_path", "row_security"}, lower),
			strings.HasPrefix(lower, "transaction_"):
			return fmt.Errorf("variable %q is one of Postgres's own settings: declare a dotted name, such as app.user_id", name)
		case strings.HasPrefix(lower, ownPrefix):
			return fmt.Errorf("variable %q is in the namespace that pipelines use for their keys: choose another than %q", name, ownPrefix)
		case len(name) > maxVariable || !variableName.MatchString(name):
			return fmt.Errorf("variable %q is not a dotted identifier, such as app.user_id", name)
		}
	}
	return nil
}

// maxVariable is the longest identifier of Postgres, NAMEDATALEN - 1.
const maxVariable = 63

// undeclared returns a variable of the session that was not declared.
func undeclared(declared []string, vars map[string]string) (string, bool) {
	known := 0
	for _, name := range declared {
		if _, ok := vars[name]; ok {
			known++
		}
	}
	if known == len(vars) {
		return "", false
	}
	var found []string
	for name := range vars {
		if !slices.Contains(declared, name) {
			found = append(found, name)
		}
	}
	return slices.Min(found), true
}
