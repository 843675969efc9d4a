package introspect_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/introspect"
)

const rolesSQL = `
DO $$ BEGIN CREATE ROLE introspect_reader NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE introspect_owner NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE introspect_member NOLOGIN IN ROLE introspect_owner; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE introspect_bypass NOLOGIN BYPASSRLS; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
CREATE SCHEMA app;
CREATE TABLE author (id int4 PRIMARY KEY, name text, secret text);
CREATE TABLE post (id int4 PRIMARY KEY, title text, author_id int4 REFERENCES author, editor_id int4 REFERENCES author);
CREATE TABLE tag (id int4 PRIMARY KEY);
CREATE TABLE post_tag (post_id int4 REFERENCES post, tag_id int4 REFERENCES tag, PRIMARY KEY (post_id, tag_id));
CREATE TABLE app.note (id int4 PRIMARY KEY, post_id int4 REFERENCES post);
CREATE VIEW recent AS SELECT * FROM post;
GRANT SELECT (id, name), INSERT (name), UPDATE (name) ON author TO introspect_reader;
GRANT SELECT (id, title, author_id), INSERT, DELETE ON post TO introspect_reader;
GRANT SELECT ON tag, app.note TO introspect_reader;
GRANT SELECT (post_id) ON post_tag TO introspect_reader;
ALTER TABLE author ENABLE ROW LEVEL SECURITY;
ALTER TABLE author FORCE ROW LEVEL SECURITY;
CREATE POLICY everyone ON author USING (true);
ALTER TABLE post ENABLE ROW LEVEL SECURITY;
CREATE POLICY everyone ON post USING (true);
ALTER TABLE tag ENABLE ROW LEVEL SECURITY;
ALTER TABLE author OWNER TO introspect_owner;
ALTER TABLE post OWNER TO introspect_owner;
ALTER TABLE post_tag OWNER TO introspect_owner;
`

// A role's view has what its privileges allow: columns take relationships with
// them, and a schema without USAGE its tables.
func TestPrivileges(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, rolesSQL)
	s := serve(t, conn)

	p, err := introspect.Privileges(ctx, conn, s, "introspect_reader")
	if err != nil {
		t.Fatal(err)
	}
	v := schema.NewView(s, "introspect_reader", p)
	want := map[string]string{
		"author": "read insert update: name; posts_by_author", // posts_by_editor needs post.editor_id
		"note":   "; ",                                        // no USAGE on the schema
		"post":   "read insert delete: title author_id; author",
		"tag":    "read: ; ", // post_tag.tag_id may not be read
	}
	got := map[string]string{}
	for typ := range want {
		m, _ := v.Model(typ)
		got[typ] = may(m)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("view of introspect_reader (-want +got):\n%s", diff)
	}
	author, _ := v.Model("author")
	name, _ := author.Attribute("name")
	if !author.Insertable(name) || !author.Updatable(name) || author.Insertable(author.Model.Key[0]) {
		t.Error("author.name alone should be insertable and updatable")
	}

	p, err = introspect.Privileges(ctx, conn, s, "")
	if err != nil {
		t.Fatal(err)
	}
	note, _ := schema.NewView(s, "", p).Model("note")
	if got := may(note); got != "read insert update delete: post_id; post" {
		t.Errorf("note, as the current role: %s", got)
	}

	_, err = introspect.Privileges(ctx, conn, s, "introspect_nobody")
	if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "42704" {
		t.Errorf("a role that does not exist: %v", err)
	}
}

// On which tables row-level security applies depends on who owns them, on
// whether it is forced, and on what the role may pass by; of views it is taken
// to apply.
func TestGuarded(t *testing.T) {
	conn := connect(t, rolesSQL)
	s := serve(t, conn)
	for role, want := range map[string]string{
		"introspect_reader": "author post recent tag",
		"introspect_owner":  "author recent tag",
		"introspect_member": "author recent tag",
		"introspect_bypass": "recent",
		"":                  "recent", // a superuser
	} {
		p, err := introspect.Privileges(context.Background(), conn, s, role)
		if err != nil {
			t.Fatal(err)
		}
		v := schema.NewView(s, role, p)
		var guarded []string
		for _, name := range []string{"author", "post", "post_tag", "recent", "tag"} {
			if v.Guarded(schema.Table{Schema: "public", Name: name}) {
				guarded = append(guarded, name)
			}
		}
		if got := strings.Join(guarded, " "); got != want {
			t.Errorf("as %q: %s, want %s", role, got, want)
		}
	}
	if s.FullView().Guarded(schema.Table{Schema: "public", Name: "author"}) {
		t.Error("somebody with every privilege is guarded against")
	}
}

func may(m *schema.ModelView) string {
	var words, attributes, relationships []string
	for _, w := range []struct {
		word string
		ok   bool
	}{{"read", m.Readable}, {"insert", m.Insert}, {"update", m.Update}, {"delete", m.Delete}} {
		if w.ok {
			words = append(words, w.word)
		}
	}
	for _, f := range m.Attributes {
		attributes = append(attributes, f.Name)
	}
	for _, r := range m.Relationships {
		relationships = append(relationships, r.Name)
	}
	text := strings.Join(words, " ")
	if text != "" {
		text += ": " + strings.Join(attributes, " ")
	}
	return text + "; " + strings.Join(relationships, " ")
}

// A role's facts tell whether row-level security binds it.
func TestRole(t *testing.T) {
	ctx := context.Background()
	conn := connect(t, rolesSQL)
	s := serve(t, conn)

	for _, c := range []struct {
		role      string
		superuser bool
		bypass    bool
		unforced  string
	}{
		{"introspect_reader", false, false, ""},
		{"introspect_bypass", false, true, ""},
		{"introspect_owner", false, false, "public.post public.post_tag"},
		{"introspect_member", false, false, "public.post public.post_tag"},
		{"", true, true, "app.note public.post public.post_tag public.tag"},
	} {
		f, err := introspect.Role(ctx, conn, s, c.role)
		if err != nil {
			t.Fatal(err)
		}
		if !f.Exists || !f.Assumable || f.Superuser != c.superuser || f.BypassRLS != c.bypass {
			t.Errorf("role %q: %+v", c.role, f)
		}
		if got := list(f.Unforced()); got != c.unforced {
			t.Errorf("role %q passes over the policies of %q, want %q", c.role, got, c.unforced)
		}
		if got, want := list(f.WithoutPolicy()), "app.note public.post_tag public.tag"; got != want {
			t.Errorf("role %q: tables without a policy %q, want %q", c.role, got, want)
		}
	}

	f, err := introspect.Role(ctx, conn, s, "introspect_nobody")
	if err != nil || f.Exists || f.Assumable || f.Name != "introspect_nobody" {
		t.Errorf("a role that does not exist: %+v, %v", f, err)
	}
	if _, err := conn.Exec(ctx, "SET SESSION AUTHORIZATION introspect_member"); err != nil {
		t.Fatal(err)
	}
	for role, assumable := range map[string]bool{"introspect_owner": true, "introspect_reader": false, "": true} {
		f, err := introspect.Role(ctx, conn, s, role)
		if err != nil || f.Assumable != assumable || f.Login != "introspect_member" {
			t.Errorf("as introspect_member, role %q: %+v, %v", role, f, err)
		}
	}
}

func list(tables []schema.Table) string {
	var names []string
	for _, t := range tables {
		names = append(names, t.String())
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func serve(t *testing.T, conn introspect.Conn) *schema.Schema {
	t.Helper()
	s, err := fromDatabase(context.Background(), conn, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A schema that is not there is no empty one.
func TestLoadRefusesUnknownSchemas(t *testing.T) {
	_, err := introspect.Load(context.Background(), connect(t, ""), introspect.Options{Schemas: []string{"public", "ap", "nope"}})
	if err == nil || err.Error() != "introspect: no such schema in the database: ap, nope" {
		t.Errorf("got %v", err)
	}
}
