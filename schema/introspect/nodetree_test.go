package introspect

import (
	"strings"
	"testing"
)

// Trees are read as Postgres prints them: quoted names with blanks, lists of
// numbers, constants of several words, and nothing at all.
func TestParseTree(t *testing.T) {
	text := `{OPEXPR :opno 96 :args ({VAR :varno 1 :varattno -1 :varlevelsup 0} {CONST :constvalue 4 [ 1 0 0 0 ] :constisnull false}) ` +
		`:cols ("a\ \(b\)" "c") :set (b 8 9) :none <> :alias {ALIAS :aliasname \{x :colnames <>} :location 29}`
	nodes, err := parseTree("(" + text + " " + text + ")")
	if err != nil || len(nodes) != 2 {
		t.Fatalf("%d nodes, %v", len(nodes), err)
	}
	n := nodes[1]
	if n.kind != "OPEXPR" || n.number("opno") != 96 || n.number("location") != 29 || n.atom("none") != "<>" {
		t.Errorf("got %+v", n)
	}
	args := n.items("args")
	if len(args) != 2 || args[0].atom("varattno") != "-1" || args[1].atom("constvalue") != "4" || args[1].atom("constisnull") != "false" {
		t.Errorf("arguments %+v", args)
	}
	if alias := n.child("alias"); alias == nil || alias.atom("aliasname") != `\{x` {
		t.Errorf("alias %+v", alias)
	}
}

// What ends too early, or is no tree, is an error; nothing loops or panics.
func TestParseTreeErrors(t *testing.T) {
	text := `{BOOLEXPR :boolop and :args ({VAR :varno 1} {SUBLINK :subselect {QUERY :rtable ()}}) :location 1}`
	for i := 1; i < len(text); i++ {
		if _, err := parseTree(text[:i]); err == nil {
			t.Errorf("no error for %s", text[:i])
		}
	}
	if _, err := parseTree("42"); err == nil || !strings.Contains(err.Error(), `"42"`) {
		t.Errorf("got %v", err)
	}
	if nodes, err := parseTree("<>"); err != nil || len(nodes) != 0 {
		t.Errorf("got %v, %v", nodes, err)
	}
}
