package introspect_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/overlay"
)

// The names that traps.sql gets do not depend on the order in which its
// tables and foreign keys were made.
func TestTraps(t *testing.T) {
	sql := read(t, "testdata/traps.sql")
	names, file := served(t, sql)
	compare(t, "testdata/traps.golden", names)

	otherNames, otherFile := served(t, reversed(sql))
	if diff := cmp.Diff(string(names), string(otherNames)); diff != "" {
		t.Errorf("made in another order, the names differ:\n%s", diff)
	}
	if !bytes.Equal(file, otherFile) {
		t.Errorf("made in another order, the file differs:\n%s", cmp.Diff(string(file), string(otherFile)))
	}
}

// served introspects what the SQL makes and returns the names that it gets,
// and the generated file.
func served(t *testing.T, sql string) (names, file []byte) {
	t.Helper()
	models, err := overlay.Decode([]byte(read(t, "testdata/traps.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	c, err := overlay.Apply(load(t, sql, "public", "app"), models)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.FromCatalog(c)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	decoded, err := schema.Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	again, err := schema.FromCatalog(decoded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(describe(s)), string(describe(again))); diff != "" {
		t.Errorf("read back from the file, the names differ:\n%s", diff)
	}
	return describe(s), b.Bytes()
}

// reversed turns the statements of each section round.
func reversed(sql string) string {
	var sections []string
	for section := range strings.SplitSeq(sql, "\n-- ====\n") {
		statements := strings.SplitAfter(section, ";\n")
		// Statements that change or index the table before them follow it.
		var groups []string
		for _, s := range statements {
			dependent := strings.HasPrefix(s, "CREATE UNIQUE INDEX") || strings.HasPrefix(s, "ALTER TABLE columns DROP")
			if dependent {
				groups[len(groups)-1] += s
			} else {
				groups = append(groups, s+"\n")
			}
		}
		slices.Reverse(groups)
		sections = append(sections, strings.Join(groups, ""))
	}
	return strings.Join(sections, "\n;\n")
}

// describe prints a schema: what is served, under which names, over which keys.
func describe(s *schema.Schema) []byte {
	var b bytes.Buffer
	for _, m := range s.Models() {
		fmt.Fprintf(&b, "%s: %s %s", m.Type, m.Relation, m.Table)
		for _, may := range []struct {
			word string
			ok   bool
		}{{"insert", m.Insertable}, {"update", m.Updatable}, {"delete", m.Deletable}} {
			if !may.ok {
				fmt.Fprintf(&b, ", no %s", may.word)
			}
		}
		fmt.Fprintf(&b, "\n  id (%s)\n", columns(m.Key))
		for _, f := range m.Attributes {
			fmt.Fprintf(&b, "  %s %s%s\n", f.Name, typeName(f.Type), properties(f))
		}
		for _, r := range m.Relationships {
			fmt.Fprintf(&b, "  %s\n", relationship(r))
		}
		b.WriteString("\n")
	}
	for _, n := range s.Notes() {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.Bytes()
}

func properties(f *schema.Field) string {
	var p string
	if f.Column != f.Name {
		p += fmt.Sprintf(" = %q", f.Column)
	}
	if !f.Nullable {
		p += ", not null"
	}
	if f.Default {
		p += ", default"
	}
	if f.ReadOnly {
		p += ", read-only"
	}
	return p
}

func relationship(r *schema.Relationship) string {
	arrow := "-> one"
	if r.Many {
		arrow = "-> many"
	}
	text := fmt.Sprintf("%s %s %s: ", r.Name, arrow, r.Target.Type)
	if j := r.Through; j != nil {
		text += fmt.Sprintf("(%s) = %s (%s), (%s) = (%s)", columns(r.From), j.Table, joined(j.Near), joined(j.Far), columns(r.To))
	} else {
		text += fmt.Sprintf("(%s) = (%s)", columns(r.From), columns(r.To))
	}
	if r.Own {
		text += ", own"
	}
	if r.Required() {
		text += ", required"
	}
	if r.ByID {
		text += ", by id"
	}
	return text + ", inverse " + r.Inverse.Name
}

func columns(fields []*schema.Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Column)
	}
	return strings.Join(names, ", ")
}

func joined(list []schema.JoinColumn) string {
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// typeName prints a type with what it is made of and lacks.
func typeName(t *schema.Type) string {
	var text string
	switch t.Kind {
	case schema.Array, schema.Range, schema.Domain:
		if t.Multi {
			text = "multi"
		}
		text += fmt.Sprintf("%s(%s)", t.Kind, typeName(t.Elem))
	case schema.Enum:
		text = fmt.Sprintf("enum(%s)", strings.Join(t.Labels, " "))
	case schema.Composite:
		var members []string
		for _, m := range t.Members {
			members = append(members, m.Name+" "+typeName(m.Type))
		}
		text = fmt.Sprintf("composite(%s)", strings.Join(members, ", "))
	case schema.Text:
		text = t.Name
	default:
		text = t.Kind.String()
	}
	if !t.Equal {
		text += "[no equality]"
	}
	if t.Equal && !t.Ordered {
		text += "[no order]"
	}
	return text
}
